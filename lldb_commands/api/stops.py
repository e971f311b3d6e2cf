"""Where a script asks: from what it has in its hands to a stop of a process."""
from __future__ import annotations

from typing import Optional, Union

import lldb

from ..errors import LoupeError, is_nil
from ..expressions import resolve
from ..session.context import Context, at_stop
from . import questions

Place = Union[lldb.SBFrame, lldb.SBThread, lldb.SBProcess, lldb.SBTarget, lldb.SBExecutionContext]
Asked = Union[lldb.SBValue, int, str]

_WHERE = "say at which stop, as in at=frame"


def context_at(place: Optional[Place], timeout: float) -> Context:
    """The stop there; without a place the one that is selected in lldb."""
    where = _execution_context(place)
    return at_stop(where.GetTarget().GetDebugger(), where, timeout)


def subject(asked: Asked, place: Optional[Place], timeout: float,
            engine: str = "auto", takes_class: bool = False) -> questions.Subject:
    """An address, what an expression leads to, or what a value of lldb holds; where a class may be
    asked about, also its name."""
    if isinstance(asked, lldb.SBValue):
        return _subject_of_value(asked, place, timeout, engine)
    context = context_at(place, timeout)
    if isinstance(asked, str):
        find = questions.class_or_object if takes_class else questions.subject
        return find(asked, context, engine)
    if asked == 0:
        raise is_nil("0")
    return questions.Subject(asked, context, engine, f"{asked:#x}")


def _subject_of_value(value: lldb.SBValue, place: Optional[Place], timeout: float,
                      engine: str) -> questions.Subject:
    if not value.IsValid():
        raise LoupeError("that value is not valid: it was not found, or its stop is over")
    frame = value.GetFrame()
    context = context_at(place or (frame if frame.IsValid() else value.GetProcess()), timeout)
    name = value.GetName() or "the value"
    address = resolve.address_of(value, name)
    if address == 0:
        raise is_nil(name)
    return questions.Subject(address, context, engine, name)


def _execution_context(place: Optional[Place]) -> lldb.SBExecutionContext:
    if isinstance(place, lldb.SBExecutionContext):
        return place
    if place is None:
        place = _selected()
    if not place.IsValid():
        raise LoupeError(f"that place is not valid any more: {_WHERE}")
    if isinstance(place, lldb.SBTarget):
        place = place.GetProcess()
    if isinstance(place, lldb.SBProcess) and place.GetSelectedThread().IsValid():
        place = place.GetSelectedThread()
    if isinstance(place, lldb.SBThread) and place.GetSelectedFrame().IsValid():
        place = place.GetSelectedFrame()
    return lldb.SBExecutionContext(place)


def _selected() -> lldb.SBTarget:
    """What somebody at the prompt looks at. Breakpoint actions and programs have to say."""
    debugger = getattr(lldb, "debugger", None)
    if debugger is None or not debugger.IsValid():
        raise LoupeError(_WHERE)
    target: lldb.SBTarget = debugger.GetSelectedTarget()
    if not target.IsValid():
        raise LoupeError(f"lldb has no target: {_WHERE}")
    return target
