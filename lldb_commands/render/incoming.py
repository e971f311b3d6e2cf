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
    lines = [*_first_lines(answer, style, asked)]
    lines += _listed(holders, "holders_found", "more reference", "more references", answer, style,
                     verbose)
    lines += _listed(answer.get("memory") or [], "memory_found", "more pointer in non-object memory",
                     "more pointers in non-object memory", answer, style, verbose)
    lines += ["", *_direct(answer, verbose), *nonowning.known_incoming(answer, style, verbose),
              *nonowning.incoming(answer, style, verbose),
              *_other_words(answer, verbose), *_arithmetic(answer), *_kept(answer)]
    walked = [*(answer.get("not_walked") or []), *_not_met(answer)]
    if walked:
        lines.append(f"Not searched: {listed([str(what) for what in walked])}")
    return "\n".join([*lines, *not_followed(answer), *without_names(answer), cost(answer, style)])


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


def _first_lines(answer: Json, style: Style, asked: str) -> List[str]:
    """The verdict, then who holds it."""
    subject = thing_name(answer.get("object"), answer)
    subject = f"{asked} ({subject})" if asked else subject
    found = int(answer.get("holders_found") or 0)
    freed: Json = answer.get("freed") or thing_at(answer.get("object"), answer).get("freed") or {}
    if freed.get("certain"):
        left = plural(found, "reference") if found else "no reference"
        return [style.name(f"{subject} was freed, and {left} to it remain{'' if found > 1 else 's'}")]
    return [style.name(f"{subject}{_verdict(answer)}"), _held(answer, found)]


def _verdict(answer: Json) -> str:
    """is leaked, a release is missing: 1 of its 3 retains has no owner."""
    verdict: Json = answer.get("verdict") or {}
    kind, reason = str(verdict.get("kind") or ""), str(verdict.get("reason") or "")
    if not kind:
        return " is held" if answer.get("holders_found") else ": no verdict"
    joint = ", " if " missing: " in reason else " " if reason.startswith("until ") else ": "
    return f"{', unknown' if kind == 'unknown' else f' is {kind}'}{joint if reason else ''}{reason}"


def _held(answer: Json, found: int) -> str:
    """Held by 2 references; No object holds it; 1 pointer in non-object memory may."""
    so_far = " found so far" if not found and answer.get("status") == "incomplete" else ""
    words = int(answer.get("memory_found") or 0)
    text = f"Held by {plural(found, 'reference')}" if found else f"No object{so_far} holds it"
    if words:
        text += f"; {plural(words, 'pointer')} in non-object memory may {'too' if found else ''}".rstrip()
    return text


def _holder(holder: Json, answer: Json, style: Style) -> List[str]:
    edge: Json = holder.get("edge") or {}
    owner = thing_in_full(edge.get("from"), answer, style)
    lines = [f"  {edge_path(edge)}  {edge_kind(edge)}  of {owner}"]
    if edge.get("from") == edge.get("to"):
        return lines + ["    the object itself"]
    root: Json = holder.get("root") or {}
    if not root:
        return lines + [f"    {_without_root(holder, answer)}"]
    return lines + [f"    {text}" for text in _way(holder, root, answer, style)]


def _without_root(holder: Json, answer: Json) -> str:
    """What keeps a holder alive that nothing outside leads to, as far as it is known."""
    ring = holder.get("ring")
    text = "reached by no root that was searched"
    if "lost" in holder:
        text = "itself unreachable" if holder["lost"] else "owned by nothing that is alive"
    if ring:
        text = f"kept alive only by {thing_name(answer.get('object'), answer)} itself: a " \
               f"{'possible ' if ring == 'possible' else ''}retain cycle"
    rest = int(holder.get("unexplained") or 0)
    if not rest or holder.get("lost"):
        return text
    retains = thing_at((holder.get("edge") or {}).get("from"), answer).get("retain_count")
    return f"{text}; {rest} of its {plural(int(retains or rest), 'retain')} " \
           f"{'is' if rest == 1 else 'are'} unaccounted for, so something else may hold it"


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
    stale = ", possibly stale" if root.get("may_be_stale") else ""
    if name:
        return f"{name} ({where}{stale})"
    return f"{where} ({root['slot']}){stale}" if root.get("slot") else where


def _direct(answer: Json, verbose: bool) -> List[str]:
    roots: List[Json] = answer.get("roots") or []
    if not roots:
        return []
    total = sum(int(count) for count in ((answer.get("counts") or {}).get("words") or {}).values())
    shown = roots if verbose else roots[:_HOLDERS]
    lines = ["Also pointed to by globals, stacks, registers (may not own it):"]
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
    lines = [f"Pointers in freed memory, which own nothing: {freed}"] if freed else []
    if found <= 0:
        return lines
    shown = examples if verbose else examples[:_WORDS]
    more = f" and {found - len(shown)} more" if found > len(shown) else ""
    return [f"Pointers in non-object memory: {', '.join(map(str, shown))}{more}", *lines]


def _kept(answer: Json) -> List[str]:
    """What goes with it."""
    keeps: Json = answer.get("keeps") or {}
    others = int(keeps.get("objects") or 0) - 1
    if others < 1:
        return []
    return [f"It alone keeps {plural(others, 'other allocation')} alive; "
            f"{amount(int(keeps.get('bytes') or 0))} with its own"]


def _not_met(answer: Json) -> List[str]:
    """Of a walk, where nobody named what it was to begin at."""
    gaps = [gap.get("what") for gap in answer.get("not_scanned") or []]
    if answer.get("extent") != "walk" or "beyond-given" in gaps:
        return []
    return [f"objects that no root reaches ({answer.get('extent_reason')})"]


def _arithmetic(answer: Json) -> List[str]:
    """Retain count 3: 2 references, 1 retain unaccounted for."""
    counts: Json = answer.get("counts") or {}
    found, retains = int(counts.get("found") or 0), counts.get("retains")
    references = plural(found, "reference") if found else ""
    if counts.get("autoreleased"):
        pools = plural(int(counts["autoreleased"]), "autorelease pool entry", "autorelease pool entries")
        references += f"{' and ' if references else ''}{pools}"
    if counts.get("assumed"):
        references += f" ({counts['assumed']} of them assumed)"
    if counts.get("shared"):
        references += f" ({counts['shared']} of them by a pointer shared with another)"
    if retains is None:
        why = "never freed" if counts.get("immortal") else "unknown"
        return [f"Retain count {why}" + (f": {references}" if references else "")]
    rest = int(counts.get("unexplained") or 0)
    if counts.get("excess"):
        return [f"Retain count {retains}: {references}, {counts['excess']} more than retains"]
    if not rest:
        return [f"Retain count {retains}" + (f": all from the {references} above" if references else "")]
    words = sum(int(count) for kind, count in (counts.get("words") or {}).items()
                if kind != "autorelease-pool")
    where = f" (may be {'some' if words > rest and rest > 1 else 'one' if rest == 1 else 'those'} of the " \
            "pointers above)" if words else ""
    known = f"{references}, " if references else ""
    return [f"Retain count {retains}: {known}{plural(rest, 'retain')} unaccounted for{where}"]
