"""What the questions about cycles of a session found, for `loupe summary`. Imports no lldb.

`lldb -b` ends at the first command that fails, and loses the status of a command in a breakpoint
action: a script asks without failing, wherever the program stops, and lets the summary fail.
"""
from __future__ import annotations

from typing import Dict, List

from ..found import Found, found, how_many
from ..protocol import Answer, Ring, Session, SummaryAnswer
from ..render.words import plural
from ..text.printable import printable_answer
from . import baseline, gates

# By debugger. Plain values, which a second import of the commands takes over from the first.
sessions: Dict[int, Session] = {}
_MOST_LISTED = 100
_SHOWN = 20


def of(debugger: int) -> Session:
    """What is known of a session. Counts are of all questions; lists end somewhere."""
    return sessions.setdefault(debugger, {
        "questions": 0, "with_cycles": 0, "incomplete": 0, "failed": 0, "retain_cycles": 0,
        "cycles": {}, "problems": []})


def note_answer(debugger: int, asked: str, answer: Answer, accepted: bool) -> None:
    """accepted: its cycles were recorded in a baseline, so that they are none to fail for."""
    session = of(debugger)
    session["questions"] += 1
    if answer.get("status") == "incomplete":
        session["incomplete"] += 1
        _note(session, asked, "incomplete", gates.why_incomplete(answer))
    if accepted or not any(found(answer)):
        return
    session["with_cycles"] += 1
    for knot in answer.get("knots") or []:
        fingerprint = str(knot.get("fingerprint"))
        if fingerprint in session["cycles"]:
            session["cycles"][fingerprint]["count"] += 1
            continue
        session["retain_cycles"] += 1
        rings: List[Ring] = knot.get("rings") or [{}]
        session["cycles"][fingerprint] = {
            "fingerprint": fingerprint, "verdict": knot.get("verdict"), "count": 1,
            "certain": bool(knot.get("certain", True)), "asked": asked,
            "path": baseline.path_of(rings[0], answer)}
    beyond = sum(found(answer)) - sum(map(how_many, answer.get("knots") or []))
    session["retain_cycles"] += max(0, beyond)


def note_failure(debugger: int, asked: str, reason: str) -> None:
    session = of(debugger)
    session["questions"] += 1
    session["failed"] += 1
    _note(session, asked, "error", reason)


def _note(session: Session, asked: str, status: str, reason: str) -> None:
    if len(session["problems"]) < _MOST_LISTED:
        session["problems"].append({"asked": asked, "status": status, "reason": reason})


def failure(session: Session, allow_incomplete: bool) -> str:
    """Why a gate at the end of the session fails; empty if it passes."""
    asked = plural(session["questions"], "question")
    gap = _gap(session, allow_incomplete)
    if session["retain_cycles"]:
        words = f"found {plural(session['retain_cycles'], 'retain cycle')} by " \
                f"{session['with_cycles']} of {asked}"
        return f"{words}, and {gap}" if gap else Found(words)
    if not session["questions"]:
        return "no question about cycles was asked in this session: was the breakpoint ever hit?"
    return gap


def _gap(session: Session, allow_incomplete: bool) -> str:
    """Why what was found need not be all."""
    asked = plural(session["questions"], "question")
    if session["failed"]:
        return f"{session['failed']} of {asked} had no answer"
    if session["incomplete"] and not allow_incomplete:
        return f"the search was incomplete for {session['incomplete']} of {asked}: raise --timeout " \
               "or --limit, or pass --allow-incomplete"
    return ""


def answer_of(session: Session) -> SummaryAnswer:
    """The session as docs/protocol.md has it."""
    return {"loupe": 1, "query": "summary", "engine": None, "status": "ok", "abi": None, "pointer_size": None,
            "questions": session["questions"], "with_cycles": session["with_cycles"],
            "incomplete": session["incomplete"], "failed": session["failed"],
            "retain_cycles": session["retain_cycles"], "cycles": list(session["cycles"].values()),
            "problems": session["problems"]}


def in_words(session: Session, unicode: bool) -> str:
    shown: SummaryAnswer = printable_answer(answer_of(session), unicode)
    counts = [f"{session['with_cycles'] or 'none'} with retain cycles"]
    counts += [f"{count} {words}" for count, words in
               ((session["incomplete"], "incomplete"), (session["failed"], "without an answer")) if count]
    lines = [f"{plural(session['questions'], 'question')} about cycles: {', '.join(counts)}"]
    for item in shown["cycles"][:_SHOWN]:
        times = "" if item["count"] == 1 else f", {item['count']} times"
        possible = "" if item["certain"] else "possible, "
        lines.append(f"  {item['path']}: {possible}{item['verdict']}{times}, first asked about "
                     f"{item['asked']}")
    left = session["retain_cycles"] - len(shown["cycles"][:_SHOWN])
    lines += [f"  and {plural(left, 'more retain cycle')}"] if left > 0 else []
    lines += [f"  {item['asked']}: {item['reason']}" for item in shown["problems"][:_SHOWN]]
    more = session["incomplete"] + session["failed"] - len(shown["problems"][:_SHOWN])
    return "\n".join(lines + ([f"  and {more} more"] if more > 0 else []))
