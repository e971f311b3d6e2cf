"""The report of retain-cycles: an answer in, text out. Imports no lldb.

The first line is the verdict with its counts. Then each knot: one ring read top to bottom, from
holder to held, closing where it began; then what to change. What was folded, hidden or not followed
is counted at the end: "no retain cycle" means that everything reachable was walked.
"""
from __future__ import annotations

import re
from typing import List, Sequence, Tuple

from ..findings import ALLOW_MORE, POINTERS
from . import allocated, fixes, nonowning
from .alike import alike, others_in_words
from .style import PLAIN, Style
from .words import (Json, class_name, columns, duration, edge_kind, edge_path, engine,
                    is_block, listed, plural, thing_at, thing_in_full, thing_name)

_FIXES_SHOWN = 3
_KNOTS_SHOWN = 20  # those alike counted once
_LONGEST_RING = 32  # references; of a longer one the beginning and the end are shown
_MOST_RINGS = 4096  # of a knot, whatever is asked for (core/cycles/more_rings.h)
_BEGINNING, _END = 12, 8


def retain_cycles(answer: Json, style: Style, asked: str = "", verbose: bool = False) -> str:
    """The whole report. asked is what was typed, for the first line; empty for a bare address."""
    knots = ordered_knots(answer)
    told = [] if verbose else [knot for knot in knots if knot.get("told")]
    shown = [knot for knot in knots if verbose or not (knot.get("told")
                                                       or is_framework_alone(knot, answer))]
    parts = [_verdict_line(knots, answer, style, asked), *filter_notes(answer)]
    groups = [[knot] for knot in shown] if verbose else alike(shown)
    limit = len(groups) if verbose else _KNOTS_SHOWN
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
              *_footer(answer, len(knots) - len(shown) - len(told), style, verbose)]
    return "\n".join(parts + ([""] + footer if footer else []))


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
    return _verdict_line(ordered_knots(answer), answer, PLAIN, asked)[:-len(cost(answer))]


def _verdict_line(knots: Sequence[Json], answer: Json, style: Style, asked: str) -> str:
    subject = _subject(answer, asked)
    incomplete = answer.get("status") == "incomplete"
    new = "new " if "baseline" in answer else ""
    if not knots:
        place = "in" if answer.get("seed") is None else "from"
        verdict = f"no {new}retain cycle {'found so far ' if incomplete else ''}{place} {subject}"
        return (style.bad(verdict) if incomplete else style.good(verdict)) + cost(answer)
    through = sum(1 for knot in knots if knot.get("contains_seed"))
    count = found_in_words(answer)
    if answer.get("seed") is None:
        verdict = f"{count} in {subject}"
    elif through == sum(found(answer)):
        verdict = f"{count} through {subject}"
    else:
        verdict = f"{count} from {subject}, {through or 'none'} through it"
    return style.bad(verdict + _leaked(knots, sum(found(answer)))) + cost(answer)


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
    """2 retain cycles; 2 retain cycles, 4 possible; 4 possible retain cycles."""
    certain, possible = found(answer)
    new = "new " if "baseline" in answer else ""
    if possible and not certain:
        return plural(possible, f"{new}possible retain cycle")
    return plural(certain, f"{new}retain cycle") + (f", {possible} possible" if possible else "")


def _leaked(knots: Sequence[Json], total: int) -> str:
    leaked = sum(how_many(knot) for knot in knots if knot.get("verdict") == "leaked")
    if not leaked:
        return ""
    beyond = "at least " if total > sum(map(how_many, knots)) else ""
    return ", leaked" if leaked == total else f", {beyond}{leaked} leaked"


def cost(answer: Json) -> str:
    stats: Json = answer.get("stats") or {}
    how = "looked at" if answer.get("extent") == "heap" else "walked"
    walked = (f"{plural(int(stats.get('objects') or 0), 'object')} and "
              f"{plural(int(stats.get('edges') or 0), 'reference')} {how} "
              f"{engine(answer)}{duration(stats)}")
    if answer.get("status") == "incomplete":
        walked += ", incomplete"
    return f": {walked}"


# ---- A knot ----


