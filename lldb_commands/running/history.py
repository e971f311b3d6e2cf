"""loupe history: who retained, released, autoreleased an object or stored it weakly, from now on.

A watchpoint is on the word that counts: before the object on GNU runtimes, the isa on Apple's, where
the rest of the count may be in a side table; what the count is then says the engine. What does not
change the count is seen by breakpoints at the runtime's functions. All of it goes on by itself while
the program runs, and ends when the object is freed or the process is.
"""
from __future__ import annotations

import time
from typing import Any, Dict, List, Optional, Tuple

import lldb

from ..engines import policy
from ..engines.question import Question
from ..errors import LoupeError
from ..names import stacks
from ..protocol import Event, Frame, Record
from ..session.context import Context

_MODULE = __name__
_MOST_EVENTS = 10000
_MOST_FRAMES = 64
_SECONDS_FOR_COUNT = 10
# In a frame of one of these the object goes: what is written then is no count any more.
_ENDS = ("free", "cfree", "_int_free", "__libc_free", "tcache_put", "object_dispose",
         "NSDeallocateObject", "objc_destructInstance", "class_destroyInstance")
_ENDING = ("object_dispose", "NSDeallocateObject", "objc_destructInstance", "_objc_rootDealloc")
# Functions that see the object without counting it, and which argument it is.
_SEEN = (("objc_autorelease", "autorelease", 0), ("-[NSObject autorelease]", "autorelease", 0),
         ("objc_storeWeak", "weak", 1), ("objc_initWeak", "weak", 1))
_FLAG = 1 << 31  # a change of the word by more is that of a flag, as libobjc2 has for weak references
# Of a stack, in which the names say what is going on; a runtime has no more of its own there.
_MOST_OF_RUNTIME = 4
_ARGUMENTS = {"x86_64": ("rdi", "rsi"), "arm64": ("x0", "x1"), "aarch64": ("x0", "x1")}

_histories: Dict[Tuple[int, int], "History"] = {}  # by watchpoint or breakpoint, and process


class History:
    """One object that is watched."""

    def __init__(self, context: Context, address: int, name: str, engine: str) -> None:
        self.target, self.process = context.target, context.process
        self.address, self.engine = address, engine
        self.subject = f"{name} {address:#x}"
        self.events: List[Event] = []
        self.left_out = 0
        self.not_counted = ""  # why an event was not understood
        self.ended = ""
        before = _count(context, address, engine)
        if before is None:
            raise LoupeError(f"the runtime does not count the retains of {address:#x}: "
                             "there is no history of it")
        self.before = self.count = before
        self.is_apple = policy.ask(Question("strong-refs", address), context,
                                   engine).get("abi") == "apple"
        self.place = address if self.is_apple else address - context.pointer_size
        self.word = _word(self.process, self.place, context.pointer_size)
        self.breakpoints: List[lldb.SBBreakpoint] = []
        self.watchpoint = self._watch(context)

    # ---- Beginning ----

    def _watch(self, context: Context) -> lldb.SBWatchpoint:
        debugger = context.debugger
        error = lldb.SBError()
        watchpoint = self.target.WatchAddress(self.place, context.pointer_size, False, True, error)
        if not watchpoint.IsValid() or error.Fail():
            raise LoupeError(f"no watchpoint can be set at {self.place:#x}: "
                             f"{error.GetCString() or 'lldb does not say why'}")
        number = watchpoint.GetID()
        # -F would drop what the function returns in lldb 14, and each change would stop the process.
        debugger.HandleCommand(f"watchpoint command add -s python -o 'import {_MODULE} as history; "
                               f"return history.changed(frame, wp, internal_dict)' {number}")
        _histories[(self.process.GetUniqueID(), number)] = self
        for name, kind, argument in _SEEN:
            self._break(name, kind, argument)
        for name in _ENDING:
            self._break(name, "end", 0)
        return watchpoint

    def _break(self, name: str, kind: str, argument: int) -> None:
        point = self.target.BreakpointCreateByName(name)
        if not point.GetNumLocations():
            self.target.BreakpointDelete(point.GetID())
            return
        point.AddName("loupe-history")
        body = (f"import {_MODULE} as history\n"
                f"return history.seen(frame, {self.address}, {kind!r}, {argument})")
        point.SetScriptCallbackBody(body)
        self.breakpoints.append(point)

    # ---- Going on ----

    def count_now(self, context: Context) -> Optional[int]:
        """GNU runtimes count in the word itself; in Apple's the engine knows what else there is."""
        if self.is_apple:
            return _count(context, self.address, self.engine)
        word = _word(self.process, self.place, context.pointer_size)
        if word is None or self.word is None:
            return _count(context, self.address, self.engine)
        change = _signed(word - self.word, context.pointer_size)
        self.word = word
        if abs(change) >= _FLAG:
            return _count(context, self.address, self.engine)
        return self.count + change

    def note(self, kind: str, change: int, thread: lldb.SBThread) -> None:
        if len(self.events) >= _MOST_EVENTS:
            self.left_out += 1
            return
        frames: List[Frame] = [{"address": hex(frame.GetPC() + (1 if number == 0 else 0))}
                               # Cap: stacks are shown from their inner ends.
                               for number, frame in zip(range(_MOST_FRAMES), thread)]
        self.events.append({"kind": kind, "change": change, "frames": frames})

    def end(self, why: str) -> None:
        self.ended = self.ended or why
        self.watchpoint.SetEnabled(False)
        self.target.DeleteWatchpoint(self.watchpoint.GetID())
        for point in self.breakpoints:
            self.target.BreakpointDelete(point.GetID())
        self.breakpoints = []

    def record(self, context: Context) -> Record:
        """What is known so far, with names."""
        for event in self.events:
            if not event.get("named"):
                stacks.name_stacks({"stacks": {"1": {"frames": event["frames"]}}}, context)
                event["named"] = True
        problems = [f"Not recorded: {self.left_out} events after the first {_MOST_EVENTS}"] \
            if self.left_out else []
        if self.not_counted:
            problems.append(f"Not all was seen: {self.not_counted}")
        if self.process.GetState() == lldb.eStateExited and not self.ended:
            self.ended = "alive when the process ended"
        return {"subject": self.subject, "address": hex(self.address), "since": "watched",
                "events": self.events, "before": self.before,
                "now": self.count, "ended": self.ended, "problems": problems}


