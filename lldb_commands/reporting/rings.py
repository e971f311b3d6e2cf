"""Takes rings out of an answer that are not to be shown. Imports no lldb."""
from __future__ import annotations


from ..protocol import Answer, Knot


def shorten(answer: Answer, rings: int) -> None:
    """Leaves as many rings in each knot, and the fixes that are about them."""
    for knot in answer.get("knots") or []:
        if len(knot.get("rings") or []) > rings:
            del knot["rings"][rings:]
            knot["all_rings"] = False
            keep_fixes_of_rings(knot)


def keep_fixes_of_rings(knot: Knot) -> None:
    """Takes away fixes that were proposed for other rings than the knot has now; counts them."""
    steps = {(edge.get("from"), edge.get("to")) for ring in knot.get("rings") or []
             for edge in ring.get("edges") or []}
    fixes = knot.get("fixes") or []
    kept = [fix for fix in fixes if "knot" in (fix.get("breaks"), fix.get("everywhere"))
            or (fix["edge"].get("from"), fix["edge"].get("to")) in steps]
    knot["fixes"] = kept
    knot["fixes_left_out"] = int(knot.get("fixes_left_out") or 0) + len(fixes) - len(kept)
