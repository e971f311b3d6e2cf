"""Where a command was called: the debugger and the stop, from the execution context alone.

The selected thread or frame is never asked: in a breakpoint action it is another one than the
thread that hit the breakpoint.
"""
from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Set, Union

import lldb

from ..errors import LoupeError
from . import only_memory

_SHARE_OF_ENGINE, _LEAST_OF_ENGINE = 0.85, 0.15
_CORE_PLUGINS = ("core", "minidump")
_evaluated: Set[int] = set()  # processes in which an expression was evaluated by a command of ours


@dataclass
class Context:
    """One stop. frame may be invalid (a stop without one); process and target are valid."""

    debugger: lldb.SBDebugger
    target: lldb.SBTarget
    process: lldb.SBProcess
    thread: lldb.SBThread
    frame: lldb.SBFrame
    deadline: float = field(default=float("inf"))
    started: float = field(default_factory=time.monotonic)

    def seconds_left(self) -> float:
        return max(self.deadline - time.monotonic(), 0.001)

    def seconds_for_engine(self) -> float:
        """An engine ends before, so that an unfinished answer comes back, and is named and shown."""
        return max(self.seconds_left() * _SHARE_OF_ENGINE, _LEAST_OF_ENGINE)

    def milliseconds_waited(self) -> int:
        return int((time.monotonic() - self.started) * 1000)

    def is_late(self) -> bool:
        return time.monotonic() >= self.deadline

    @property
    def has_evaluated(self) -> bool:
        """Whether an expression was, at any stop, so that lldb has memory of its own in the process."""
        process = self.process
        return process.GetUniqueID() in _evaluated or process.GetStopID(True) != process.GetStopID(False)

    @property
    def is_core(self) -> bool:
        name = self.process.GetPluginName() or ""
        return any(word in name for word in _CORE_PLUGINS)

    @property
    def is_darwin(self) -> bool:
        """Apple's runtime: message sends in expressions work there, and only there."""
        triple = self.target.GetTriple() or ""
        return "-apple-" in triple

    @property
    def program(self) -> str:
        """Path of the executable, empty where it is not known."""
        return self.target.GetExecutable().fullpath or ""

    @property
    def stack_pointer(self) -> int:
        """Where the asking thread's stack ends now, whichever frame asks; 0 if it is not known."""
        pointer = self.thread.GetFrameAtIndex(0).GetSP() if self.thread.IsValid() else 0
        return 0 if pointer == lldb.LLDB_INVALID_ADDRESS else int(pointer)

    @property
    def pointer_size(self) -> int:
        return self.target.GetAddressByteSize() or 8

    def evaluate(self, text: str, cplusplus: bool, all_threads: bool = False,
                 at_least: float = 0, stop_others: bool = True,
                 does: str = "evaluated an expression") -> lldb.SBValue:
        """Evaluates on the asking thread, with breakpoints ignored, undone if it fails.

        Other threads stay stopped even if this one waits for them, and the time limit ends that;
        all_threads lets them run after a while, for code that takes locks, and without stop_others
        they run all the time; at_least are seconds for what must not be cut off. Even what lldb only
        interprets may have it map memory in the process. does: what a person is told of it.
        """
        only_memory.refuse()
        _evaluated.add(self.process.GetUniqueID())
        options = lldb.SBExpressionOptions()
        options.SetTimeoutInMicroSeconds(int(max(self.seconds_left(), at_least) * 1e6))
        options.SetTryAllThreads(all_threads)
        options.SetStopOthers(stop_others)
        options.SetIgnoreBreakpoints(True)
        options.SetUnwindOnError(True)
        options.SetSuppressPersistentResult(True)
        options.SetTrapExceptions(False)
        options.SetFetchDynamicValue(lldb.eNoDynamicValues)
        if cplusplus:
            options.SetLanguage(lldb.eLanguageTypeC_plus_plus)
        stops = self.process.GetStopID(True)
        asked: Union[lldb.SBFrame, lldb.SBTarget] = self.frame if self.frame.IsValid() else self.target
        value = asked.EvaluateExpression(text, options)
        if self.process.GetStopID(True) != stops:  # else it did not compile, or lldb interpreted it
            only_memory.note(self.debugger.GetID(), does)
        return value

    def read_pointer(self, address: int) -> int:
        """The word at address without pointer signature; 0 when it cannot be read."""
        error = lldb.SBError()
        word = self.process.ReadPointerFromMemory(address, error)
        return self.strip(word) if error.Success() else 0

    def strip(self, word: int) -> int:
        """Takes the signature off a code or data pointer, as lldb knows it for this process."""
        if hasattr(self.process, "FixAddress"):
            return int(self.process.FixAddress(word))
        return int(self.target.ResolveLoadAddress(word).GetLoadAddress(self.target)
                   if word >> 47 else word)


def _how(process: lldb.SBProcess) -> str:
    """With status 1, and what lldb says of it: killed. Nothing where lldb has not learnt it."""
    status, text = process.GetExitStatus(), process.GetExitDescription()
    return "" if status < 0 else f" with status {status}" + (f" ({text})" if text else "")


def at_stop(debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext,
            timeout: float) -> Context:
    """The stop in exe_ctx, or a LoupeError that says how to get to one."""
    process = exe_ctx.GetProcess()
    if process.IsValid() and process.GetState() == lldb.eStateExited:
        raise LoupeError(f"the process has ended{_how(process)}: run it again (process launch) to a "
                         "breakpoint, attach to another, or load a core file")
    if not process.IsValid() or process.GetState() in (lldb.eStateExited, lldb.eStateUnloaded,
                                                       lldb.eStateDetached,
                                                       lldb.eStateInvalid):
        raise LoupeError("no process: run the program to a breakpoint, attach to it, "
                         "or load a core file (target create --core FILE)")
    if process.GetState() not in (lldb.eStateStopped, lldb.eStateCrashed, lldb.eStateSuspended):
        raise LoupeError("the process is running: stop it first (process interrupt)")
    return Context(debugger, exe_ctx.GetTarget(), process, exe_ctx.GetThread(),
                   exe_ctx.GetFrame(), time.monotonic() + timeout)
