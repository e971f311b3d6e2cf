"""The report of strong-refs --incoming: who holds an object, and why that is alive itself."""
from __future__ import annotations

from typing import List

from . import nonowning
from .cycles import cost, not_followed, without_names
from .style import Style
from .words import (Json, amount, edge_kind, edge_path, listed, plural, thing_at, thing_in_full,
                    thing_name)

_HOLDERS = 10
_STEPS = 12
_WORDS = 3


def incoming_refs(answer: Json, style: Style, asked: str = "", verbose: bool = False) -> str:
    holders: List[Json] = answer.get("holders") or []
    lines = [_first_line(answer, style, asked)]
    lines += _listed(holders, "holders_found", "more reference", "more references", answer, style,
                     verbose)
    lines += _listed(answer.get("memory") or [], "memory_found", "more word of memory",
                     "more words of memory", answer, style, verbose)
    lines += ["", *nonowning.known_incoming(answer, style, verbose),
              *nonowning.incoming(answer, style, verbose), *_direct(answer, verbose),
              *_other_words(answer, verbose), *_arithmetic(answer), *_verdict(answer, style),
              *_kept(answer)]
    walked = [*(answer.get("not_walked") or []), *_not_met(answer)]
    if walked:
        lines.append(f"Not looked at: {listed([str(what) for what in walked])}")
    return "\n".join(lines + not_followed(answer) + without_names(answer))


def _listed(holders: List[Json], found: str, noun: str, nouns: str, answer: Json,
            style: Style, verbose: bool) -> List[str]:
    shown = holders if verbose else holders[:_HOLDERS]
    lines: List[str] = []
    for holder in shown:
        lines += [""] + _holder(holder, answer, style)
    left = int(answer.get(found) or 0) - len(shown)
    if left > 0:
        hint = " (-v shows more)" if len(shown) < len(holders) else ""
        lines += ["", f"and {plural(left, noun, nouns)}{hint}"]
    return lines


def _first_line(answer: Json, style: Style, asked: str) -> str:
    subject = thing_name(answer.get("object"), answer)
    subject = f"{asked} ({subject})" if asked else subject
    found = int(answer.get("holders_found") or 0)
    freed: Json = answer.get("freed") or thing_at(answer.get("object"), answer).get("freed") or {}
    if freed.get("certain"):
        leads = "reference still leads" if found == 1 else "references still lead"
        return style.name(f"{subject} was freed, and {found or 'no'} {leads} to it") + cost(answer)
    held = f"{_state(answer)} by {plural(found, 'reference')}" if found \
        else f"{_state(answer)} by no object"
    words = int(answer.get("memory_found") or 0)
    if words:
        held += f" and maybe by {plural(words, 'word')} of memory"
    if not found and answer.get("status") == "incomplete":
        held += " found so far"
    return style.name(f"{subject} {held}") + cost(answer)


def _state(answer: Json) -> str:
    kind = str((answer.get("verdict") or {}).get("kind") or "held")
    return {"held": "is held", "unknown": "may be leaked, held"}.get(kind, f"is {kind}, held")


def _holder(holder: Json, answer: Json, style: Style) -> List[str]:
    edge: Json = holder.get("edge") or {}
    owner = thing_in_full(edge.get("from"), answer, style)
    lines = [f"  {edge_path(edge)}  {edge_kind(edge)}  of {owner}"]
    if edge.get("from") == edge.get("to"):
        return lines + ["    which is the object itself"]
    root: Json = holder.get("root") or {}
    if not root:
        return lines + [f"    {_without_root(holder, answer)}"]
    return lines + [f"    {text}" for text in _way(holder, root, answer, style)]


def _without_root(holder: Json, answer: Json) -> str:
    """What keeps a holder alive that nothing outside leads to, as far as it is known."""
    ring = holder.get("ring")
    text = "which nothing that was walked keeps alive"
    if "lost" in holder:
        text = "which nothing alive leads to: it is lost itself" if holder["lost"] and not ring \
            else "which nothing keeps alive"
    if ring:
        text += f" but the object itself: a {'possible ' if ring == 'possible' else ''}retain cycle"
    rest = int(holder.get("unexplained") or 0)
    if not rest or holder.get("lost"):
        return text
    retains = thing_at((holder.get("edge") or {}).get("from"), answer).get("retain_count")
    return f"{text}; {rest} of its {plural(int(retains or rest), 'retain')} " \
           f"{'is' if rest == 1 else 'are'} unexplained, so something else may hold it"


