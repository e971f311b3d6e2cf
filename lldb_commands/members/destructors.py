"""What the destructor of a C++ type does to the objects in it: the compiler's own word on ownership.

Under ARC it releases strong members (objc_storeStrong, objc_release), ends weak ones
(objc_destroyWeak), and leaves the others alone. The code is read, not run: a straight path, in
which registers and the frame hold `this` plus a number and words from there. Where it ends something
that cannot be made out, it gives no answer.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, Iterator, List, Match, Optional, Tuple

import lldb

from ..session.context import Context
from . import types

_MOST_INSTRUCTIONS = 2000
_ENDS = {"objc_storeStrong": "strong", "objc_destroyWeak": "weak"}
_RELEASE = re.compile(r"objc_release(?:_(x\d+))?")
_DELETE = "operator delete("
_FRAME = ("%rbp", "%rsp", "x29", "sp")
_SCRATCH_ARM = [f"x{number}" for number in range(18)]
_SCRATCH_X86 = ["%rax", "%rcx", "%rdx", "%rsi", "%rdi", "%r8", "%r9", "%r10", "%r11"]
_FIRST_INSTRUCTIONS = 12
_STORED_ARGUMENT = re.compile(
    r"movq %rdi, -?0x[0-9a-f]+\(%r[bs]p\)|stu?r x0, \[(?:sp|x29)\b")
_LONGEST_NAME = 4096  # of a lambda: the pattern is tried at each place of it
_METHOD_OF_LAMBDA = re.compile(r"^(_ZZ?.*)NK?(\d*[^N]*?)cl[EI]")
_WORD_BEHIND = re.compile(r"(-?0x[0-9a-f]+)\(%rip\)")  # counted from the end of the instruction
_CALLED = re.compile(r"[#*$]*(0x[0-9a-f]+)|\*?([%x]\w+)")


@dataclass(frozen=True)
class Evidence:
    """members: what the destructor ends and how ("strong", "weak", "deleted"), by offset; None: its code does not tell, or there is none.
    is_there: the type has a destructor; the optimiser leaves no trace of those that are inlined."""

    is_there: bool
    members: Optional[Dict[int, str]] = None


class Destructors:
    """Looks each type up once. Lives as long as one command."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._target = context.target
        self._known: Dict[str, Evidence] = {}

    def of(self, record: lldb.SBType) -> Evidence:
        names = self._functions(record)
        key = next(_symbols(record, names), "" if types.is_lambda(record) else record.GetName() or "")
        if not key:
            return Evidence(False)
        if key not in self._known:
            self._known[key] = self._look(record, names)
        return self._known[key]

    def is_unoptimised(self, record: lldb.SBType) -> bool:
        """Whether the code of a type's functions is; False if it has none."""
        for name in self._functions(record):
            for function in self._named(name):
                return is_unoptimised(function, self._target)
        return False

    def place_of(self, record: lldb.SBType) -> Optional[Tuple[str, int]]:
        """Where a lambda was written, by the code that it runs; None where that is inlined."""
        for index in range(record.GetNumberOfMemberFunctions()):
            function = record.GetMemberFunctionAtIndex(index)
            if function.GetName() != "operator()":
                continue
            for found in self._named(function.GetMangledName() or ""):
                line = found.GetStartAddress().GetLineEntry()
                file = line.GetFileSpec().GetFilename()
                if self._is_of(record, found) and file and line.GetLine():
                    return file, line.GetLine()
        return None

    def _functions(self, record: lldb.SBType) -> List[str]:
        """Mangled names of its functions. lldb 14 counts lambdas by itself and gets other numbers
        than the compiler, so that their names can be those of other lambdas."""
        names = list(_mangled(record))
        if not types.is_lambda(record):
            return names
        return [name for name in names if any(self._is_of(record, function)
                                              for function in self._named(name))]

    def _named(self, name: str) -> Iterator[lldb.SBFunction]:
        for match in self._target.FindSymbols(name):
            function = match.GetSymbol().GetStartAddress().GetFunction()
            if function.IsValid():
                yield function

    def _is_of(self, record: lldb.SBType, function: lldb.SBFunction) -> bool:
        for variable in function.GetBlock().GetVariables(self._target, True, False, False):
            if variable.GetName() == "this":
                kind = variable.GetType().GetPointeeType().GetCanonicalType()
                return bool(kind.GetUnqualifiedType() == record)
        return False

    def _look(self, record: lldb.SBType, names: List[str]) -> Evidence:
        for name in _symbols(record, names):
            for match in self._target.FindSymbols(name):
                symbol = match.GetSymbol()
                if symbol.GetMangledName() == name:
                    return Evidence(True, self._members(symbol))
        if types.is_lambda(record) or _declares_destructor(record):
            return Evidence(not types.is_lambda(record))
        definitions = [kind for kind in self._target.FindTypes(record.GetName() or "")
                       if kind.GetTypeClass() == record.GetTypeClass()]
        return Evidence(any(_declares_destructor(kind) for kind in definitions)
                        or record.IsPolymorphicClass())

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
                path.step(mnemonic, self._with_words(instruction, operands))
                continue
            called = self._called(path, self._with_words(instruction, operands))
            if called is None or not path.call(called):
                return None
        return path.members

    def _with_words(self, instruction: lldb.SBInstruction, operands: str) -> str:
        """The word at a place behind the code is a constant: in it stand addresses of functions."""
        def word(match: Match[str]) -> str:
            end = instruction.GetAddress().GetLoadAddress(self._target) + instruction.GetByteSize()
            return f"${self._context.read_pointer(end + int(match.group(1), 16)):#x}"
        return _WORD_BEHIND.sub(word, operands)

    def _called(self, path: _Path, operands: str) -> Optional[str]:
        """The function that is called; None for one without a name, or that is not known."""
        match = _CALLED.fullmatch(operands.strip())
        if match is None:
            return None
        called = int(match.group(1), 16) if match.group(1) else path.constant(match.group(2))
        if called is None:
            return None
        return self._target.ResolveLoadAddress(called).GetSymbol().GetName() or None

    def _triple(self) -> str:
        return self._target.GetTriple() or ""


