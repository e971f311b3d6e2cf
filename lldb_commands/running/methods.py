"""loupe break: a breakpoint at a method that lldb has no name for.

Where its code is, is read from the lists that the runtime keeps of methods, from outside. Only what
they do not tell is asked of the runtime by its public functions, which are called in the process:
classes that it has not linked yet, and selectors of Apple's shared cache, whose names only it finds.
A breakpoint for a class that is not there yet waits for it (pending.py).
"""
from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Callable, Optional, Tuple

import lldb

from .. import breakpoints
from ..api import questions
from ..engines import arguments, locks, policy
from ..engines.question import Question
from ..errors import ANOTHER_STOP, CUT_OFF, LoupeError
from ..expressions import resolve
from ..expressions.problems import first_line
from ..protocol import Error, Named
from ..render.words import plural
from ..session import only_memory
from ..session.context import Context
from ..text.printable import printable
from . import pending

# -[Class selector], the class perhaps with a category, which the runtime forgets.
_METHOD = re.compile(r"(?P<kind>[-+])\s*\[\s*(?P<cls>[\w$.]+)\s*(?:\([\w$]*\))?\s+"
                     r"(?P<selector>[\w$:]+)\s*\]")
_FORM = "name a method as -[NSWindow close] or +[NSDate date]"
_NO_CLASS = "no class is named {} in the process now"
_NO_PROCESS = "there is no process yet"
_LOOK_UP = "objc_lookUpClass"
_NO_FUNCTION = ("there is no function {} in the process: its Objective-C runtime is not loaded yet, or is part of "
                "the program and stripped (loupe doctor says which)")
_DEEPEST = 256  # superclasses that are looked at
_LONGEST_NAME = 1 << 10
_FIRST_ARGUMENT = {"x86_64": "rdi", "x86_64h": "rdi", "arm64": "x0", "arm64e": "x0", "aarch64": "x0"}
_CALLBACK = breakpoints.__name__ + ".stop_for_argument"
# What all ways to make an object come to, of GNUstep, of Apple's runtime, of others.
_ALLOCATES = ("NSAllocateObject", "_objc_rootAllocWithZone", "class_createInstance")
_LEAST_TIME = 1.0  # for a call, which may leave a lock of the runtime taken if it is cut off


@dataclass(frozen=True)
class _Method:
    kind: str
    cls: str
    selector: str

    def __str__(self) -> str:
        return f"{self.kind}[{self.cls} {self.selector}]"


class _NotYet(LoupeError):
    """The process has no such class now, but may have one later."""


def set_breakpoint(text: str, context: Context) -> str:
    """Sets it; what to tell about it."""
    asked = _parse(text)
    _refuse_core(context)
    try:
        found, code = _find(asked, context)
    except _NotYet as error:
        return _wait_for_method(asked, context.target, str(error))
    where = lldb.SBAddress(code, context.target)
    breakpoint = context.target.BreakpointCreateByAddress(code + _prologue(where))
    if not breakpoint.IsValid() or not breakpoint.GetNumLocations():
        raise _no_breakpoint(code, found)
    return _said_of(breakpoint, asked, found, code, context)


def _no_breakpoint(code: int, found: _Method) -> LoupeError:
    return LoupeError(f"lldb sets no breakpoint at {code:#x}, where {found} is")


def _said_of(breakpoint: lldb.SBBreakpoint, asked: _Method, found: _Method, code: int,
             context: Context) -> str:
    module = lldb.SBAddress(code, context.target).GetModule().GetFileSpec().GetFilename()
    place = f"{code:#x} in {module}" if module else f"{code:#x}"
    text = printable(f"Breakpoint {breakpoint.GetID()}: {found} at {place}")
    if found != asked:
        text += "\n" + printable(f"{asked} is inherited: this stops for every class that has it "
                                 f"from {found.cls}")
    return text


def stop_at_instance(name: str, number: int, context: Context) -> str:
    """A breakpoint where the so-many-th object of a class is made from now on, of subclasses none."""
    _refuse_core(context)
    cls = questions.class_named(name, context, "memory")
    if not cls and resolve.is_name(name):
        return _wait_for_instance(name, number, context.target, _NO_CLASS.format(name))
    cls = cls or questions.class_or_object(name, context, "memory").address
    code = _allocates(context)
    if not code:
        raise LoupeError("there is none of the functions in the process that allocate objects: " +
                         ", ".join(_ALLOCATES))
    breakpoint = context.target.BreakpointCreateByAddress(code)
    _stop_for(breakpoint, _first_argument(context.target), cls, number)
    return _said_of_instance(breakpoint, name, number)


def _said_of_instance(breakpoint: lldb.SBBreakpoint, name: str, number: int) -> str:
    return printable(f"Breakpoint {breakpoint.GetID()}: instance {number} of {name} from now on, once")


def _allocates(context: Context) -> int:
    """Where objects are made; 0: nowhere yet."""
    return next((found for function in _ALLOCATES for found in [_function(function, context)] if found), 0)


