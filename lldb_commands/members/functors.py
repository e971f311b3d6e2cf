"""What only an object itself tells: the type behind a vtable, what std::function and std::any hold."""
from __future__ import annotations

import re
from typing import Dict, Iterator, Optional, Tuple

import lldb

from ..session.context import Context
from . import types
from .memory import Memory

_SLOTS = 8  # of a vtable without a name, that are looked at
_MOST_SLOTS = 1 << 10
_VTABLE = "vtable for "
_MOST_BLOCKS = 200
_HEX = re.compile(r"\b0x[0-9a-f]+\b")
_OF_LIBRARY = re.compile(r"_M_get_pointer|_Base_manager|_Manager_|Handler<|__(?:create|destroy_at)\b")
_FUNCTION_VARIABLES = ("__fn", "__f")
_ANY_VARIABLES = ("__ptr", "__loc")
_HOLDS_INSIDE = re.compile(r"_Manager_internal<|_SmallHandler<")
_HOLDS_ELSEWHERE = re.compile(r"_Manager_external<|_LargeHandler<")

# Where an object is and what it is.
Place = Tuple[int, lldb.SBType]


class Functors:
    """Lives as long as one command."""

    def __init__(self, context: Context, memory: Memory) -> None:
        self._target = context.target
        self._memory = memory
        self._by_vtable: Dict[int, Optional[lldb.SBType]] = {}
        self._by_function: Dict[int, Optional[lldb.SBType]] = {}
        self._allocating: Dict[int, bool] = {}  # by function

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
            self._by_vtable[vtable] = self._named_by(vtable) or self._class_of(vtable)
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
        for index in range(self._slots(vtable)):
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

    def _slots(self, vtable: int) -> int:
        """How many functions to look at: the class's own ones may be the last."""
        end = self._target.ResolveLoadAddress(vtable).GetSymbol().GetEndAddress()
        address = end.GetLoadAddress(self._target) if end.IsValid() else lldb.LLDB_INVALID_ADDRESS
        if address == lldb.LLDB_INVALID_ADDRESS or address <= vtable:
            return _SLOTS
        return min((int(address) - vtable) // self._memory.word_size, _MOST_SLOTS)

    def _named_by(self, vtable: int) -> Optional[lldb.SBType]:
        """By the name of the table: functions in a library may have no debug info."""
        name = self._target.ResolveLoadAddress(vtable).GetSymbol().GetName() or ""
        if not name.startswith(_VTABLE):
            return None
        return next((kind for kind in self._target.FindTypes(name[len(_VTABLE):])
                     if types.is_record(kind) and types.is_complete(kind)), None)

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
        """A pointer to the target; or the target itself if it can be copied bit by bit: then it owns
        nothing, as an empty one does, and its manager allocates nothing."""
        manager, functor = types.find(function, "_M_manager"), types.find(function, "_M_functor")
        invoker = types.find(function, "_M_invoker")
        if manager is None or functor is None or invoker is None:
            return None
        code = self._memory.pointer(address + manager[0])
        call = self._memory.pointer(address + invoker[0])
        target = self._memory.word(address + functor[0])
        if not code or not call or target is None:
            return (0, function) if code == 0 else None
        if not self._allocates(code):
            return 0, function
        kind = self._managed_by(code, _FUNCTION_VARIABLES) or \
            self._managed_by(call, _FUNCTION_VARIABLES)
        return (target, kind) if kind is not None else None

    # ---- std::any ----

    def value_of(self, holder: lldb.SBType, address: int) -> Optional[Place]:
        """What a std::any holds; at 0 if it is empty, None if it is not known."""
        manager = types.find(holder, "_M_manager") or types.find(holder, "__h_")
        storage = types.find(holder, "_M_storage") or types.find(holder, "__s_")
        if manager is None or storage is None:
            return None
        code = self._memory.pointer(address + manager[0])
        if not code:
            return (0, holder) if code == 0 else None
        kind = self._managed_by(code, _ANY_VARIABLES)
        function = self._function(code)
        name = function.GetName() or "" if function is not None else ""
        if kind is None or not _HOLDS_INSIDE.search(name) and not _HOLDS_ELSEWHERE.search(name):
            return None
        place = address + storage[0]
        where = place if _HOLDS_INSIDE.search(name) else self._memory.word(place)
        return (where, kind) if where else None

    # ---- Functions that a library makes for a type ----

    def _managed_by(self, code: int, variables: Tuple[str, ...]) -> Optional[lldb.SBType]:
        if code not in self._by_function:
            self._by_function[code] = self._find_type(code, variables, 3)
        return self._by_function[code]

    def _find_type(self, code: int, variables: Tuple[str, ...],
                   depth: int) -> Optional[lldb.SBType]:
        """What variables of these names point to, in a function or in those of the library that it
        calls, inlined or not."""
        function = self._function(code)
        if function is None or depth == 0:
            return None
        if "_M_get_pointer" in (function.GetName() or ""):
            return _pointee(function.GetType().GetFunctionReturnType())
        found = self._in_block(function.GetBlock(), variables)
        if found is not None:
            return found
        for called, name in self._calls(function):
            if called != code and _OF_LIBRARY.search(name):
                found = self._find_type(called, variables, depth - 1)
                if found is not None:
                    return found
        return None

    def _allocates(self, code: int) -> bool:
        """Whether a manager gets memory for what it manages. True if that is not known."""
        if code not in self._allocating:
            self._allocating[code] = self._finds_new(code, 5)
        return self._allocating[code]

    def _finds_new(self, code: int, depth: int) -> bool:
        function = self._function(code)
        if function is None or depth == 0:
            return True
        return any(not name or name.startswith("operator new(") or (
            called != code and "_Base_manager" in name and self._finds_new(called, depth - 1))
            for called, name in self._calls(function))

    def _calls(self, function: lldb.SBFunction) -> Iterator[Tuple[int, str]]:
        """Addresses and names of the functions that one calls; without a name those not known."""
        instructions = function.GetInstructions(self._target)
        for index in range(instructions.GetSize()):
            instruction = instructions.GetInstructionAtIndex(index)
            mnemonic = instruction.GetMnemonic(self._target) or ""
            if not mnemonic.startswith(("call", "jmp", "bl", "b")):
                continue
            match = _HEX.search(instruction.GetOperands(self._target) or "")
            called = int(match.group(0), 16) if match is not None else 0
            symbol = self._target.ResolveLoadAddress(called).GetSymbol()
            if not symbol.IsValid():
                yield called, ""
            elif symbol.GetStartAddress().GetLoadAddress(self._target) == called:
                yield called, symbol.GetName() or ""

    def _in_block(self, top: lldb.SBBlock, variables: Tuple[str, ...]) -> Optional[lldb.SBType]:
        waiting = [top]
        # Cap: a gap: no debug info for what it calls.
        for _ in range(_MOST_BLOCKS):
            if not waiting:
                break
            block = waiting.pop()
            for variable in block.GetVariables(self._target, True, True, False):
                kind = _pointee(variable.GetType()) if variable.GetName() in variables else None
                if kind is not None:
                    return kind
            waiting += [other for other in (block.GetSibling(), block.GetFirstChild())
                        if other.IsValid()]
        return None


def _pointee(kind: lldb.SBType) -> Optional[lldb.SBType]:
    """Of a pointer or a reference to something that is known."""
    if not (types.is_pointer(kind) or kind.IsReferenceType()):
        return None
    found = kind.GetPointeeType() if types.is_pointer(kind) else kind.GetDereferencedType()
    return found.GetUnqualifiedType() if found.GetByteSize() else None
