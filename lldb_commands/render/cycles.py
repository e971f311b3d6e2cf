"""The report of retain-cycles: an answer in, text out. Imports no lldb.

The first line is the verdict, the second the best fix. Then each knot, whose text answers/ writes. What
was folded, hidden or not followed is counted at the end, and what the search cost: "no retain cycle"
means that everything reachable was searched.
"""
from __future__ import annotations

import re
from typing import List, Sequence, Tuple

from .. import answers
from ..findings import ALLOW_MORE, POINTERS
from . import allocated, nonowning, short
from .alike import alike, others_in_words
from .style import PLAIN, Style
from .words import Json, duration, engine, listed, plural, thing_name

_KNOTS_SHOWN = 20  # those alike counted once
_LONGEST_RING, _BEGINNING, _END = 32, 12, 8  # references that are shown (answers/ring_text.c)


def retain_cycles(answer: Json, style: Style, asked: str = "", verbose: bool = False) -> str:
    """The whole report. asked is what was typed, for the first line; empty for a bare address."""
    answers.add_words(answer, answers.Look(style.unicode, style.color, verbose))
    knots = ordered_knots(answer)
    told = [] if verbose else [knot for knot in knots if knot.get("told")]
    shown = [knot for knot in knots if verbose or not (knot.get("told")
                                                       or is_framework_alone(knot, answer))]
    groups = [[knot] for knot in shown] if verbose else alike(shown)
    limit = len(groups) if verbose else _KNOTS_SHOWN
    parts = [_verdict_line(knots, answer, style, asked), *_best_fix(groups), *filter_notes(answer),
             *_doubt(groups[:limit], answer)]
    for number, group in enumerate(groups[:limit], start=1):
        parts.append("")
        parts += _knot(group[0], number, len(groups), answer, style, verbose)
        if how_many(group[0]) > 1:
            parts.append(f"  {how_many(group[0]) - 1:,} more like it")
        if len(group) > 1:
            parts.append(f"  {others_in_words(group, answer)} (-v shows "
                         f"{'it' if len(group) == 2 else 'them'})")
    footer = [*_next_question(knots, answer, asked),
              *_further(groups[limit:]),
              *_told_before(len(told)),
              *_footer(answer, len(knots) - len(shown) - len(told), style, verbose),
              cost(answer, style)]
    return "\n".join([*parts, "", *footer])


def ordered_knots(answer: Json) -> List[Json]:
    """Knots with the seed first, framework-only ones last, else in the engine's order."""
    knots: List[Json] = list(answer.get("knots") or [])
    return sorted(knots, key=lambda knot: (not knot.get("contains_seed"),
                                           is_framework_alone(knot, answer)))


def is_framework_alone(knot: Json, answer: Json) -> bool:
    """Whether only framework classes take part. A knot of the asked object never counts as such."""
    if knot.get("contains_seed"):
        return False
    objects: Json = answer.get("objects") or {}
    named = [objects.get(edge.get("from")) or {} for ring in knot.get("rings") or []
             for edge in ring.get("edges") or []]
    return bool(named) and all(thing.get("framework") for thing in named)


# ---- First lines ----


def filter_notes(answer: Json) -> List[str]:
    """What a file of filters had a part in, for the lines behind the verdict."""
    file: Json = answer.get("filters") or {}
    if file.get("refused"):
        return [f"Not used: {file.get('file')}: {file['refused']} (--filters FILE takes any)"]
    if not file.get("hidden"):
        return []
    return [f"{plural(int(file['hidden']), 'reference')} hidden by {file.get('file')} "
            "(--filters none hides nothing)"]


def headline(answer: Json, asked: str) -> str:
    """The first line without what the walk cost."""
    return _verdict_line(ordered_knots(answer), answer, PLAIN, asked)


def _verdict_line(knots: Sequence[Json], answer: Json, style: Style, asked: str) -> str:
    subject = _subject(answer, asked)
    whole_heap = answer.get("seed") is None
    if not knots:
        return _nothing_found(answer, f"{'in' if whole_heap else 'reachable from'} {subject}", style)
    through = sum(1 for knot in knots if knot.get("contains_seed"))
    count = found_in_words(answer)
    if whole_heap:
        verdict = f"{count} in {subject}"
    elif through == sum(found(answer)):
        verdict = f"{count} through {subject}"
    else:
        verdict = f"{count} reachable from {subject}, which is in " \
                  f"{through if through else 'none'} of them" if sum(found(answer)) > 1 else \
                  f"{count} reachable from {subject}, which is not in it"
    return style.bad(verdict)


def _nothing_found(answer: Json, where: str, style: Style) -> str:
    verdict = f"No {'new ' if 'baseline' in answer else ''}retain cycle"
    if answer.get("status") != "incomplete":
        return style.good(f"{verdict} {where}")
    return style.bad(f"{verdict} found {where.replace('reachable ', '')}, but the search is incomplete"
                     f"{_why_incomplete(answer)}")


def _why_incomplete(answer: Json) -> str:
    for item in answer.get("not_followed") or []:
        if item.get("code") in ALLOW_MORE:
            return f": {item['reason']} ({ALLOW_MORE[str(item['code'])]})"
    return ""


