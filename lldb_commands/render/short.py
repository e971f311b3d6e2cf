"""Answers in short, for a machine where neither the library of answers/ nor the tool says more: what the
answer has, without sentences. Imports no lldb."""
from __future__ import annotations

from typing import List, Optional, Union

from ..found import found
from ..protocol import Answer, Capture, ClassAsked, Edge, Envelope, Error, Fix, FixSubject, Ivar, Knot, Thread, Verdict
from .words import class_name, edge_path, plural, thing_at, thing_name


def report(answer: Answer, asked: str, why: str) -> str:
    """All of it, and why there is not more."""
    if answer.get("status") == "error":
        return _freed(answer, asked)
    lines = [headline(answer, asked)]
    for one in answer.get("knots") or []:
        lines += ["", *knot(one, answer)]
    lines += [_reference(edge, answer) for edge in answer.get("edges") or []]
    lines += [_reference(holder.get("edge") or {}, answer) for holder in answer.get("holders") or []]
    lines += [_slot(capture, capture.get("kind")) for capture in answer.get("captures") or []]
    for level in answer.get("levels") or []:
        lines += [f"  {level.get('class')}", *(_slot(ivar, ivar.get("ownership")) for ivar in level.get("ivars") or [])]
    for thread in answer.get("threads") or []:
        lines += [f"Thread {thread.get('number')}:",
                  *(f"  {frame.get('name') or frame.get('symbol') or frame.get('address')}"
                    for frame in thread.get("frames") or [])]
    for history in answer.get("histories") or []:
        lines += [f"  {history.get('name')}: {history.get('before')}, {history.get('now')} now",
                  *(f"    {group.get('kind')} {group.get('change')}, {group.get('without_release')} open"
                    for group in history.get("groups") or [])]
    lines += [f"Not followed: {item.get('reason')} ({item.get('count')})" for item in answer.get("not_followed") or []]
    return "\n".join([*lines, f"Shown in short: {why}"])


def headline(answer: Answer, asked: str) -> str:
    """2 retain cycles: self (Photo 0x1f00)."""
    about = answer.get("seed") or answer.get("object") or (answer.get("block") or {}).get("address")
    of_class: ClassAsked = {} if about else answer.get("class") or {}
    if of_class.get("name"):
        name = f"class {of_class['name']}"
    else:
        about = about or of_class.get("address")
        name = thing_name(about, answer) if about else "the whole heap"
    subject = f"{asked} ({name})" if asked and (about or of_class) else name
    if answer.get("query") == "retain-cycles":
        so_far = ", incomplete" if answer.get("status") == "incomplete" else ""
        return f"{found_in_words(answer)}{so_far}: {subject}"
    verdict: Verdict = answer.get("verdict") or {}
    return f"{answer.get('query')}: {subject}" + (f", {verdict['kind']}" if verdict.get("kind") else "")


def found_in_words(answer: Answer) -> str:
    certain, possible = found(answer)
    return plural(certain, "retain cycle") + (f" and {possible} possible" if possible else "")


def _freed(answer: Answer, asked: str) -> str:
    """Of an object that was freed, on one line."""
    error: Error = answer.get("error") or {}
    places = [f"{group.get('class')}.{group.get('path')} of {group.get('from')}"
              for group in answer.get("dangling") or []]
    shown = f"{asked}: " if asked else ""
    return "; ".join([f"{shown}{error.get('message')}", *places])


def _reference(edge: Edge, answer: Answer) -> str:
    return f"  {thing_name(edge.get('from'), answer)} {edge_path(edge)} -> {thing_name(edge.get('to'), answer)}"


def _slot(slot: Union[Capture, Ivar], ownership: Optional[str]) -> str:
    return f"    +{slot.get('offset')} {slot.get('name') or '?'}, {ownership}, {slot.get('value')}"


def knot(one: Knot, answer: Answer) -> List[str]:
    """The heading first: retain cycle of 2 objects, leaked."""
    reason = one.get("verdict_reason")
    lines = [f"Retain cycle of {one.get('objects')} objects, {one.get('verdict')}"
             + (f" ({reason})" if reason else "")]
    for ring in one.get("rings") or []:
        lines += [_reference(edge, answer) for edge in ring.get("edges") or []]
    return lines + [f"    * {fix(each, answer)}" for each in one.get("fixes") or []]


def fix(one: Fix, answer: Envelope) -> str:
    """Its sentence; where nobody was there to say it, the change and the reference: set to nil:
    PhotoScreen._completion."""
    if one.get("text"):
        return str(one["text"])
    subjects: List[FixSubject] = one.get("subjects") or [{}]
    edge: Edge = subjects[0].get("edge") or one.get("edge") or {}
    owner = class_name(thing_at(edge.get("from"), answer)) or "object"
    return f"{str(one.get('do') or 'weaken').replace('-', ' ')}: {owner}.{edge_path(edge)}"