def _word(process: lldb.SBProcess, place: int, size: int) -> Optional[int]:
    error = lldb.SBError()
    read = process.ReadMemory(place, size, error)
    return int.from_bytes(read, "little") if error.Success() and read else None


def _signed(value: int, size: int) -> int:
    half = 1 << (8 * size - 1)
    return (value + half) % (2 * half) - half


def _step(thread: lldb.SBThread) -> int:
    """What is going on, by the functions of the runtime: 1 a retain, -1 a release, 0 not known."""
    # Cap: frames of the runtime; without a name the change is told as it is.
    for _, frame in zip(range(_MOST_OF_RUNTIME), thread):
        name = (frame.GetFunctionName() or "").lower()
        if "release" in name or "retain" in name:
            return -1 if "release" in name else 1
    return 0


def _count(context: Context, address: int, engine: str) -> Optional[int]:
    answer = policy.ask(Question("strong-refs", address), context, engine)
    thing = (answer.get("objects") or {}).get(hex(address)) or {}
    count = thing.get("retain_count")
    return None if count is None else int(count)


# ---- What lldb calls while the program runs; False: it goes on ----


def changed(frame: lldb.SBFrame, watchpoint: lldb.SBWatchpoint, _internal: Dict[str, Any]) -> bool:
    thread = frame.GetThread()
    process = thread.GetProcess()
    history = _histories.get((process.GetUniqueID(), watchpoint.GetID()))
    if history is None or history.ended:
        return False
    if _is_ending(thread):
        history.end("freed")
        return False
    context = Context(process.GetTarget().GetDebugger(), process.GetTarget(), process, thread,
                      frame, deadline=time.monotonic() + _SECONDS_FOR_COUNT)
    try:
        now = history.count_now(context)
    except LoupeError as error:
        history.not_counted = str(error)
        return False
    if not now:  # the last reference went: it is deallocated
        history.note("release", -history.count, thread)
        history.count = 0
        history.end("freed")
        return False
    change = now - history.count
    if abs(change) > 1:
        # A part of the count is on its way to a side table or back, which counts in two places at
        # once or in none.
        change = _step(thread) or change
    history.count += change
    if change:
        history.note("retain" if change > 0 else "release", change, thread)
    return False


def seen(frame: lldb.SBFrame, address: int, kind: str, argument: int) -> bool:
    """At the start of a function of the runtime: is it about the object?"""
    target = frame.GetThread().GetProcess().GetTarget()
    machine = (target.GetTriple() or "").split("-", maxsplit=1)[0]
    registers = _ARGUMENTS.get(machine)
    if not registers or frame.FindRegister(registers[argument]).GetValueAsUnsigned(0) != address:
        return False
    process = frame.GetThread().GetProcess()
    for (unique, _), history in _histories.items():
        if unique == process.GetUniqueID() and history.address == address and not history.ended:
            if kind == "end":
                history.end("freed")
            elif not _is_inside_another(frame.GetThread()):
                history.note(kind, 0, frame.GetThread())
    return False


def _is_inside_another(thread: lldb.SBThread) -> bool:
    """-autorelease of a class calls the runtime's function: that is one event."""
    names = [name for name, _, _ in _SEEN]
    return any((frame.GetFunctionName() or "") in names
               # Cap: frames of the runtime; without a name the change is told as it is.
               for number, frame in zip(range(_MOST_OF_RUNTIME), thread) if number)


def _is_ending(thread: lldb.SBThread) -> bool:
    return any((frame.GetFunctionName() or "") in _ENDS
               for _, frame in zip(range(4), thread))


# ---- The command ----


def begin(context: Context, address: int, name: str, engine: str) -> History:
    """Watches the object from now on."""
    if context.is_core:
        raise LoupeError("a core file does not run, and no retain of this object was recorded: "
                         "start the program with libloupe_record and LOUPE_RECORD=Class "
                         "(docs/history.md)")
    for history in of_process(context.process):
        if history.address == address and not history.ended:
            raise LoupeError(f"{history.subject} is watched already: loupe history without an "
                             "expression tells what was seen")
    return History(context, address, name, engine)


def of_process(process: lldb.SBProcess) -> List[History]:
    """All of this process, those that have ended too, in the order in which they began."""
    unique = process.GetUniqueID()
    return [history for (of, _), history in _histories.items() if of == unique]