def _best_fix(groups: Sequence[Sequence[Json]]) -> List[str]:
    """Of the one cycle that is shown."""
    best = str(groups[0][0].get("best") or "") if len(groups) == 1 else ""
    return [best] if best else []


def _doubt(groups: Sequence[Sequence[Json]], answer: Json) -> List[str]:
    possible = any(not group[0].get("certain", True) for group in groups)
    return list(answer.get("doubt") or []) if possible else []


def _subject(answer: Json, asked: str) -> str:
    """What was asked about: an object, or with --all everything."""
    if answer.get("seed") is None:
        return "the whole heap"
    seed = thing_name(answer["seed"], answer)
    return f"{asked} ({seed})" if asked else seed


def how_many(knot: Json) -> int:
    """Knots that it stands for: of the whole heap those alike are one."""
    return int(knot.get("count") or 1)


def found(answer: Json) -> Tuple[int, int]:
    """How many retain cycles there are that the baseline does not know, and how many more that are
    only possible; those beyond what is described count too."""
    knots: List[Json] = answer.get("knots") or []
    baseline: Json = answer.get("baseline") or {}
    possible = sum(how_many(knot) for knot in knots if not knot.get("certain", True))
    if "possible_found" in answer:
        possible = int(answer["possible_found"]) - int(baseline.get("hidden_possible") or 0)
    total = int(answer.get("knots_found") or 0) - int(baseline.get("hidden_knots") or 0)
    return max(total, len(knots)) - possible, possible


def found_in_words(answer: Json) -> str:
    """1 leaked retain cycle; 2 retain cycles (1 leaked) and 4 possible; 4 possible retain cycles."""
    certain, possible = found(answer)
    new = "new " if "baseline" in answer else ""
    if possible and not certain:
        return plural(possible, f"{new}possible retain cycle")
    described = sum(map(how_many, answer.get("knots") or []))
    leaked, held = (sum(how_many(knot) for knot in answer.get("knots") or []
                        if knot.get("verdict") == verdict and knot.get("certain", True))
                    for verdict in ("leaked", "held"))
    if certain in (leaked, held):
        text = plural(certain, f"{new}{'leaked' if leaked else 'held'} retain cycle")
    else:
        beyond = "at least " if sum(found(answer)) > described else ""
        text = plural(certain, f"{new}retain cycle") + (f" ({beyond}{leaked} leaked)" if leaked else "")
    return text + (f" and {possible} possible" if possible else "")


def cost(answer: Json, style: Style) -> str:
    """searched 5 objects, 6 references in 3 ms, from LLDB."""
    stats: Json = answer.get("stats") or {}
    return style.faint(f"searched {plural(int(stats.get('objects') or 0), 'object')}, "
                       f"{plural(int(stats.get('edges') or 0), 'reference')}{duration(stats)}, "
                       f"{engine(answer)}")


# ---- A knot ----


def _knot(knot: Json, number: int, of: int, answer: Json, style: Style,
          verbose: bool) -> List[str]:
    heading, *below = knot.get("lines") or short.knot(knot, answer)
    lines = [f"{number}. {heading}" if of > 1 else heading, *below]
    rings: List[Json] = knot.get("rings") or []
    lines += allocated.allocations(_shown_things(rings, verbose), answer, style, verbose)
    if verbose or "baseline" in answer:
        lines.append(style.faint(f"  {_fingerprints(knot)}"))
    return lines


def _shown_things(rings: Sequence[Json], verbose: bool) -> List[str]:
    """The addresses of what the rings show."""
    things: List[str] = []
    for ring in rings:
        held = [str(edge.get("from")) for edge in ring.get("edges") or []]
        folds = len(held) > _LONGEST_RING and not verbose
        things += held[:_BEGINNING] + held[-_END:] if folds else held
    return things


def _fingerprints(knot: Json) -> str:
    """Of the knot, and of the rings, as a baseline records them: sorted, equal ones once."""
    rings = sorted({str(ring.get("fingerprint")) for ring in knot.get("rings") or []})
    return (f"fingerprint of the cycle {knot.get('fingerprint')}, of the "
            f"loop{'' if len(rings) == 1 else 's'} {listed(rings)}")


# ---- What to ask next, and what was left out ----


def _next_question(knots: Sequence[Json], answer: Json, asked: str) -> List[str]:
    """For an object in no ring: why is it alive then?"""
    if "baseline" in answer or answer.get("seed") is None or any(knot.get("contains_seed") for knot in knots):
        return []
    return [f"What holds it: strong-refs --incoming {asked or answer.get('seed')}"]


def _further(groups: Sequence[Sequence[Json]]) -> List[str]:
    left = sum(map(len, groups))
    return [f"Folded: {plural(left, 'more cycle')} (-v shows {'it' if left == 1 else 'them'})"] if left else []


def _told_before(told: int) -> List[str]:
    return [f"Already shown at this stop: {plural(told, 'cycle')} it reaches (-v repeats "
            f"{'it' if told == 1 else 'them'})"] if told else []


