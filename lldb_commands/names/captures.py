"""Joins what an engine knows of a block's captures with what debug info knows. Imports no lldb.

The engine knows ownership and covers every byte; debug info knows names and types. A run of plain
data becomes one row per variable, so nothing of the block stays without a row.
"""
from __future__ import annotations

from typing import List, Protocol, Sequence

from ..protocol import Byref, Capture, Conflict


_REFERENCES = ("strong", "block", "weak", "unretained")
_CERTAIN = ("symbol", "generic", "probe")


class Variable(Protocol):
    """block_debug_info.Variable, or a test's own."""

    @property
    def path(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def offset(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def is_reference(self) -> bool: ...


def named_captures(captures: List[Capture], variables: Sequence[Variable],
                   conflicts: List[Conflict]) -> List[Capture]:
    """The captures with names and types, data runs split by variable; appends to conflicts."""
    named: List[Capture] = []
    for capture in captures:
        start = int(capture.get("offset") or 0)
        end = start + int(capture.get("size") or 0)
        inside = sorted((variable for variable in variables if start <= variable.offset < end),
                        key=lambda variable: variable.offset)
        if capture.get("kind") in ("data", "unknown"):
            named += _split(capture, start, end, inside)
        else:
            named.append(_named(capture, inside, conflicts))
    return named


def byref_variables(capture: Capture) -> List[Capture]:
    """What is in the storage of a captured __block variable, by offset."""
    byref: Byref = capture.get("byref") or {}
    variable = byref.get("variable")
    found: List[Capture] = byref.get("variables") or ([variable] if variable else [])
    return found


def _named(capture: Capture, inside: Sequence[Variable], conflicts: List[Conflict]) -> Capture:
    if not inside or inside[0].offset != capture.get("offset"):
        return capture
    variable = inside[0]
    result = capture.copy()
    result.update({"name": variable.path, "type": variable.type,
                   "evidence": [*capture.get("evidence", []), "debug-info"]})
    evidence = set(capture.get("evidence") or [])
    if capture.get("kind") in _REFERENCES and not variable.is_reference \
            and not evidence & set(_CERTAIN):
        # The compiler's layout counts C++ `this` and bit-fields as objects; the type is right.
        conflicts.append({"offset": variable.offset, "kept": "data",
                          "discarded": capture["kind"], "kept_by": "debug-info",
                          "discarded_by": "layout"})
        result.update({"kind": "data", "evidence": ["debug-info"]})
    return result


def _split(capture: Capture, start: int, end: int, inside: Sequence[Variable]) -> List[Capture]:
    """One row per variable in a run of data, and one per gap between them."""
    if not inside:
        return [capture]
    rows: List[Capture] = []
    position = start
    for variable in inside:
        if variable.offset > position:
            rows.append(_gap(position, variable.offset))
        if variable.offset < position:
            continue  # a union's second member
        size = min(variable.size, end - variable.offset)
        rows.append(_variable_row(capture, variable, size))
        position = variable.offset + size
    if position < end:
        rows.append(_gap(position, end))
    return rows


def _variable_row(capture: Capture, variable: Variable, size: int) -> Capture:
    whole = variable.offset == capture.get("offset") and size == capture.get("size")
    kind = str(capture.get("kind"))
    row = capture.copy()
    row.update({"offset": variable.offset, "size": size, "name": variable.path,
                "type": variable.type, "kind": "data" if kind == "unknown"
                and not variable.is_reference else kind,
                "value": capture.get("value") if whole else None,
                "evidence": [*capture.get("evidence", []), "debug-info"]})
    return row


def _gap(start: int, end: int) -> Capture:
    return {"offset": start, "size": end - start, "name": None, "type": "padding", "kind": "data",
            "value": None, "class": None, "evidence": ["debug-info"], "byref": None}
