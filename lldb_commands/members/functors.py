"""What only an object itself tells: the type behind a vtable, the target of a std::function."""
from __future__ import annotations

import re
from typing import Dict, Optional, Tuple

import lldb

from ..context import Context
from . import types
from .memory import Memory

_SLOTS = 8  # of a vtable that are looked at
_HEX = re.compile(r"\b0x[0-9a-f]+\b")

# Where an object is and what it is.
Place = Tuple[int, lldb.SBType]


class Functors:
    """Lives as long as one command."""

    def __init__(self, context: Context, memory: Memory) -> None:
        self._target = context.target
        self._memory = memory
        self._by_vtable: Dict[int, Optional[lldb.SBType]] = {}
        self._by_function: Dict[int, Optional[lldb.SBType]] = {}

    # ---- Types behind a vtable ----

    def true_type(self, address: int) -> Optional[Place]:
        """An object of a class with virtual functions: where it begins and what it is."""
        vtable = self._memory.pointer(address)
        to_top = self._memory.word(vtable - 2 * self._memory.word_size) if vtable else None
        if not vtable or to_top is None:
            return None
        if to_top:
            vtable = self._first_of(vtable)
        if vtable not in self._by_vtable:
            self._by_vtable[vtable] = self._class_of(vtable)
        kind = self._by_vtable[vtable]
        if kind is None:
            return None
        return (address + to_top) % (1 << 8 * self._memory.word_size), kind

    def _first_of(self, vtable: int) -> int:
        """The vtable of a base class stands behind that of the class itself, in one table."""
        start = self._target.ResolveLoadAddress(vtable).GetSymbol().GetStartAddress()
        table = start.GetLoadAddress(self._target)
        return vtable if table == lldb.LLDB_INVALID_ADDRESS else \
            int(table) + 2 * self._memory.word_size

    def _class_of(self, vtable: int) -> Optional[lldb.SBType]:
        """The functions of a vtable are those of the class and of its bases: the largest is it."""
        found: Optional[lldb.SBType] = None
        for index in range(_SLOTS):
            entry = self._memory.pointer(vtable + index * self._memory.word_size)
            function = self._function(entry) if entry else None
            if function is None:
                continue
            for variable in function.GetBlock().GetVariables(self._target, True, False, False):
                kind = variable.GetType().GetPointeeType()
                if variable.GetName() == "this" and (
                        found is None or kind.GetByteSize() > found.GetByteSize()):
                    found = kind.GetCanonicalType().GetUnqualifiedType()
        return found

    def _function(self, address: int) -> Optional[lldb.SBFunction]:
        function = self._target.ResolveLoadAddress(address).GetFunction()
        return function if function.IsValid() else None

    # ---- std::function ----

    def target_of(self, function: lldb.SBType, address: int) -> Optional[Place]:
        """The target of a std::function; at 0 if it is empty, None if it is not known."""
        if types.find(function, "_M_manager") is not None:
            return self._of_libstdcxx(function, address)
        place = types.find(function, "__f_", types.is_pointer)
        holder = self._memory.word(address + place[0]) if place is not None else None
        if not holder:
            return (0, function) if holder == 0 else None
        # An object of a class __func, whose first argument is the type; behind the vtable pointer.
        found = self.true_type(holder)
        kind = types.argument(found[1], 0) if found is not None else None
        return (holder + self._memory.word_size, kind) if kind is not None else None

    def _of_libstdcxx(self, function: lldb.SBType, address: int) -> Optional[Place]:
        """A pointer, or the target itself if it is small and can be copied bit by bit: then it owns
        nothing, and where it is does not matter."""
        manager, functor = types.find(function, "_M_manager"), types.find(function, "_M_functor")
        if manager is None or functor is None:
            return None
        code = self._memory.pointer(address + manager[0])
        target = self._memory.word(address + functor[0])
        if not code or target is None:
            return (0, function) if code == 0 else None
        if code not in self._by_function:
            self._by_function[code] = self._managed_by(code, 2)
        kind = self._by_function[code]
        return (target, kind) if kind is not None else None

    def _managed_by(self, code: int, depth: int) -> Optional[lldb.SBType]:
        """The type that a manager's call of _M_get_pointer() returns a pointer to."""
        function = self._function(code)
        if function is None or depth == 0:
            return None
        if "_M_get_pointer" in (function.GetName() or ""):
            kind = function.GetType().GetFunctionReturnType()
            return kind.GetPointeeType() if types.is_pointer(kind) else None
        instructions = function.GetInstructions(self._target)
        for index in range(instructions.GetSize()):
            instruction = instructions.GetInstructionAtIndex(index)
            mnemonic = instruction.GetMnemonic(self._target) or ""
            match = _HEX.search(instruction.GetOperands(self._target) or "")
            if match is None or not mnemonic.startswith(("call", "jmp", "bl", "b")):
                continue
            called = int(match.group(0), 16)
            name = self._target.ResolveLoadAddress(called).GetSymbol().GetName() or ""
            if "_M_get_pointer" in name or "_Base_manager" in name:
                found = self._managed_by(called, depth if "_M_get_pointer" in name else depth - 1)
                if found is not None:
                    return found
        return None
