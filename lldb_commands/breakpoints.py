"""For breakpoints: a callback that stops only if there is a cycle, and what was reported before.

    breakpoint command add -F lldb_commands.breakpoints.stop_if_cycle -k expr -v self
    breakpoint command add -F lldb_commands.breakpoints.report_cycles -k expr -v self
"""
from __future__ import annotations

from typing import Any, Dict, Set, Tuple

import lldb

from .protocol import Answer, Ring

_Ring = Tuple[str, Tuple[str, ...]]
# How often a breakpoint met the argument that it waits for, by process and number.
_met: Dict[Tuple[int, int], int] = {}
# Rings that were printed, by process. A process has a new id in each run of the program.
_reported: Dict[int, Set[_Ring]] = {}


def is_news(answer: Answer, context: Any, repeat: bool) -> bool:
    """Whether the answer has a ring not yet reported in this process; marks all as reported."""
    rings = {_identity(ring) for knot in answer.get("knots") or []
             for ring in knot.get("rings") or []}
    seen = _reported.setdefault(context.process.GetUniqueID(), set())
    new = rings - seen
    seen |= rings
    return bool(rings) if repeat else bool(new)


def _identity(ring: Ring) -> _Ring:
    """Fingerprint and addresses: the same bug in another pair of objects is news."""
    addresses = sorted(str(edge.get("from")) for edge in ring.get("edges") or [])
    return str(ring.get("fingerprint")), tuple(addresses)


def stop_if_cycle(frame: lldb.SBFrame, _location: lldb.SBBreakpointLocation,
                  extra: lldb.SBStructuredData, _internal: Dict[str, Any]) -> bool:
    """Stops (and says why) only if the object is in or leads to a retain cycle not yet reported.

    Keys: expr (default self), timeout (seconds, default 2), engine, repeat. A question that cannot
    be answered does not stop the program; it is printed.
    """
    return _ask(frame, extra)


def report_cycles(frame: lldb.SBFrame, _location: lldb.SBBreakpointLocation,
                  extra: lldb.SBStructuredData, _internal: Dict[str, Any]) -> bool:
    """The same, and goes on: silent until there is a cycle not yet reported. Of a command that is
    given with -C, lldb prints the line at each hit."""
    _ask(frame, extra)
    return False


def stop_for_argument(frame: lldb.SBFrame, location: lldb.SBBreakpointLocation,
                      extra: lldb.SBStructuredData, _internal: Dict[str, Any]) -> bool:
    """Stops the number-th time that a register has that value. Keys: register, value, number."""
    held = frame.FindRegister(_text(extra, "register", "")).GetValueAsUnsigned()
    if held != int(_text(extra, "value", "0"), 16):
        return False
    key = (frame.GetThread().GetProcess().GetUniqueID(), location.GetBreakpoint().GetID())
    _met[key] = _met.get(key, 0) + 1
    return _met[key] >= int(_text(extra, "number", "1"))


def _ask(frame: lldb.SBFrame, extra: lldb.SBStructuredData) -> bool:
    """Asks about an object and prints what is new. Whether there is a new cycle."""
    thread = frame.GetThread()
    process = thread.GetProcess()
    debugger = process.GetTarget().GetDebugger()
    line = f"retain-cycles -q --timeout {_text(extra, 'timeout', '2')} " \
           f"--engine {_text(extra, 'engine', 'auto')} " \
           f"{'--repeat ' if _text(extra, 'repeat', '') else ''}-- {_text(extra, 'expr', 'self')}"
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, lldb.SBExecutionContext(frame), result)
    text = (result.GetOutput() or "") + (result.GetError() or "")
    if text:
        print(text.rstrip())
    return bool(result.Succeeded() and result.GetOutput())


def _text(extra: lldb.SBStructuredData, key: str, default: str) -> str:
    value = extra.GetValueForKey(key) if extra.IsValid() else None
    if value is None or not value.IsValid():
        return default
    if value.GetType() == lldb.eStructuredDataTypeString:
        return str(value.GetStringValue(4096))
    if value.GetType() == lldb.eStructuredDataTypeBoolean:
        return "yes" if value.GetBooleanValue() else ""
    if value.GetType() == lldb.eStructuredDataTypeInteger:
        return str(value.GetIntegerValue())
    return str(value.GetFloatValue())