# What a register or a stack slot holds: `this` plus a number, the word that stands there, a
# constant, or something that is no member. What is not listed may be anything.
_Value = Tuple[str, int]
_OTHER = ("other", 0)


class _Path:
    """What registers and stack slots hold along the code."""

    def __init__(self, is_arm: bool) -> None:
        self._is_arm = is_arm
        self._argument = "x0" if is_arm else "%rdi"
        self._values: Dict[str, _Value] = {self._argument: ("this", 0)}
        self.members: Dict[int, str] = {}

    def is_call(self, mnemonic: str) -> bool:
        return mnemonic in ("bl", "blr", "b", "br") if self._is_arm else \
            mnemonic.startswith(("call", "jmp"))

    def call(self, name: str) -> bool:
        """False: something is ended, and it is not known what."""
        name = name.lstrip("_")
        register = _RELEASE.fullmatch(name)
        if name.startswith(_DELETE):
            value, is_known = self._values.get(self._argument), True
            self._end(value, "member", "deleted")
        elif register is not None:
            value = self._values.get(register.group(1) or self._argument)
            is_known = self._end(value, "member", "strong")
        else:
            value = self._values.get(self._argument)
            is_known = name not in _ENDS or self._end(value, "this", _ENDS[name])
        for place in _SCRATCH_ARM if self._is_arm else _SCRATCH_X86:
            self._values.pop(place, None)
        self._values["x0" if self._is_arm else "%rax"] = _OTHER
        return is_known

    def _end(self, value: Optional[_Value], of_members: str, ownership: str) -> bool:
        if value is not None and value[0] == of_members:
            self.members[value[1]] = ownership
        return value is not None

    def constant(self, register: str) -> Optional[int]:
        value = self._values.get(register)
        return value[1] if value is not None and value[0] == "constant" else None

    def step(self, mnemonic: str, operands: str) -> None:
        parts = _split(operands)
        if self._is_arm:
            self._step_arm(mnemonic, parts)
        else:
            self._step_x86(mnemonic, parts)

    def _step_x86(self, mnemonic: str, parts: List[str]) -> None:
        if len(parts) != 2 or mnemonic.startswith(("cmp", "test")):
            return
        source, to = parts
        place = _place_x86(source)
        if mnemonic == "movq" and source.startswith("$0x"):
            self._set(to, ("constant", int(source[1:], 16)))
        elif mnemonic == "movq":
            self._set(to, self._values.get(source) or self._load(place))
        elif mnemonic == "addq" and source.startswith("$"):
            self._set(to, self._plus(to, int(source[1:], 16)))
        elif mnemonic == "leaq":
            self._set(to, self._plus(*place) if place else None)
        else:
            self._set(to, None)

    def _step_arm(self, mnemonic: str, parts: List[str]) -> None:
        if mnemonic in ("str", "stur") and len(parts) == 2:
            self._set(parts[1], self._values.get(parts[0]))
        elif mnemonic in ("mov", "ldr", "ldur") and len(parts) == 2:
            self._set(parts[0], self._values.get(parts[1]) or self._load(_place_arm(parts[1])))
        elif mnemonic == "ldp" and len(parts) == 3:
            place = _place_arm(parts[2])
            after = (place[0], place[1] + 8) if place else None
            first, second = self._load(place), self._load(after)
            self._set(parts[0], first)
            self._set(parts[1], second)
        elif mnemonic == "add" and len(parts) == 3 and parts[2].startswith("#"):
            self._set(parts[0], self._plus(parts[1], int(parts[2][1:], 0)))
        elif parts and mnemonic not in ("stp", "cbz", "cbnz", "cmp", "tbz", "tbnz"):
            self._set(parts[0], None)

    def _set(self, place: str, value: Optional[_Value]) -> None:
        if value is None:
            self._values.pop(place, None)
        else:
            self._values[place] = value

    def _plus(self, register: str, number: int) -> Optional[_Value]:
        """An address: in the object, or in the frame."""
        if register in _FRAME:
            return _OTHER
        value = self._values.get(register)
        return ("this", value[1] + number) if value and value[0] == "this" else None

    def _load(self, place: Optional[Tuple[str, int]]) -> Optional[_Value]:
        """The word at an address: a member, or something outside of the object."""
        if place is None or place[0] in _FRAME:
            return None
        value = self._values.get(place[0])
        if value and value[0] != "this":
            return _OTHER
        return ("member", value[1] + place[1]) if value else None


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


