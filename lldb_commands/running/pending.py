"""Breakpoints that wait for a class: lldb's own pending ones, which get their place once the class is there.

Classes are there when main() begins, when dlopen() comes back, and when a program has made one itself. That is
where Loupe looks, by reading alone: +load and constructors have run by then.
"""
from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

import lldb

from ..errors import LoupeError
from ..session.context import Context
from ..text.printable import printable

_SECONDS = 10.0  # for one look
# Functions after which a class may be there that was not before, as far as the process has them.
_MAKERS = ("dlopen", "dlmopen", "objc_registerClassPair")
_STARTER = "__libc_start_main"  # of glibc and musl, which gives main() as the first argument
PLACES = "main(), after dlopen() and objc_registerClassPair()"


@dataclass(frozen=True)
class Place:
    """Where a breakpoint that waited belongs, and what is told of it."""

    address: lldb.SBAddress
    said: str


Look = Callable[[lldb.SBBreakpoint, Context], Optional[Place]]


@dataclass(frozen=True)
class _Waiting:
    target: lldb.SBTarget
    breakpoint: lldb.SBBreakpoint
    look: Look

    def is_wanted(self) -> bool:
        """Who deletes the breakpoint waits no longer."""
        return bool(self.target.IsValid() and
                    self.target.FindBreakpointByID(self.breakpoint.GetID()).IsValid())


_waiting: List[_Waiting] = []
_arrivals: List[Tuple[lldb.SBTarget, lldb.SBBreakpoint]] = []  # breakpoints where classes may appear


class Unplaced:
    """What lldb asks for the places of such a breakpoint. It has none to offer by itself."""

    def __init__(self, _breakpoint: lldb.SBBreakpoint, extra: lldb.SBStructuredData,
                 _internal: Dict[str, Any]) -> None:
        self._what = extra.GetValueForKey("what").GetStringValue(4096)

    def __callback__(self, _context: lldb.SBSymbolContext) -> bool:
        return True

    def __get_depth__(self) -> int:
        return int(lldb.eSearchDepthTarget)

    def get_short_help(self) -> str:
        """For `breakpoint list`."""
        return f"loupe = '{printable(self._what)}'"


def unknown_argument() -> LoupeError:
    return LoupeError("where a function of this processor has its first argument is not known")


def wait(what: str, look: Look, target: lldb.SBTarget, register: Optional[str]) -> lldb.SBBreakpoint:
    """A breakpoint that gets its place as soon as there is one. register: where functions of this processor
    have their first argument."""
    if register is None and "linux" in (target.GetTriple() or ""):
        raise unknown_argument()
    told = lldb.SBStructuredData()
    told.SetFromJSON(json.dumps({"what": what}))
    breakpoint: lldb.SBBreakpoint = target.BreakpointCreateFromScript(
        f"{__name__}.{Unplaced.__name__}", told, lldb.SBFileSpecList(), lldb.SBFileSpecList())
    if not breakpoint.IsValid():
        raise LoupeError("lldb makes no breakpoint without a place")
    _waiting.append(_Waiting(target, breakpoint, look))
    if not any(known == target and mine.IsValid() for known, mine in _arrivals):
        _watch_arrivals(target, register)
    return breakpoint


def _watch_arrivals(target: lldb.SBTarget, register: Optional[str]) -> None:
    for function in _MAKERS:
        _stop_silently(target, target.BreakpointCreateByName(function), after_call)
    if "linux" in (target.GetTriple() or ""):
        _stop_silently(target, target.BreakpointCreateByName(_STARTER), at_start, {"register": register})
    else:
        program = target.GetExecutable().GetFilename() or ""
        _stop_silently(target, target.BreakpointCreateByName("main", program), at_arrival)


def _stop_silently(target: lldb.SBTarget, breakpoint: lldb.SBBreakpoint, callback: Callable[..., bool],
                   told: Optional[Dict[str, Any]] = None) -> None:
    extra = lldb.SBStructuredData()
    extra.SetFromJSON(json.dumps(told or {}))
    breakpoint.SetScriptCallbackFunction(f"{__name__}.{callback.__name__}", extra)
    _arrivals.append((target, breakpoint))


def _once(frame: lldb.SBFrame, address: int) -> None:
    """Looks when this thread comes there."""
    target = frame.GetThread().GetProcess().GetTarget()
    breakpoint = target.BreakpointCreateByAddress(address)
    breakpoint.SetThreadID(frame.GetThread().GetThreadID())
    _stop_silently(target, breakpoint, at_arrival, {"once": True})


def at_start(frame: lldb.SBFrame, _location: lldb.SBBreakpointLocation, extra: lldb.SBStructuredData,
             _internal: Dict[str, Any]) -> bool:
    register = extra.GetValueForKey("register").GetStringValue(16)
    main = frame.FindRegister(register).GetValueAsUnsigned()
    if main:
        _once(frame, main)
    return False


def after_call(frame: lldb.SBFrame, _location: lldb.SBBreakpointLocation, _extra: lldb.SBStructuredData,
               _internal: Dict[str, Any]) -> bool:
    caller = frame.GetThread().GetFrameAtIndex(1)
    if caller.IsValid():
        _once(frame, caller.GetPC())
    return False


def at_arrival(frame: lldb.SBFrame, location: lldb.SBBreakpointLocation, extra: lldb.SBStructuredData,
               _internal: Dict[str, Any]) -> bool:
    """Gives places to what waits, and says so. Goes on."""
    target = frame.GetThread().GetProcess().GetTarget()
    if extra.GetValueForKey("once").IsValid():
        _drop(target, lambda breakpoint: breakpoint.GetID() == location.GetBreakpoint().GetID())
    for waiting in [each for each in _waiting if each.target == target]:
        if not waiting.is_wanted() or _give_place(waiting, frame):
            _waiting.remove(waiting)
    if not any(each.target == target for each in _waiting):
        _drop(target, lambda _breakpoint: True)
    return False


def _drop(target: lldb.SBTarget, chosen: Callable[[lldb.SBBreakpoint], bool]) -> None:
    for known in list(_arrivals):
        if known[0] == target and chosen(known[1]):
            _arrivals.remove(known)
            target.BreakpointDelete(known[1].GetID())


def _give_place(waiting: _Waiting, frame: lldb.SBFrame) -> bool:
    thread = frame.GetThread()
    process = thread.GetProcess()
    context = Context(waiting.target.GetDebugger(), waiting.target, process, thread, frame,
                      time.monotonic() + _SECONDS)
    try:
        place = waiting.look(waiting.breakpoint, context)
    except LoupeError:
        return False
    if place is None:
        return False
    waiting.breakpoint.AddLocation(place.address)
    print(place.said)
    return True