# ---- Before the class is there ----


def set_before_launch(text: str, target: lldb.SBTarget) -> str:
    return _wait_for_method(_parse(text), target, _NO_PROCESS)


def stop_at_instance_after_launch(name: str, number: int, target: lldb.SBTarget) -> str:
    return _wait_for_instance(name, number, target, _NO_PROCESS)


def _wait_for_method(asked: _Method, target: lldb.SBTarget, why: str) -> str:
    def look(breakpoint: lldb.SBBreakpoint, context: Context) -> Optional[pending.Place]:
        found, code = _read(asked, context, 0)
        where = lldb.SBAddress(code, context.target)
        return pending.Place(lldb.SBAddress(code + _prologue(where), context.target),
                             _said_of(breakpoint, asked, found, code, context))
    return _waits(str(asked), look, target, why)


def _wait_for_instance(name: str, number: int, target: lldb.SBTarget, why: str) -> str:
    def look(breakpoint: lldb.SBBreakpoint, context: Context) -> Optional[pending.Place]:
        cls, code = questions.class_named(name, context, "memory"), _allocates(context)
        if not cls or not code:
            return None
        _stop_for(breakpoint, _first_argument(context.target), cls, number)
        return pending.Place(lldb.SBAddress(code, context.target),
                             _said_of_instance(breakpoint, name, number))
    return _waits(f"instance {number} of {name}", look, target, why)


def _waits(what: str, look: Callable[[lldb.SBBreakpoint, Context], Optional[pending.Place]],
           target: lldb.SBTarget, why: str) -> str:
    breakpoint = pending.wait(what, look, target, _register_of(target))
    return printable(f"Breakpoint {breakpoint.GetID()}: {what}, pending: {why}; Loupe looks for the class at "
                     f"{pending.PLACES}")


# ---- Stops for one argument ----


def _stop_for(breakpoint: lldb.SBBreakpoint, register: str, value: int, number: int) -> None:
    """Once, the so-many-th time that a function is called with that first argument. By a callback,
    as lldb may map memory in the process for what a condition says."""
    told = lldb.SBStructuredData()
    told.SetFromJSON(json.dumps({"register": register, "value": f"{value:#x}", "number": number}))
    breakpoint.SetScriptCallbackFunction(_CALLBACK, told)
    breakpoint.SetOneShot(True)


def _register_of(target: lldb.SBTarget) -> Optional[str]:
    return _FIRST_ARGUMENT.get((target.GetTriple() or "").partition("-")[0])


def _first_argument(target: lldb.SBTarget) -> str:
    register = _register_of(target)
    if register is None:
        raise pending.unknown_argument()
    return register


def set_at_death(address: int, cls: str, context: Context) -> str:
    """A breakpoint at the -dealloc of one object, for once: its place may be another object's then."""
    _refuse_core(context)
    first = _first_argument(context.target)
    found, code = _find(_Method("-", cls, "dealloc"), context, address)
    breakpoint = context.target.BreakpointCreateByAddress(code)
    if not breakpoint.IsValid() or not breakpoint.GetNumLocations():
        raise _no_breakpoint(code, found)
    _stop_for(breakpoint, first, address, 1)
    return printable(f"Breakpoint {breakpoint.GetID()}: {found} of {cls} {address:#x}, once")


def _parse(text: str) -> _Method:
    bare = text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text
    match = _METHOD.fullmatch(bare.strip())
    if match is None:
        raise LoupeError(f"{bare} is not a method: {_FORM}" if bare else f"no method given: {_FORM}")
    return _Method(match["kind"], match["cls"], match["selector"])


def _refuse_core(context: Context) -> None:
    if context.is_core:
        raise LoupeError("a core file runs no code that could stop: start the program, or attach to it")


def _find(asked: _Method, context: Context, address: int = 0) -> Tuple[_Method, int]:
    """The method that runs for the one that was asked for, of the class that has it; and its code.
    address: of an object whose method it is, if one is known."""
    try:
        return _read(asked, context, address)
    except LoupeError as error:
        why_not = error
    if only_memory.is_on():
        raise why_not
    obstacle = locks.obstacle(context)
    if obstacle is not None:
        raise LoupeError(f"{why_not}; the runtime cannot be asked here: {obstacle}, and the question "
                         f"may wait for it; {ANOTHER_STOP}")
    return _ask_runtime(asked, context)


# ---- By the lists ----


def _read(asked: _Method, context: Context, address: int) -> Tuple[_Method, int]:
    """The method and its code. LoupeError: they do not tell."""
    address = address or resolve.class_address(asked.cls, context) or 0
    told = [arguments.selector(asked.selector), "" if address else arguments.of_class(asked.cls)]
    answer = policy.ask(Question("methods", address, arguments=arguments.joined(told)), context, "memory")
    if answer.get("status") == "error":
        raise _no_class(asked, answer.get("error") or {})
    named: Named = answer.get("named") or {}
    sides = named.get("instances"), named.get("itself")
    wanted, other = sides if asked.kind == "-" else sides[::-1]
    if not wanted:
        raise LoupeError(_no_method(asked, bool(other), int(named.get("nameless") or 0)))
    name = _METHOD.fullmatch(str(wanted["method"]))
    if name is None:
        raise LoupeError(f"the runtime's lists give no name for {asked}")
    method = _Method(name["kind"], name["cls"], name["selector"])
    return method, context.strip(int(str(wanted["code"]), 16))