def _footer(answer: Json, folded: int, style: Style, verbose: bool) -> List[str]:
    lines = []
    if folded:
        lines.append(f"Folded: {plural(folded, 'cycle')} of framework classes alone (-v shows "
                     f"{'it' if folded == 1 else 'them'})")
    baseline: Json = answer.get("baseline") or {}
    unshown = (int(answer.get("knots_found") or 0) - sum(map(how_many, answer.get("knots") or []))
               - int(baseline.get("hidden_knots") or 0))
    if unshown > 0:
        lines.append(f"Not shown: {plural(unshown, 'more cycle')}")
    if baseline.get("hidden_rings"):
        lines.append(f"Hidden by the baseline: {plural(int(baseline['hidden_rings']), 'loop')}")
    if baseline.get("knots_not_compared"):
        lines.append("Not compared with the baseline: more loops of "
                     f"{plural(int(baseline['knots_not_compared']), 'cycle')}")
    if verbose and baseline.get("not_met"):
        lines.append("In the baseline, not found here: "
                     f"{plural(int(baseline['not_met']), 'loop')}")
    lines += nonowning.weak_rings(answer, style, verbose)
    lines += not_followed(answer)
    lines += _hidden(answer, verbose)
    lines += without_names(answer)
    if answer.get("words_missing"):
        lines.append(f"Cycles are shown in short, without known mistakes: {answer['words_missing']}")
    lines += allocated.remarks(answer)
    if verbose:
        stats: Json = answer.get("stats") or {}
        lines.append(style.faint(f"{stats.get('reads')} reads, {stats.get('bytes')} bytes, "
                                 f"abi {answer.get('abi')}"))
    return lines


def _hidden(answer: Json, verbose: bool) -> List[str]:
    """How much was hidden; with -v by which filter and why, and where the project's filters stand."""
    hidden: List[Json] = answer.get("hidden") or []
    lines = []
    if hidden:
        total = sum(int(item.get("edges") or 0) for item in hidden)
        lines.append(f"Hidden by filters: {plural(total, 'reference')}"
                     + (":" if verbose else " (-v says which)"))
    if verbose:
        lines += [f"  {item.get('edges')} by {item.get('filter')}: {item.get('reason')}"
                  for item in hidden]
        file: Json = answer.get("filters") or {}
        if file:
            lines.append(f"Filters: {file.get('count')} of {file.get('file')}")
    return lines


def _is_place(example: object) -> bool:
    return bool(example) and example != "0x0"


def not_followed(answer: Json) -> List[str]:
    """One line that counts what could not be followed, or none."""
    met: List[Json] = answer.get("not_followed") or []
    which = [f"{item.get('reason')} ({item.get('count')}"
             + (f", such as {item['example']}" if _is_place(item.get("example")) else "")
             + _member_of(str(item.get("code")), answer)
             + (f"; {ALLOW_MORE[item['code']]}" if item.get("code") in ALLOW_MORE else "") + ")"
             for item in met]
    return [f"Not followed: {', '.join(which)}"] if which else []


_POINTERS_SHOWN = 4
_PLUMBING = re.compile(r", std::(?:\w+::)*(?:allocator|default_delete|less|hash|equal_to)<")


def _member_of(code: str, answer: Json) -> str:
    """Which member of the example it is, and what is in the way: ": _peers of Owner, a vector<id>"
    or ": Owner's _all: Set<id>: what its pointers lead to is not known". Of pointers, the names."""
    pointers = [_pointer_in_words(member) for member in answer.get("unread") or []
                if member.get("code") == code and code in POINTERS]
    if pointers:
        left = len(pointers) - _POINTERS_SHOWN
        more = [plural(left, "more name")] if left > 0 else []
        return f": {listed(pointers[:_POINTERS_SHOWN] + more)}"
    for member in answer.get("unread") or []:
        why = str(member.get("why") or "")
        if member.get("code") != code or member.get("guessed"):
            continue
        if why.startswith(str(member.get("name") or " ")):
            return f": {member['class']}'s {why}" if member.get("class") else f": {why}"
        kind = _kind_of(member)
        if kind or why:
            return ": " + "; ".join(text for text in (kind, why) if text)
    return ""


def _pointer_in_words(member: Json) -> str:
    """_items of Shelf; box captured by a block."""
    name = member.get("name") or f"+{member.get('offset')}"
    return f"{name} of {member['class']}" if member.get("class") else f"{name} captured by a block"


def _kind_of(member: Json) -> str:
    kind = str(member.get("type") or "")
    if not kind:
        return ""
    if kind.startswith("_Z"):
        return "a captured C++ object"
    plumbing = _PLUMBING.search(kind)
    kind = kind[:plumbing.start()] + ">" if plumbing else kind
    place = f"{member['name']} of {member['class']}, " if member.get("name") else ""
    return f"{place}a {kind}"


def without_names(answer: Json) -> List[str]:
    """What debug info could not name."""
    return [f"Without names: {item.get('what')}" for item in answer.get("unnamed") or []]