def _knot(knot: Json, number: int, of: int, answer: Json, style: Style,
          verbose: bool) -> List[str]:
    lines = [_knot_heading(knot, number, of, style)]
    rings: List[Json] = knot.get("rings") or []
    for position, ring in enumerate(rings):
        if position:
            lines += ["", "  another ring of the same knot:"]
        lines += _ring(ring, knot, answer, style, verbose)
    lines += _more_rings(knot)
    lines += _holders(knot, answer, style)
    lines += _possible(knot, answer)
    lines += _fixes(knot, answer, style, verbose)
    lines += _pattern(knot, verbose)
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
    return (f"fingerprint of the knot {knot.get('fingerprint')}, of the "
            f"ring{'' if len(rings) == 1 else 's'} {listed(rings)}")


def _knot_heading(knot: Json, number: int, of: int, style: Style) -> str:
    label = f"{number}. " if of > 1 else ""
    size, edges = int(knot.get("objects") or 0), int(knot.get("edges") or 0)
    rings: List[Json] = knot.get("rings") or []
    shortest = int(rings[0].get("length") or 0) if rings else 0
    shows_shortest = len(rings) == 1 and shortest and not knot.get("hidden_rings")
    if size == 1:
        what = "an object that keeps itself alive"
    elif edges == size or (size == shortest and _further_references(knot) <= 0):
        what = f"a ring of {size} objects"
    else:
        what = f"a knot of {size} objects and {edges} references"
        what += f", its shortest ring of {shortest}" if shows_shortest else ""
    if not knot.get("certain", True):
        what = f"possibly {what}"
    return f"{label}{style.name(what[0].upper() + what[1:])}, {_verdict(knot)}"


def _verdict(knot: Json) -> str:
    verdict = knot.get("verdict")
    if verdict == "leaked":
        return "leaked: nothing outside keeps it alive"
    if verdict == "held":
        outside = sum(_outside(knot))
        count = plural(outside, "reference") if outside else "something"
        return f"held: {count} from outside keep{'' if outside > 1 else 's'} it alive too"
    reason = knot.get("verdict_reason") or "cannot be told"
    return f"leaked or still in use: {reason}"


def _outside(knot: Json) -> Tuple[int, int]:
    """References from outside: from objects that were walked, and from elsewhere."""
    counts: Json = knot.get("counts") or {}
    return int(counts.get("outside") or 0), int(counts.get("unexplained") or 0)


def _holders(knot: Json, answer: Json, style: Style) -> List[str]:
    """Who else keeps it alive: the known holders by name, the others by number."""
    if knot.get("verdict") != "held":
        return []
    walked, unseen = _outside(knot)
    holders: List[Json] = knot.get("held_by") or []
    lines = [f"  Held by {edge_path(edge)} of {thing_in_full(edge.get('from'), answer, style)}"
             for edge in holders]
    if walked > len(holders):
        lines.append(f"  Held by {plural(walked - len(holders), 'further reference')}")
    if unseen:
        lines.append(f"  Held by {plural(unseen, 'reference')} from where Loupe did not walk "
                     "(a variable, a run loop, ...):")
        lines.append("    strong-refs --incoming looks there")
    return lines


def _ring(ring: Json, knot: Json, answer: Json, style: Style, verbose: bool) -> List[str]:
    edges: List[Json] = ring.get("edges") or []
    if not edges:
        return []
    start = thing_in_full(edges[0].get("from"), answer, style)
    lines = [f"  {style.ring_top}{start}"]
    left_out = int(ring.get("edges_left_out") or 0)
    shown, folded, gap = edges, [], len(edges) // 2 if left_out else 0
    if len(edges) > _LONGEST_RING and not verbose:
        shown, folded = edges[:_BEGINNING] + edges[-_END:], edges[_BEGINNING:-_END]
        gap = _BEGINNING
    names = columns([(_paths(edge, knot), edge_kind(edge), style.arrow) for edge in shown])
    for number, (edge, name) in enumerate(zip(shown, names)):
        if gap and number == gap:
            lines.append(f"  {style.ring_gap}{_folded(folded, left_out, answer)}")
        margin = style.ring_bottom if edge is edges[-1] else style.ring_side
        held = edge.get("to")
        target = (thing_in_full(held, answer, style) if edge is not edges[-1]
                  else style.name(thing_name(held, answer)))
        slot = f"  slot {edge['slot']}" if verbose and edge.get("slot") else ""
        lines.append(f"  {margin}{name} {target}{style.faint(slot)}")
    if ring.get("shortest") is False:
        lines.append("      (a shorter ring may exist: the search was ended by its budget)")
    return lines


