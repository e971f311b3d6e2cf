"""Knots that are one bug in several objects, put together. Imports no lldb."""
from __future__ import annotations

from typing import Dict, List, Sequence, Tuple

from .words import Json, thing_name


def alike(knots: Sequence[Json]) -> List[List[Json]]:
    """The knots in their order, each with the later ones of its fingerprint and verdict."""
    groups: Dict[Tuple[object, object, int], List[Json]] = {}
    for number, knot in enumerate(knots):
        fingerprint = knot.get("fingerprint")
        unique = 0 if fingerprint else number + 1
        groups.setdefault((fingerprint, knot.get("verdict"), unique), []).append(knot)
    return list(groups.values())


def others_in_words(group: Sequence[Json], answer: Json) -> str:
    """3 more are like it, such as that of PhotoCell 0x1f00; nothing for a knot that is alone."""
    if len(group) == 1:
        return ""
    rings: List[Json] = group[1].get("rings") or []
    edges: List[Json] = rings[0].get("edges") or [] if rings else []
    example = f", such as that of {thing_name(edges[0].get('from'), answer)}" if edges else ""
    return f"{len(group) - 1} more {'is' if len(group) == 2 else 'are'} like it{example}"