def _no_class(asked: _Method, error: Error) -> LoupeError:
    code, message = error.get("code"), f"the lists of methods cannot be read: {error.get('message')}"
    if code == "not-an-object":
        return _NotYet(_NO_CLASS.format(asked.cls))
    return _NotYet(message) if code == "no-runtime" else LoupeError(message)


def _no_method(asked: _Method, is_of_other_kind: bool, nameless: int = 0) -> str:
    """Of a method that is not there: perhaps the class has it of the other kind."""
    kind, whose = ("+", "instances") if asked.kind == "-" else ("-", "itself")
    hint = f"there is {kind}[{asked.cls} {asked.selector}]" if is_of_other_kind else \
        "each argument has its colon in the name"
    if nameless:
        hint = f"{plural(nameless, 'method')} of them have no name that can be read"
    return f"{asked.cls} has no such method for {whose}, nor has a superclass: {asked}; {hint}"


# ---- By the runtime ----


def _ask_runtime(asked: _Method, context: Context) -> Tuple[_Method, int]:
    if not _function(_LOOK_UP, context):
        raise _NotYet(_NO_FUNCTION.format(_LOOK_UP))
    cls = _call(_LOOK_UP, context, f'"{asked.cls}"')
    if not cls:
        raise _NotYet(_NO_CLASS.format(asked.cls))
    selector = _call("sel_registerName", context, f'"{asked.selector}"')
    method = _method_of(asked.kind, cls, selector, context)
    if not method:
        other = "+" if asked.kind == "-" else "-"
        raise LoupeError(_no_method(asked, bool(_method_of(other, cls, selector, context))))
    code = context.strip(_call("method_getImplementation", context, _pointer(method)))
    if not code:
        raise LoupeError(f"{asked} has no code: the runtime gives 0 for where it is")
    owner = _owner(asked.kind, cls, selector, method, context)
    # Classes answer to the methods of their root's instances, too.
    kind = "-" if _method_of("-", owner, selector, context) == method else asked.kind
    if owner == cls and kind == asked.kind:
        return asked, code
    name = _text_at(_call("class_getName", context, _pointer(owner)), context)
    return _Method(kind, name, asked.selector), code


def _method_of(kind: str, cls: int, selector: int, context: Context) -> int:
    name = "class_getInstanceMethod" if kind == "-" else "class_getClassMethod"
    return _call(name, context, f"{_pointer(cls)}, {_pointer(selector)}")


def _owner(kind: str, cls: int, selector: int, method: int, context: Context) -> int:
    """The class that the method is from: the last of the superclasses that answers with the same."""
    # Cap: an error.
    for _ in range(_DEEPEST):
        parent = _call("class_getSuperclass", context, _pointer(cls))
        if not parent or _method_of(kind, parent, selector, context) != method:
            return cls
        cls = parent
    raise LoupeError(f"the class at {cls:#x} has more than {_DEEPEST} superclasses: they are damaged")


def _pointer(address: int) -> str:
    return f"(const void *){address:#x}"


def _prologue(where: lldb.SBAddress) -> int:
    """How far behind it arguments are in place for lldb's variables: of code that has debug info."""
    function = where.GetFunction()
    return int(function.GetPrologueByteSize()) if function.IsValid() else 0


def _text_at(address: int, context: Context) -> str:
    error = lldb.SBError()
    text = context.process.ReadCStringFromMemory(address, _LONGEST_NAME, error)
    return str(text) if error.Success() and text else f"{address:#x}"


def _function(name: str, context: Context) -> int:
    """Where it is; 0: nowhere."""
    return next((address for match in context.target.FindSymbols(name, lldb.eSymbolTypeCode)
                 for address in [match.GetSymbol().GetStartAddress().GetLoadAddress(context.target)]
                 if address != lldb.LLDB_INVALID_ADDRESS), 0)


def _call(name: str, context: Context, arguments: str) -> int:
    """What a function of the runtime gives for pointers."""
    function = _function(name, context)
    if not function:
        raise LoupeError(_NO_FUNCTION.format(name))
    kinds = ", ".join(["const void *"] * len(arguments.split(",")))
    value = context.evaluate(f"((unsigned long (*)({kinds})){function:#x})({arguments})",
                             cplusplus=True, all_threads=True, at_least=_LEAST_TIME,
                             does="called the Objective-C runtime")
    if value.GetError().Success():
        return int(value.GetValueAsUnsigned(0))
    late = CUT_OFF if context.is_late() else first_line(value.GetError())
    raise LoupeError(f"{name} cannot be called here: {late}; {ANOTHER_STOP}")
