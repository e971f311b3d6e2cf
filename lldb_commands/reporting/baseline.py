"""Known rings in a file, so that only new ones count. Imports no lldb.

One ring per line: its fingerprint, then its path as a comment, sorted by fingerprint. Lines of two
branches can be put together in any order, with doubles. Only fingerprints are compared. That of a
knot stands for all of its rings.
"""
from __future__ import annotations

import os
import re
from typing import Dict, List, Mapping, Set, Union

from ..errors import LoupeError
from ..found import how_many
from ..protocol import Answer, Edge, Envelope, Knot, Ring
from ..render.words import edge_path, thing_at
from ..text import files
from ..text.printable import printable
from .rings import keep_fixes_of_rings


# Rings asked for in each knot: a ring that is not listed cannot be compared.
RINGS = 256
_HEADING = "# Known retain cycles, one loop per line: fingerprint, then its path."
_LINE = re.compile(r"([0-9a-f]{16})(?:\s+#\s*(.*))?")
_EDGES_IN_COMMENT = 12


def read(path: str, will_be_written: bool = False) -> Dict[str, str]:
    """Comments by fingerprint. One that is to be written now knows nothing yet."""
    known: Dict[str, str] = {}
    if not os.path.lexists(path):
        if will_be_written:
            return known
        raise LoupeError(f"cannot read the baseline {path}: No such file or directory; "
                         f"--write-baseline {path} records what there is now")
    for number, line in enumerate(files.lines(path, "the baseline"), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        match = _LINE.fullmatch(text)
        if match is None:
            raise LoupeError(f"the baseline {path} has no fingerprint of 16 hex digits in line "
                             f"{number}: '{printable(text)[:40]}'")
        known.setdefault(match[1], match[2] or "")
    return known


def write(path: str, answer: Answer, known: Mapping[str, str]) -> int:
    """Records the rings of the answer, and the known ones with the comments that they have. Returns
    how many that makes."""
    found: Dict[str, str] = {}
    for knot in answer.get("knots") or []:
        for ring in knot.get("rings") or []:
            fingerprint, comment = str(ring.get("fingerprint")), path_of(ring, answer)
            found[fingerprint] = min(comment, found.get(fingerprint, comment))
    found.update(known)
    lines = [f"{fingerprint}  # {comment}".rstrip(" #") for fingerprint, comment
             in sorted(found.items())]
    files.write(path, "\n".join([_HEADING, *lines]))
    return len(lines)


def hide(answer: Answer, known: Mapping[str, str]) -> None:
    """Takes the known rings out of the answer, and knots that have no other; counts them."""
    knots = answer.get("knots") or []
    beyond = max(0, int(answer.get("knots_found") or 0) - sum(map(how_many, knots)))
    met = {name for knot in knots for name in _names(knot)} \
        | {name for knot in knots for ring in knot.get("rings") or [] for name in _names(ring)}
    partly = sum(1 for knot in knots if not knot.get("all_rings", True))
    rings = sum(_hide_in(knot, known) for knot in knots)
    hidden = [knot for knot in knots if not knot.get("rings")]
    answer["knots"] = [knot for knot in knots if knot.get("rings")]
    answer["baseline"] = {"hidden_rings": rings, "hidden_knots": sum(map(how_many, hidden)),
                          "hidden_possible": sum(how_many(knot) for knot in hidden
                                                 if not knot.get("certain", True)),
                          "knots_not_compared": beyond + partly,
                          "not_met": len(known.keys() - met)}


def _hide_in(knot: Knot, known: Mapping[str, str]) -> int:
    rings = knot.get("rings") or []
    if _names(knot) & known.keys():  # as `loupe leaks` and `loupe cycles` show it
        known = {**known, **{str(ring.get("fingerprint")): "" for ring in rings}}
    new = [ring for ring in rings if not _names(ring) & known.keys()]
    hidden = len(rings) - len(new)
    if hidden:
        knot["hidden_rings"] = hidden
        knot["rings"] = new
    if new and new[0] is not rings[0]:
        keep_fixes_of_rings(knot)
    return hidden


def _names(item: Union[Knot, Ring]) -> Set[str]:
    """The fingerprint of a ring or knot, and that which older baselines have for it."""
    return {str(name) for name in (item.get("fingerprint"), item.get("older_fingerprint")) if name is not None}


def path_of(ring: Ring, answer: Envelope) -> str:
    """The path from the start that sorts first, so that it does not depend on the question."""
    edges = ring.get("edges") or []
    steps = [printable(_step(edge, answer)) for edge in edges]
    starts = [(steps[at:at + _EDGES_IN_COMMENT] + steps[:at])[:_EDGES_IN_COMMENT]
              for at in range(len(steps))]
    shown: List[str] = min(starts, default=[])
    end = "(closed)" if len(shown) == len(steps) else f"... ({len(steps)} references)"
    return " -> ".join([*shown, end])


def _step(edge: Edge, answer: Envelope) -> str:
    thing = thing_at(edge.get("from"), answer)
    kind = str(thing.get("kind"))
    holder = {"block": "block", "byref": "__block variable"}.get(kind) or str(thing.get("class"))
    path = edge_path(edge)
    return f"{holder}{'' if path.startswith(('[', '+')) else '.'}{path}"
