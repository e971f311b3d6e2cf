"""A C++ type of debug info -> a plan: where in it objects are owned."""
from __future__ import annotations

from typing import Callable, Dict, List, Optional, Tuple, Union

import lldb

from ..names.block_debug_info import is_reference
from ..session.context import Context
from . import library, ownership, types
from .containers import Box
from .destructors import Destructors, Evidence
from .functors import Functors, Place
from .memory import Memory
from .ownership import Code
from .plans import Gap, Hole, Inner, Part, Plan, Repeat, Word

_DEPTH = 32
_FLAT = 16  # elements of an array that are parts of their own


class Layouts:
    """Plans by type, each made once. Lives as long as one command."""

    def __init__(self, context: Context, memory: Memory) -> None:
        self.memory = memory
        self._destructors = Destructors(context)
        self._functors = Functors(context, memory)
        self._target = context.target
        self._described: Dict[str, bool] = {}  # by name: empty types that debug info has
        self._plans: Dict[Tuple[str, int, Code], List[Tuple[lldb.SBType, Plan]]] = {}

    def plan(self, kind: lldb.SBType, code: Code) -> Plan:
        kind = kind.GetCanonicalType().GetUnqualifiedType()
        name = kind.GetName() or ""
        # Types of one name may differ: lambdas have none.
        known = self._plans.setdefault((name, kind.GetByteSize(), code), [])
        for other, plan in known:
            if other == kind:
                return plan
        plan = Plan(name, kind.GetByteSize(), is_complete=False)
        if types.is_lambda(kind):
            plan.place = self._destructors.place_of(kind)
        known.append((kind, plan))
        self._add(plan.parts, kind, 0, "", None, 0, code, 0)
        plan.is_complete = True
        return plan

    def element(self, record: lldb.SBType, index: int, code: Code) -> Plan:
        """Of what a template holds: its argument of this number."""
        kind = types.argument(record, index)
        if kind is None:
            return Plan("?", 0, [Hole("", f"{record.GetName()}: a type that is not known")])
        if is_reference(kind):
            claim = ownership.of_argument(record, index, code)
            return Plan(kind.GetName() or "", kind.GetByteSize(),
                        [Word(0, "", claim)] if claim else [])
        return self.plan(kind, code)

    def pointee(self, record: lldb.SBType, index: int,
                code: Code) -> Callable[[int, Plan], Union[Inner, Gap]]:
        """Where the object of a smart pointer begins, and its plan: that of its true class."""
        return self.pointed(types.argument(record, index), code)

    def pointed(self, static: Optional[lldb.SBType],
                code: Code) -> Callable[[int, Plan], Union[Inner, Gap]]:
        """The same of an object of a class or of one derived from it."""
        def find(address: int, plan: Plan) -> Union[Inner, Gap]:
            is_known = static is None or self._is_known(static)
            if static is None or (is_known and not static.IsPolymorphicClass()):
                return Inner(address, plan, "")
            found = self._functors.true_type(address)
            if found is not None:
                return Inner(found[0], self.plan(found[1], code), "")
            name = static.GetName()
            return Gap("", f"an object of a class derived from {name}" if is_known
                       else f"no debug info for {name}")
        return find

    def function(self, record: lldb.SBType, code: Code) -> Callable[[int], Union[Inner, Gap, None]]:
        """Where the target of a std::function is, and its plan; None for an empty one."""
        return self._kept_by(record, code, self._functors.target_of, "what it calls")

    def any(self, record: lldb.SBType,
            code: Code) -> Callable[[int], Union[Inner, Gap, None]]:
        """What a std::any holds, and its plan; None for an empty one."""
        return self._kept_by(record, code, self._functors.value_of, "what it holds")

    def _kept_by(self, record: lldb.SBType, code: Code,
                 where: Callable[[lldb.SBType, int], Optional[Place]],
                 what: str) -> Callable[[int], Union[Inner, Gap, None]]:
        def find(address: int) -> Union[Inner, Gap, None]:
            found = where(record, address)
            if found is None:
                return Gap("", f"{record.GetName()}: no debug info for {what}")
            return Inner(found[0], self.plan(found[1], code), "") if found[0] else None
        return find

    def _add(self, parts: List[Part], kind: lldb.SBType, offset: int, suffix: str,
             owner: Optional[lldb.SBType], place: int, code: Code, depth: int) -> None:
        """offset is that in the plan, place that in the owner, the record it is a field of."""
        kind = kind.GetCanonicalType().GetUnqualifiedType()
        family = kind.GetTypeClass()
        if is_reference(kind):
            claim = ownership.of_object(code)
            if owner is not None:
                found = ownership.of_field(owner, kind, place, code, self._destructors)
                if found is None:
                    return
                claim = found
            if kind.GetName() != "Class":
                parts.append(Word(offset, suffix, claim))
        elif depth > _DEPTH:
            parts.append(Hole(suffix, "nested too deep"))
        elif family & lldb.eTypeClassArray:
            self._add_array(parts, kind, offset, suffix, owner, place, code, depth)
        elif types.is_pointer(kind) and owner is not None:
            self._add_pointer(parts, kind, offset, suffix, owner, place, code)
        elif family & lldb.eTypeClassUnion:
            self._add_union(parts, kind, suffix, code)
        elif types.is_record(kind):
            self._add_record(parts, kind, offset, suffix, code, depth)

    def _add_array(self, parts: List[Part], kind: lldb.SBType, offset: int, suffix: str,
                   owner: Optional[lldb.SBType], place: int, code: Code, depth: int) -> None:
        element = kind.GetArrayElementType()
        stride = element.GetByteSize()
        count = kind.GetByteSize() // stride if stride else 0
        if count <= _FLAT or is_reference(element):
            for index in range(count):
                self._add(parts, element, offset + index * stride, f"{suffix}[{index}]", owner,
                          place + index * stride, code, depth + 1)
            return
        plan = self.plan(element, code)
        if plan.parts:
            parts.append(Repeat(offset, suffix, count, stride, plan))

    def _add_pointer(self, parts: List[Part], kind: lldb.SBType, offset: int, suffix: str,
                     owner: lldb.SBType, place: int, code: Code) -> None:
        """A record owns what its destructor deletes."""
        pointee = kind.GetPointeeType().GetCanonicalType().GetUnqualifiedType()
        evidence = self._destructors.of(owner) if types.is_record(pointee) else Evidence(False)
        is_deleted = (evidence.members or {}).get(place) == "deleted"
        if not is_deleted and (evidence.members is not None or not evidence.is_there):
            return
        plan = self.plan(pointee, code)
        if is_deleted and (plan.owns or pointee.IsPolymorphicClass()):
            parts.append(Box(offset, suffix, plan, self.pointed(pointee, code)))
        elif not is_deleted and plan.owns:
            parts.append(Hole(suffix, f"{owner.GetName()}: what its destructor deletes is not "
                                      "known"))

    def _add_union(self, parts: List[Part], kind: lldb.SBType, suffix: str, code: Code) -> None:
        """Which member of a union is there, and owned, its own code alone knows."""
        inside: List[Part] = []
        for member in types.fields(kind):
            self._add(inside, member.GetType(), 0, "", None, 0, code, _DEPTH - 2)
        if inside and code.arc is not False:
            parts.append(Hole(suffix, f"{kind.GetName()}: which member of a union is there is not "
                                      "known"))

    def _add_record(self, parts: List[Part], kind: lldb.SBType, offset: int, suffix: str,
                    code: Code, depth: int) -> None:
        if not self._is_known(kind):
            parts.append(Hole(suffix, f"no debug info for {kind.GetName()}"))
            return
        if library.add(self, parts, kind, offset, suffix, code):
            return
        known = len(parts)
        for base in types.bases(kind):
            self._add(parts, base.GetType(), offset + base.GetOffsetInBytes(), suffix, kind,
                      base.GetOffsetInBytes(), code, depth + 1)
        for member in types.fields(kind):
            if not member.IsBitfield():
                name = shown_name(kind, member.GetName() or "")
                self._add(parts, member.GetType(), offset + member.GetOffsetInBytes(),
                          f"{suffix}.{name}" if name else suffix, kind,
                          member.GetOffsetInBytes(), code, depth + 1)
        if len(parts) == known and self._may_keep_elements(kind, code):
            parts.append(Hole(suffix, f"{kind.GetName()}: what its pointers point to is not known"))

    def _is_known(self, kind: lldb.SBType) -> bool:
        """Whether the debug info has more than the name: lldb 14 takes such a type for an empty
        one."""
        name = kind.GetName() or ""
        if not types.is_complete(kind) or not types.is_empty(kind) or types.is_lambda(kind):
            return types.is_complete(kind)
        if name not in self._described:
            self._described[name] = self._target.FindTypes(name).GetSize() > 0
        return self._described[name]

    def _may_keep_elements(self, kind: lldb.SBType, code: Code) -> bool:
        """A container of another library: a template over what owns objects, with pointers."""
        return any(types.is_pointer(member.GetType()) for member in types.fields(kind)) and any(
            argument is not None and (is_reference(argument) or (
                types.is_record(argument) and self.plan(argument, code).owns))
            for argument in (types.argument(kind, index)
                             for index in range(kind.GetNumberOfTemplateArguments())))


def shown_name(record: lldb.SBType, name: str) -> str:
    """A field as a person writes it: those inside the library have no names for them."""
    is_library = (record.GetName() or "").startswith("std::")
    return "" if name.startswith("_") and is_library else name
