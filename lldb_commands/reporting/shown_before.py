"""What was told at a stop, so that a cycle far from what is asked about is told once. Imports no lldb.

Who asks about one leaf after the other of a large structure gets the same distant cycle each time.
"""
from __future__ import annotations

from typing import Dict, Tuple

from ..protocol import Answer

_Stop = Tuple[int, int]  # process, which has a new id in each run, and its stop

# At the last stop of each process: for whom the object's cycle was told, by its address. No object
# is in two knots.
_told: Dict[int, Tuple[_Stop, Dict[str, str]]] = {}


def mark(answer: Answer, stop: _Stop) -> None:
    """Sets `told` in knots that do not have the object asked about, and were told for another one."""
    known, by_address = _told.get(stop[0], (stop, {}))
    if known != stop:
        by_address = {}
    _told[stop[0]] = stop, by_address
    seed = str(answer.get("seed"))
    for knot in answer.get("knots") or []:
        addresses = [str(edge.get("from")) for ring in knot.get("rings") or []
                     for edge in ring.get("edges") or []]
        others = {by_address[address] for address in addresses if address in by_address} - {seed}
        knot["told"] = bool(others) and not knot.get("contains_seed")
        for address in addresses:
            by_address.setdefault(address, seed)
