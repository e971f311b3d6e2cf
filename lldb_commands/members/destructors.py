"""What the destructor of a C++ type does to the objects in it: the compiler's own word on ownership.

Under ARC it releases strong members (objc_storeStrong, objc_release), ends weak ones
(objc_destroyWeak), and leaves the others alone. The code is read, not run: a straight path through
unoptimised code, in which every argument is `this` plus a number. Anything else gives no answer.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional, Set, Tuple

import lldb

from ..context import Context
from . import types

_MOST_INSTRUCTIONS = 2000
_ENDS = {"objc_storeStrong": "strong", "objc_destroyWeak": "weak"}
_METHOD_OF_LAMBDA = re.compile(r"^(_ZZ?.*)NK?(\d*[^N]*?)cl[EI]")
_HEX = re.compile(r"0x[0-9a-f]+")


@dataclass(frozen=True)
class Evidence:
    """is_destroyed: has it a destructor that does something; None: not known. members: what it
    ends, by offset; None: its code does not tell."""

    is_destroyed: Optional[bool]
    members: Optional[Dict[int, str]] = None


class Destructors:
    """Looks each type up once. Lives as long as one command."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._target = context.target
        self._known: Dict[str, Evidence] = {}

    def of(self, record: lldb.SBType) -> Evidence:
        key = next(_symbols(record), record.GetName() or "")
        if key not in self._known:
            self._known[key] = self._look(record)
        return self._known[key]

    def _look(self, record: lldb.SBType) -> Evidence:
        for name in _symbols(record):
            for match in self._target.FindSymbols(name):
                symbol = match.GetSymbol()
                if symbol.GetMangledName() == name:
                    return Evidence(True, self._members(symbol))
        if _declares_destructor(record):
            return Evidence(True)
        if types.is_lambda(record):
            # Unoptimised code has the destructor of all that is to be destroyed.
            return Evidence(False if self._is_unoptimised(record) else None)
        definitions = [kind for kind in self._target.FindTypes(record.GetName() or "")
                       if kind.GetTypeClass() == record.GetTypeClass()]
        if any(_declares_destructor(kind) for kind in definitions) or record.IsPolymorphicClass():
            return Evidence(True)
        return Evidence(False)

    def _is_unoptimised(self, record: lldb.SBType) -> bool:
        for name in _mangled(record):
            for match in self._target.FindSymbols(name):
                function = match.GetSymbol().GetStartAddress().GetFunction()
                if function.IsValid():
                    return not function.GetIsOptimized()
        return False

    # ---- Code ----

    def _members(self, symbol: lldb.SBSymbol) -> Optional[Dict[int, str]]:
        instructions = symbol.GetInstructions(self._target)
        if not 0 < instructions.GetSize() <= _MOST_INSTRUCTIONS:
            return None
        path = _Path("arm64" in self._triple() or "aarch64" in self._triple())
        for index in range(instructions.GetSize()):
            instruction = instructions.GetInstructionAtIndex(index)
            mnemonic = instruction.GetMnemonic(self._target) or ""
            operands = (instruction.GetOperands(self._target) or "").lower()
            if not path.is_call(mnemonic):
                path.step(mnemonic, operands)
                continue
            called = self._called(operands)
            if called is None:
                return None
            path.call(called)
        return path.members

    def _called(self, operands: str) -> Optional[str]:
        """The function that is called; None for one that a register leads to."""
        match = _HEX.fullmatch(operands.strip().lstrip("#"))
        if match is None:
            return None
        address = self._target.ResolveLoadAddress(int(match.group(0), 16))
        return address.GetSymbol().GetName() or ""

    def _triple(self) -> str:
        return self._target.GetTriple() or ""