def _way(holder: Json, root: Json, answer: Json, style: Style) -> List[str]:
    """from shared (static in AppDelegate.m), then a line for each step."""
    steps: List[Json] = holder.get("way") or []
    start = thing_in_full(root.get("to"), answer, style)
    lines = [f"from {root_name(root)} {style.arrow} {start}"]
    left_out = int(holder.get("way_length") or 0) - len(steps)
    if len(steps) > _STEPS:
        left_out += len(steps) - _STEPS
        steps = steps[-_STEPS:]
    if left_out > 0:
        lines.append(f"  ... {plural(left_out, 'step')}")
    for step in steps:
        lines.append(f"  {edge_path(step)} {style.arrow} "
                     f"{thing_in_full(step.get('to'), answer, style)}")
    return lines


def root_name(root: Json) -> str:
    """shared (static in AppDelegate.m); register rbx of thread 1."""
    name, where = root.get("name"), str(root.get("where") or root.get("kind"))
    stale = ", which may be stale" if root.get("may_be_stale") else ""
    if name:
        return f"{name} ({where}{stale})"
    return f"{where} ({root['slot']}){stale}" if root.get("slot") else where


def _direct(answer: Json, verbose: bool) -> List[str]:
    roots: List[Json] = answer.get("roots") or []
    if not roots:
        return []
    total = sum(int(count) for count in ((answer.get("counts") or {}).get("words") or {}).values())
    shown = roots if verbose else roots[:_HOLDERS]
    lines = ["Possible references from globals, stacks and registers:"]
    lines += [f"  {root_name(root)}" for root in shown]
    if total > len(shown):
        lines.append(f"  and {total - len(shown)} more")
    return lines


def _other_words(answer: Json, verbose: bool) -> List[str]:
    """What the search of all memory found beside references and roots."""
    search: Json = answer.get("search") or {}
    known = {(item.get("edge") or {}).get("slot") for item in answer.get("memory") or []}
    examples = [place for place in search.get("examples") or [] if place not in known]
    found = int(search.get("words") or 0) - int(answer.get("memory_found") or 0)
    freed = int(search.get("freed") or 0)
    lines = [f"Words in freed memory, which own nothing: {freed}"] if freed else []
    if found <= 0:
        return lines
    shown = examples if verbose else examples[:_WORDS]
    more = f" and {found - len(shown)} more" if found > len(shown) else ""
    return [f"Words in memory that is no object: {', '.join(map(str, shown))}{more}", *lines]


def _verdict(answer: Json, style: Style) -> List[str]:
    verdict: Json = answer.get("verdict") or {}
    if not verdict:
        return []
    return [f"{style.name('Verdict: ' + str(verdict.get('kind')))}: {verdict.get('reason')}"]


def _kept(answer: Json) -> List[str]:
    """What goes with it."""
    keeps: Json = answer.get("keeps") or {}
    others = int(keeps.get("objects") or 0) - 1
    if others < 1:
        return []
    return [f"It alone keeps {plural(others, 'more block')} of memory alive: "
            f"{amount(int(keeps.get('bytes') or 0))} with its own"]


def _not_met(answer: Json) -> List[str]:
    """Of a walk, where nobody named what it was to begin at."""
    gaps = [gap.get("what") for gap in answer.get("not_scanned") or []]
    if answer.get("extent") != "walk" or "beyond-given" in gaps:
        return []
    return [f"what no root leads to ({answer.get('extent_reason')})"]


def _arithmetic(answer: Json) -> List[str]:
    """Retain count 3: 1 reference found, 2 unexplained."""
    counts: Json = answer.get("counts") or {}
    found, retains = int(counts.get("found") or 0), counts.get("retains")
    references = f"{plural(found, 'reference')} from objects"
    if counts.get("autoreleased"):
        references += f" and {counts['autoreleased']} from autorelease pools"
    if counts.get("assumed"):
        references += f" ({counts['assumed']} of them assumed)"
    if counts.get("shared"):
        references += f" ({counts['shared']} of them by a pointer shared with another)"
    if retains is None:
        why = "never freed" if counts.get("immortal") else "unknown"
        return [f"Retain count {why}: {references}"]
    rest = int(counts.get("unexplained") or 0)
    if counts.get("excess"):
        end = f", {counts['excess']} more than it counts"
    elif not rest:
        end = ", which explain it"
    else:
        words = sum(int(count) for kind, count in (counts.get("words") or {}).items()
                    if kind != "autorelease-pool")
        end = f", {rest} unexplained"
        if words:
            end += f", which can be {'some of ' if words > rest else ''}the words above"
    return [f"Retain count {retains}: {references}{end}"]