def _folded(edges: Sequence[Json], left_out: int, answer: Json) -> str:
    """What is not shown: references of the answer, and those that it leaves out itself."""
    count = plural(len(edges) + left_out, "reference")
    if not edges:
        return f"{count} more"
    classes = sorted({class_name(thing_at(edge.get("from"), answer)) or "?" for edge in edges})
    several = classes if len(classes) <= 3 else [*classes[:2], f"{len(classes) - 2} other classes"]
    some = "some of them" if left_out else "them"
    return f"{count} more, of {listed(several)}{' and others' * bool(left_out)} (-v shows {some})"


def _paths(edge: Json, knot: Json) -> str:
    """The name of the reference, and of those beside it from and to the same objects."""
    beside = [other for fix in knot.get("fixes") or [] if fix.get("edge") == edge
              for other in fix.get("with") or []]
    return ", ".join([edge_path(edge)] + [edge_path(other) for other in beside])


def _further_references(knot: Json) -> int:
    """References of the knot that are not on its first ring, nor beside one that is."""
    rings: List[Json] = knot.get("rings") or []
    beside = sum(len(fix.get("with") or []) for fix in knot.get("fixes") or [])
    return int(knot.get("edges") or 0) - (int(rings[0].get("length") or 0) if rings else 0) - beside


def _more_rings(knot: Json) -> List[str]:
    if knot.get("all_rings", True) or _further_references(knot) <= 0:
        return []
    shown = len(knot.get("rings") or [])
    if shown >= _MOST_RINGS:
        return [f"  There are more rings in it; {_MOST_RINGS:,} of a knot are the most that are "
                "looked for"]
    more = min(_MOST_RINGS, 10 * max(1, shown))
    return [f"  There are more rings in it (-n {more} shows up to {more})"]


def _possible(knot: Json, answer: Json) -> List[str]:
    if knot.get("certain", True):
        return []
    assumed = [edge for ring in knot.get("rings") or [] for edge in ring.get("edges") or []
               if edge.get("ownership") == "assumed"]
    holders = [thing_at(edge.get("from"), answer) for edge in assumed]
    owners = sorted({"blocks" if is_block(holder) else class_name(holder) for holder in holders})
    where = f" of {listed(owners)}" if owners else ""
    return [f"  Possible, not certain: the runtime does not record whether the references{where} "
            "marked", "  assumed own what they point to (manual retain/release).",
            *_counts(knot, answer)]


def _counts(knot: Json, answer: Json) -> List[str]:
    """What the retain counts say for or against a knot that is only possible."""
    counts: Json = knot.get("counts") or {}
    excess = int(counts.get("excess") or 0)
    if excess:
        example = knot.get("verdict_example")
        where = f" (such as {thing_name(example, answer)})" if example else ""
        return [f"  Against it: retain counts are too small by {excess}{where}, so that many of "
                "the references", "  found own nothing."]
    if not counts or counts.get("not_counted") or sum(_outside(knot)):
        return []
    return ["  For it: all of these owning would explain the retain counts exactly."]


def _fixes(knot: Json, answer: Json, style: Style, verbose: bool) -> List[str]:
    proposals = fixes.proposals(knot, answer)
    if not proposals:
        return []
    rings: List[Json] = knot.get("rings") or []
    whole = any(proposal.breaks_knot or proposal.frees for proposal in proposals)
    shown = [proposal for proposal in proposals if proposal.together]
    several = bool(shown)
    if several:
        heading = (f"These together break {'it' if knot.get('all_rings') else 'the rings shown'}:")
    else:
        shown = _worth_showing(proposals)[:_FIXES_SHOWN]
        heading = _heading(shown, knot, answer)
    others = [proposal for proposal in proposals if proposal not in shown]
    in_ring = "" if not whole else " (for this ring)" if len(rings) == 1 else " (for one ring)"
    listed_ones = (_listed(shown, in_ring, answer, style) if not several
                   else [f"    {style.bullet} {proposal.text}" for proposal in shown])
    lines = [f"  {heading}", *listed_ones]
    if others and not verbose:
        lines.append(f"      and {len(others)} more with -v")
    elif others:
        lines += [*(["  Others:"] if several else []),
                  *_listed(others, in_ring, answer, style)]
    return lines


