"""Knots in short, for a machine where neither the library of answers/ nor the tool says more: what the
answer has, without sentences. Imports no lldb."""
from __future__ import annotations

from typing import List

from .words import Json, class_name, edge_path, thing_at, thing_name


def knot(found: Json, answer: Json) -> List[str]:
    """The heading first: retain cycle of 2 objects, leaked."""
    reason = found.get("verdict_reason")
    lines = [f"Retain cycle of {found.get('objects')} objects, {found.get('verdict')}"
             + (f" ({reason})" if reason else "")]
    for ring in found.get("rings") or []:
        lines += [f"  {thing_name(edge.get('from'), answer)} {edge_path(edge)} -> "
                  f"{thing_name(edge.get('to'), answer)}" for edge in ring.get("edges") or []]
    return lines + [f"    * {fix(one, answer)}" for one in found.get("fixes") or []]


def fix(found: Json, answer: Json) -> str:
    """Its sentence; where nobody was there to say it, the change and the reference: set to nil:
    PhotoScreen._completion."""
    if found.get("text"):
        return str(found["text"])
    edge: Json = ((found.get("subjects") or [{}])[0]).get("edge") or found.get("edge") or {}
    owner = class_name(thing_at(edge.get("from"), answer)) or "object"
    return f"{str(found.get('do') or 'weaken').replace('-', ' ')}: {owner}.{edge_path(edge)}"
