"""References that own nothing, with --explain: why they keep nothing alive. Imports no lldb."""
from __future__ import annotations

from typing import Dict, List, Tuple

from .style import Style
from .words import (Json, class_name, edge_kind, edge_path, plural, thing_at, thing_in_full,
                    thing_name)

_SHOWN = 10


def known_outgoing(answer: Json, style: Style) -> List[str]:
    """What the built-in rules say that one object does not own, a line each."""
    known: List[Json] = answer.get("not_owned") or []
    return ["Non-owning, known:"] * bool(known) + [
        f"  {_reference(item)} {style.arrow} "
        f"{thing_in_full(item['edge'].get('to'), answer, style)}: {item.get('reason')}"
        for item in known]


def known_incoming(answer: Json, style: Style, verbose: bool) -> List[str]:
    """The same of references to one object."""
    known: List[Json] = answer.get("not_owned") or []
    if not known:
        return []
    return ["Non-owning, known:", *_references_to(known, "not_owned_found", answer, style, verbose)]


def outgoing(answer: Json, style: Style) -> List[str]:
    """Of one object, a line each; none where nothing was asked for."""
    if "not_counted" not in answer:
        return []
    nonowning: List[Json] = answer["not_counted"]
    if not nonowning:
        return ["Not counted: nothing; no ivar, capture, association or element of it is weak or "
                "unretained"]
    return ["Not counted:"] + [f"  {_reference(item)} {style.arrow} "
                               f"{thing_in_full(item['edge'].get('to'), answer, style)}: "
                               f"{item.get('reason')}" for item in nonowning]


def incoming(answer: Json, style: Style, verbose: bool) -> List[str]:
    """To one object, from all that was walked."""
    if "not_counted" not in answer:
        return []
    nonowning: List[Json] = answer["not_counted"]
    if not nonowning:
        return ["Not counted: nothing; no weak or unretained reference to it was found"]
    return ["Not counted:", *_references_to(nonowning, "not_counted_found", answer, style, verbose)]


def _references_to(items: List[Json], found: str, answer: Json, style: Style,
                   verbose: bool) -> List[str]:
    kinds = [[item] for item in items] if verbose else _alike(items, answer)
    shown = kinds if verbose else kinds[:_SHOWN]
    lines = [f"  {_reference(alike[0])}  of "
             f"{thing_in_full(alike[0]['edge'].get('from'), answer, style)}"
             f"{f' and {len(alike) - 1} more like it' if len(alike) > 1 else ''}: "
             f"{alike[0].get('reason')}" for alike in shown]
    left = int(answer.get(found) or 0) - sum(len(alike) for alike in shown)
    return lines + ([f"  and {plural(left, 'more reference')}"] if left > 0 else [])


def _alike(items: List[Json], answer: Json) -> List[List[Json]]:
    """By what they are and whose, in the order of the first ones."""
    kinds: Dict[Tuple[str, str, str], List[Json]] = {}
    for item in items:
        owner = class_name(thing_at(item["edge"].get("from"), answer))
        kinds.setdefault((_reference(item), owner, str(item.get("reason"))), []).append(item)
    return list(kinds.values())


def weak_rings(answer: Json, style: Style, verbose: bool) -> List[str]:
    """The rings that there would be if a weak reference were strong."""
    rings: Json = answer.get("weak_rings") or {}
    if not rings:
        return []
    sorts: List[Json] = rings.get("sorts") or []
    unsure = [] if rings.get("all", True) else ["  (not all were searched)"]
    if not sorts:
        return ["Not counted: no weak or unretained reference would close a retain cycle if it owned "
                "its object", *unsure]
    one = len(sorts) == 1 and int(rings.get("found") or 0) == 1
    lines = [f"Not counted: {'a reference' if one else 'references'} that would close a retain cycle if "
             f"{'it owned its object' if one else 'they owned their objects'}"]
    shown = sorts if verbose else sorts[:_SHOWN]
    for item in shown:
        lines += _weak_ring(item, answer, style)
    left = int(rings.get("sorts_found") or 0) - len(shown)
    if left > 0:
        lines.append(f"  and references of {plural(left, 'more sort')}")
    return lines + unsure


def _weak_ring(item: Json, answer: Json, style: Style) -> List[str]:
    edge: Json = item.get("edge") or {}
    alike = int(item.get("count") or 1) - 1
    more = f"; {alike} more like it" if alike else ""
    lines = [f"  {_reference(item)}  of {thing_in_full(edge.get('from'), answer, style)} "
             f"{style.arrow} {thing_name(edge.get('to'), answer)}: {item.get('reason')}{more}"]
    way: List[Json] = item.get("way") or []
    steps = [f"{edge_path(step)} {style.arrow} {_short(step, answer)}" for step in way[:_SHOWN]]
    if len(way) > _SHOWN:
        steps.append(f"... ({len(way)} steps)")
    return lines + ([f"    back by {', '.join(steps)}"] if steps else [])


def _short(step: Json, answer: Json) -> str:
    thing = thing_at(step.get("to"), answer)
    return "block" if thing.get("kind") == "block" else class_name(thing) or "object"


def _reference(item: Json) -> str:
    edge: Json = item.get("edge") or {}
    return f"{edge_path(edge)}  {edge_kind(edge)}"
