"""Where threads are, and who retained and released an object that the recorder saw."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import List, Optional, Tuple, cast

from .. import protocol
from ..darwin import program
from ..errors import LoupeError
from ..render.style import PLAIN
from ..reporting.report import as_text
from ..running import backtraces as command, balance, recorded_history
from .references import Answer, Json, common, number
from .stops import Asked, Place, context_at, subject

_SECONDS = 10.0


# ---- Threads ----

@dataclass(frozen=True)
class Frame:
    address: int
    image: Optional[str]  # the name of its file
    symbol: Optional[str]
    name: Optional[str]  # of C++ and Swift, as people call it; else the symbol
    offset: Optional[int]  # from the beginning of the symbol
    is_interrupted: bool  # the instruction at the address comes next; else a call returns there
    json: Json = field(repr=False, compare=False)

    @staticmethod
    def of(frame: protocol.Frame) -> "Frame":
        return Frame(number(frame.get("address")), frame.get("image"), frame.get("symbol"),
                     frame.get("name") or frame.get("symbol"), frame.get("offset"),
                     bool(frame.get("interrupted")), frame)


@dataclass(frozen=True)
class Thread:
    number: int  # from 0, which the process began with
    id: int  # the system's
    name: str
    frames: Tuple[Frame, ...]  # innermost first
    is_whole: bool  # the last frame is the outermost one
    json: Json = field(repr=False, compare=False)

    @staticmethod
    def of(thread: protocol.Thread) -> "Thread":
        return Thread(int(thread.get("number") or 0), int(thread.get("id") or 0),
                      str(thread.get("name") or ""),
                      tuple(Frame.of(frame) for frame in thread.get("frames") or []),
                      thread.get("end") == "outermost", thread)


@dataclass(frozen=True)
class Backtraces(Answer):
    threads: Tuple[Thread, ...]

    def __str__(self) -> str:
        """As crash reports have it."""
        return as_text(cast(protocol.Answer, dict(self.json)), PLAIN, "", False)


def backtraces(at: Optional[Place] = None, *, thread: str = "", engine: str = "memory",
               timeout: float = _SECONDS) -> Backtraces:
    """Of all threads, or of one: main, a number from 0, the system's id, a name. engine: "memory"
    asks LLDB's unwinder, "helper" the one of libloupe_helper."""
    answer = command.ask(context_at(at, timeout), engine, thread)
    return Backtraces(*common(answer), tuple(Thread.of(one) for one in answer["threads"]))


# ---- Who retained and released ----

@dataclass(frozen=True)
class Line:
    """One function on a stack that was recorded."""

    address: int
    function: str
    file: Optional[str]
    line: Optional[int]
    json: Json = field(repr=False, compare=False)

    @staticmethod
    def of(frame: protocol.Frame) -> "Line":
        return Line(number(frame.get("address")), str(frame.get("function") or ""),
                    frame.get("file"), frame.get("line"), frame)


@dataclass(frozen=True)
class Changes:
    """What happened from one stack."""

    kind: str  # retain, release, autorelease
    count: int
    change: int  # of the retain count, in all
    without_release: int  # retains that no release undoes
    by: Optional[Line]  # the innermost function of the program's own
    stack: Tuple[Line, ...]  # innermost first

    @staticmethod
    def of(group: balance.Group) -> "Changes":
        return Changes(group.kind, group.events, group.units, group.open,
                       Line.of(group.guilty) if group.guilty else None,
                       tuple(Line.of(frame) for frame in group.frames))


@dataclass(frozen=True)
class History(Answer):
    """Of one object, from its allocation on."""

    object: int
    count: Optional[int]  # now; None: it was freed
    is_freed: bool
    changes: Tuple[Changes, ...]  # in the order of their first events
    problems: Tuple[str, ...]  # why something may be missing

    @property
    def unpaired(self) -> List[Changes]:
        """The retains that no release undoes, the allocation (`alloc`) among them."""
        return [change for change in self.changes if change.without_release]


def history(asked: Asked, *, at: Optional[Place] = None, engine: str = "auto",
            timeout: float = _SECONDS) -> History:
    """What libloupe_record saw of an object whose class LOUPE_RECORD names; of one that was freed
    by its address."""
    about = subject(asked, at, timeout, engine)
    record = recorded_history.of(about.context, about.address, about.name, engine)
    if record is None:
        raise LoupeError(f"nothing was recorded of {about.name}: start the program with "
                         "libloupe_record and LOUPE_RECORD=Class (docs/history.md)"
                         + program.why_not_inserted(about.context))
    return History(*common(balance.as_json([record])), about.address, record["now"],
                   record["now"] is None,
                   tuple(Changes.of(group) for group in balance.groups(record["events"])),
                   tuple(record["problems"]))