def is_unoptimised(function: lldb.SBFunction, target: lldb.SBTarget) -> bool:
    """Not all debug info says whether code was optimised. Code that was not puts all arguments into
    its frame first."""
    if function.GetIsOptimized():
        return False
    instructions = function.GetInstructions(target)
    for index in range(min(instructions.GetSize(), _FIRST_INSTRUCTIONS)):
        instruction = instructions.GetInstructionAtIndex(index)
        text = f"{instruction.GetMnemonic(target)} {instruction.GetOperands(target)}".lower()
        if _STORED_ARGUMENT.match(text):
            return True
    return False


# ---- Names of destructors ----


def _mangled(record: lldb.SBType) -> Iterator[str]:
    for index in range(record.GetNumberOfMemberFunctions()):
        name = record.GetMemberFunctionAtIndex(index).GetMangledName()
        if name:
            yield name
            if re.match(r"_ZZ\d", name):  # lldb leaves out that the function is static
                yield f"_ZZL{name[3:]}"


def _symbols(record: lldb.SBType, functions: List[str]) -> Iterator[str]:
    """What the destructor can be called by the linker: that of the object, or of the whole."""
    for prefix in _prefixes(record, functions):
        yield prefix + "D2Ev"
        yield prefix + "D1Ev"


def _prefixes(record: lldb.SBType, functions: List[str]) -> Iterator[str]:
    for name in functions:
        if name.endswith("D4Ev"):
            yield name[:-4]
        elif "C4E" in name:
            yield name[:name.index("C4E")]
        else:
            match = _METHOD_OF_LAMBDA.match(name) if len(name) <= _LONGEST_NAME else None
            if match is not None and types.is_lambda(record):
                yield f"{match.group(1)}N{match.group(2)}"
    name = record.GetName() or ""
    if re.fullmatch(r"\w+(::\w+)*", name):
        yield "_ZN" + "".join(f"{len(part)}{part}" for part in name.split("::"))


def _declares_destructor(record: lldb.SBType) -> bool:
    return any((record.GetMemberFunctionAtIndex(index).GetName() or "").startswith("~")
               for index in range(record.GetNumberOfMemberFunctions()))
