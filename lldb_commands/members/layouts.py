"""A C++ type of debug info -> a plan: where in it objects are owned."""
from __future__ import annotations

from typing import Dict, List, Optional, Tuple

import lldb

from ..context import Context
from ..names.block_debug_info import is_reference
from . import library, ownership, types
from .memory import Memory
from .plans import Hole, Part, Plan, Repeat, Word

_DEPTH = 32
_FLAT = 16  # elements of an array that are parts of their own


class Layouts:
    """Plans by type, each made once. Lives as long as one command."""

    def __init__(self, context: Context, memory: Memory) -> None:
        self.context = context
        self.memory = memory
        self._plans: Dict[Tuple[str, int, bool], List[Tuple[lldb.SBType, Plan]]] = {}

    def plan(self, kind: lldb.SBType, arc: bool) -> Plan:
        """arc: compiled with ARC, so that the objects in it are owned."""
        kind = kind.GetCanonicalType().GetUnqualifiedType()
        name = kind.GetName() or ""
        # Types of one name may differ: lambdas have none.
        known = self._plans.setdefault((name, kind.GetByteSize(), arc), [])
        for other, plan in known:
            if other == kind:
                return plan
        plan = Plan(name, kind.GetByteSize())
        known.append((kind, plan))
        self._add(plan.parts, kind, 0, "", None, arc, 0)
        return plan

    def element(self, record: lldb.SBType, index: int, arc: bool) -> Plan:
        """Of what a template holds: its argument of this number."""
        kind = types.argument(record, index)
        if kind is None:
            return Plan("?", 0, [Hole("", f"{record.GetName()}: a type that is not known")])
        if is_reference(kind):
            claim = ownership.of_argument(record, index, arc)
            return Plan(kind.GetName() or "", kind.GetByteSize(),
                        [Word(0, "", claim)] if claim else [])
        return self.plan(kind, arc)

    def _add(self, parts: List[Part], kind: lldb.SBType, offset: int, suffix: str,
             owner: Optional[lldb.SBType], arc: bool, depth: int) -> None:
        kind = kind.GetCanonicalType().GetUnqualifiedType()
        family = kind.GetTypeClass()
        if is_reference(kind):
            claim = ownership.of_field(owner, kind, arc) if owner is not None else \
                ownership.STRONG if arc else ownership.MANUAL
            if claim and kind.GetName() != "Class":
                parts.append(Word(offset, suffix, claim))
        elif depth > _DEPTH:
            parts.append(Hole(suffix, "nested too deep"))
        elif family & lldb.eTypeClassArray:
            self._add_array(parts, kind, offset, suffix, owner, arc, depth)
        elif family & lldb.eTypeClassUnion:
            self._add_union(parts, kind, suffix, arc)
        elif types.is_record(kind):
            self._add_record(parts, kind, offset, suffix, arc, depth)

    def _add_array(self, parts: List[Part], kind: lldb.SBType, offset: int, suffix: str,
                   owner: Optional[lldb.SBType], arc: bool, depth: int) -> None:
        element = kind.GetArrayElementType()
        stride = element.GetByteSize()
        count = kind.GetByteSize() // stride if stride else 0
        if count <= _FLAT or is_reference(element):
            for index in range(count):
                self._add(parts, element, offset + index * stride, f"{suffix}[{index}]", owner, arc,
                          depth + 1)
            return
        plan = self.plan(element, arc)
        if plan.parts:
            parts.append(Repeat(offset, suffix, count, stride, plan))

    def _add_union(self, parts: List[Part], kind: lldb.SBType, suffix: str, arc: bool) -> None:
        """Which member of a union is there, and owned, its own code alone knows."""
        inside: List[Part] = []
        for member in types.fields(kind):
            self._add(inside, member.GetType(), 0, "", kind, arc, _DEPTH - 2)
        if inside and arc:
            parts.append(Hole(suffix, "a union of C++"))

    def _add_record(self, parts: List[Part], kind: lldb.SBType, offset: int, suffix: str,
                    arc: bool, depth: int) -> None:
        if not types.is_complete(kind):
            parts.append(Hole(suffix, f"no debug info for {kind.GetName()}"))
            return
        if library.add(self, parts, kind, offset, suffix, arc):
            return
        for base in types.bases(kind):
            self._add(parts, base.GetType(), offset + base.GetOffsetInBytes(), suffix, kind, arc,
                      depth + 1)
        for member in types.fields(kind):
            if not member.IsBitfield():
                name = member.GetName()
                self._add(parts, member.GetType(), offset + member.GetOffsetInBytes(),
                          f"{suffix}.{name}" if name else suffix, kind, arc, depth + 1)