class _Path:
    """Which registers and stack slots hold `this` plus a number, or a word from there."""

    def __init__(self, is_arm: bool) -> None:
        self._is_arm = is_arm
        self._this: Dict[str, int] = {"x0" if is_arm else "%rdi": 0}
        self._loaded: Dict[str, int] = {}  # registers with the word at `this` plus a number
        self.members: Dict[int, str] = {}

    def is_call(self, mnemonic: str) -> bool:
        return mnemonic in ("bl", "blr", "b", "br") if self._is_arm else \
            mnemonic.startswith(("call", "jmp"))

    def call(self, name: str) -> None:
        argument = "x0" if self._is_arm else "%rdi"
        name = name.lstrip("_")
        if name in _ENDS and argument in self._this:
            self.members[self._this[argument]] = _ENDS[name]
        elif name == "objc_release" and argument in self._loaded:
            self.members[self._loaded[argument]] = "strong"
        scratch = {f"x{number}" for number in range(18)} if self._is_arm else \
            {"%rax", "%rcx", "%rdx", "%rsi", "%rdi", "%r8", "%r9", "%r10", "%r11"}
        self._forget(scratch)

    def _forget(self, places: Set[str]) -> None:
        for place in places:
            self._this.pop(place, None)
            self._loaded.pop(place, None)

    def step(self, mnemonic: str, operands: str) -> None:
        parts = _split(operands)
        if self._is_arm:
            self._step_arm(mnemonic, parts)
        else:
            self._step_x86(mnemonic, parts)

    def _step_x86(self, mnemonic: str, parts: List[str]) -> None:
        if len(parts) != 2:
            return
        source, to = parts
        if mnemonic == "movq":
            self._move(source, to, _place_x86(source))
        elif mnemonic == "addq" and source.startswith("$") and to in self._this:
            self._this[to] += int(source[1:], 16)
        elif mnemonic == "leaq":
            place = _place_x86(source)
            base = self._this.get(place[0]) if place else None
            self._forget({to})
            if place and base is not None:
                self._this[to] = base + place[1]
        else:
            self._forget({to})

    def _step_arm(self, mnemonic: str, parts: List[str]) -> None:
        if mnemonic in ("str", "stur") and len(parts) == 2:
            self._move(parts[0], parts[1], None)
        elif mnemonic in ("mov", "ldr", "ldur") and len(parts) == 2:
            self._move(parts[1], parts[0], _place_arm(parts[1]))
        elif mnemonic == "add" and len(parts) == 3 and parts[1] in self._this and \
                parts[2].startswith("#"):
            self._this[parts[0]] = self._this[parts[1]] + int(parts[2][1:], 0)
        elif parts and mnemonic not in ("stp", "cbz", "cbnz", "cmp", "tbz", "tbnz"):
            self._forget({parts[0]})

    def _move(self, source: str, to: str, place: Optional[Tuple[str, int]]) -> None:
        value = self._this.get(source)
        base = self._this.get(place[0]) if place else None
        self._forget({to})
        if value is not None:
            self._this[to] = value
        elif place and base is not None:
            self._loaded[to] = base + place[1]


def _split(operands: str) -> List[str]:
    """By commas outside brackets."""
    return [part.strip() for part in re.split(r",(?![^\[(]*[\])])", operands)]


def _place_x86(text: str) -> Optional[Tuple[str, int]]:
    """0x8(%rdi): the register and the number."""
    match = re.fullmatch(r"(-?0x[0-9a-f]+)?\((%r\w+)\)", text)
    return (match.group(2), int(match.group(1) or "0", 16)) if match else None


def _place_arm(text: str) -> Optional[Tuple[str, int]]:
    match = re.fullmatch(r"\[(x\d+)(?:, #(-?\w+))?\]", text)
    return (match.group(1), int(match.group(2) or "0", 0)) if match else None


# ---- Names of destructors ----


def _mangled(record: lldb.SBType) -> Iterator[str]:
    for index in range(record.GetNumberOfMemberFunctions()):
        name = record.GetMemberFunctionAtIndex(index).GetMangledName()
        if name:
            yield name
            if re.match(r"_ZZ\d", name):  # lldb leaves out that the function is static
                yield f"_ZZL{name[3:]}"


def _symbols(record: lldb.SBType) -> Iterator[str]:
    """What the destructor can be called by the linker: that of the object, or of the whole."""
    for prefix in _prefixes(record):
        yield prefix + "D2Ev"
        yield prefix + "D1Ev"


def _prefixes(record: lldb.SBType) -> Iterator[str]:
    for name in _mangled(record):
        if name.endswith("D4Ev"):
            yield name[:-4]
        elif "C4E" in name:
            yield name[:name.index("C4E")]
        else:
            match = _METHOD_OF_LAMBDA.match(name)
            if match is not None and types.is_lambda(record):
                yield f"{match.group(1)}N{match.group(2)}"
    name = record.GetName() or ""
    if re.fullmatch(r"\w+(::\w+)*", name):
        yield "_ZN" + "".join(f"{len(part)}{part}" for part in name.split("::"))


def _declares_destructor(record: lldb.SBType) -> bool:
    return any((record.GetMemberFunctionAtIndex(index).GetName() or "").startswith("~")
               for index in range(record.GetNumberOfMemberFunctions()))
