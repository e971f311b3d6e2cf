"""Types of libstdc++ and libc++ by their layouts in debug info.

Each is found by the names of its members, so that a version that has others is refused: it becomes
a hole, counted as not followed.
"""
from __future__ import annotations

from typing import Callable, Dict, List, Optional, Protocol

import lldb

from . import types
from .plans import Hole, Part, Plan, Run


class Layouts(Protocol):
    """layouts.Layouts: plans of what is inside."""

    def element(self, record: lldb.SBType, index: int, arc: bool) -> Plan: ...


def add(layouts: Layouts, parts: List[Part], kind: lldb.SBType, offset: int, suffix: str,
        arc: bool) -> bool:
    """Adds the parts of a type of the standard library. False: it is none that needs it."""
    maker = _MAKERS.get(types.library_name(kind))
    if maker is None:
        return False
    part = maker(_Place(layouts, kind, offset, suffix, arc))
    if part is not None:
        parts.append(part)
    return True


class _Place:
    """A type of the library at an offset of a plan."""

    def __init__(self, layouts: Layouts, kind: lldb.SBType, offset: int, suffix: str,
                 arc: bool) -> None:
        self.layouts, self.kind, self.offset = layouts, kind, offset
        self.suffix, self.arc = suffix, arc

    def at(self, *names: str) -> Optional[int]:
        """The offset of a member that has one of these names."""
        for name in names:
            found = types.find(self.kind, name)
            if found is not None:
                return self.offset + found[0]
        return None

    def element(self, index: int) -> Plan:
        return self.layouts.element(self.kind, index, self.arc)

    def unknown(self) -> Part:
        return Hole(self.suffix, f"{self.kind.GetName()} of a version that is not known")


def _vector(place: _Place) -> Optional[Part]:
    element = place.element(0)
    begin, end = place.at("_M_start", "__begin_"), place.at("_M_finish", "__end_")
    if not element.parts:
        return None
    if begin is None or end is None or not element.size:
        return place.unknown()
    return Run(begin, end, place.suffix, element.size, element)


def _nothing(_place: _Place) -> Optional[Part]:
    """It refers to what others own."""
    return None


_MAKERS: Dict[str, Callable[[_Place], Optional[Part]]] = {
    "vector": _vector,
    "weak_ptr": _nothing,
}