def _pattern(knot: Json, verbose: bool) -> List[str]:
    """What everybody calls it, and with -v why it is a mistake."""
    pattern: Json = knot.get("pattern") or {}
    if not pattern.get("name"):
        return []
    return [f"  Known mistake: {pattern['name']}", *([f"    {pattern['why']}"] if verbose else [])]


def _worth_showing(proposals: Sequence[fixes.Proposal]) -> List[fixes.Proposal]:
    """Without what is on the wrong side of the ring, where there is something better; the first is
    what the engine says to do."""
    best = [*proposals[:1], *(each for each in proposals[1:] if not each.second_best)]
    return best if any(proposal.is_enough for proposal in best) else list(proposals)


def _heading(shown: Sequence[fixes.Proposal], knot: Json, answer: Json) -> str:
    enough = [proposal for proposal in shown if proposal.is_enough]
    order = ", best first:" if len(shown) > 1 else ":"
    if any(proposal.breaks_knot for proposal in enough):
        return "To break it" + order
    if enough and knot.get("contains_seed"):
        return f"To let {thing_name(answer.get('seed'), answer)} go{order}"
    if enough:
        return "To let go what is held from outside" + order
    if any(proposal.breaks_knot for proposal in shown):
        return "No single change is enough. What breaks it:"
    return "No single change breaks all of it. What breaks the shown ring:"


def _listed(proposals: Sequence[fixes.Proposal], in_ring: str, answer: Json,
            style: Style) -> List[str]:
    return [f"    {style.bullet} {proposal.text}{_extent(proposal, in_ring, answer)}"
            for proposal in proposals]


def _extent(proposal: fixes.Proposal, in_ring: str, answer: Json) -> str:
    """What the change does, where that is not to break all of the knot by this reference alone."""
    if proposal.kept_by:
        kept = thing_name(proposal.kept_by, answer)
        return f" (not enough while something else keeps {kept})"
    if proposal.breaks_knot and proposal.frees is None:
        return " (not checked: something outside keeps other objects of it)"
    if proposal.breaks == "everywhere":
        owner = class_name(thing_at(proposal.edges[0].get("from"), answer))
        return f": in every {owner} at once, that breaks the whole knot"
    return "" if proposal.breaks_knot or proposal.frees else in_ring


# ---- What to ask next, and what was left out ----


def _next_question(knots: Sequence[Json], answer: Json, asked: str) -> List[str]:
    """For an object in no ring: why is it alive then?"""
    if "baseline" in answer or answer.get("seed") is None or any(knot.get("contains_seed") for knot in knots):
        return []
    return [f"What holds it: strong-refs --incoming {asked or answer.get('seed')}"]


def _further(groups: Sequence[Sequence[Json]]) -> List[str]:
    left = sum(map(len, groups))
    return [f"Folded: {plural(left, 'further cycle')} (-v shows them)"] if left else []


def _told_before(told: int) -> List[str]:
    return [f"Told before at this stop: {plural(told, 'cycle')} that it leads to (-v shows "
            f"{'it' if told == 1 else 'them'} again)"] if told else []


def _footer(answer: Json, folded: int, style: Style, verbose: bool) -> List[str]:
    lines = []
    if folded:
        lines.append(f"Folded: {plural(folded, 'cycle')} of framework classes alone (-v shows "
                     f"{'it' if folded == 1 else 'them'})")
    baseline: Json = answer.get("baseline") or {}
    unshown = (int(answer.get("knots_found") or 0) - sum(map(how_many, answer.get("knots") or []))
               - int(baseline.get("hidden_knots") or 0))
    if unshown > 0:
        lines.append(f"Not shown: {plural(unshown, 'further cycle')}")
    if baseline.get("hidden_rings"):
        lines.append(f"Hidden by the baseline: {plural(int(baseline['hidden_rings']), 'ring')}")
    if baseline.get("knots_not_compared"):
        lines.append("Not compared with the baseline: further rings of "
                     f"{plural(int(baseline['knots_not_compared']), 'knot')}")
    if verbose and baseline.get("not_met"):
        lines.append("Not met here, or gone: "
                     f"{plural(int(baseline['not_met']), 'ring')} of the baseline")
    lines += nonowning.weak_rings(answer, style, verbose)
    lines += not_followed(answer)
    lines += _hidden(answer, verbose)
    lines += without_names(answer)
    if answer.get("words_missing"):
        lines.append(f"Fixes are named in short, and no known mistakes: {answer['words_missing']}")
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
    return [f"Not followed: {listed(which)}"] if which else []


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
