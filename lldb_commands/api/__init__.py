"""Loupe for scripts, as objects with types:

    from lldb_commands import api

    for knot in api.retain_cycles(frame.FindVariable("self"), at=frame).leaked:
        print(knot.rings[0].path, knot.fixes[0].text)

    heap = api.snapshot(frame)
    for leak in heap.leaks().entries:
        print(leak.count, leak.class_name, leak.bytes)

What is asked about is an SBValue, an address, or an expression. `at` says at which stop: a frame, a
thread, a process, a target or an execution context; without it the place of the value, or what is
selected at lldb's prompt. What goes wrong is a LoupeError. Every object keeps the JSON that it was
made of (docs/protocol.md) in `json`. docs/python.md has scripts.
"""
from __future__ import annotations

from typing import Optional, Sequence

from ..errors import LoupeError
from ..reporting import answers
from . import questions, stops
from .layouts import BlockLayout, Capture, ClassLevel, Ivar, IvarLayout
from .questions import CycleOptions
from .references import (Answer, Cycles, Edge, Fix, Holder, Holders, Knot, NotFollowed, Object,
                         References, Ring, Root, Source)
from .script_command import command
from .snapshots import (ClassCount, ClassGrowth, Growth, HeapObject, Knots, Leak, Leaks, Path, Retained,
                        Snapshot, Suspect, Suspects, snapshot)
from .stacks import (Backtraces, Changes, Frame, History, Line, Thread, backtraces, history)
from .stops import Asked, Place

__all__ = ["VERSION", "Answer", "Asked", "Backtraces", "BlockLayout", "Capture",
           "Changes", "ClassCount", "ClassGrowth", "ClassLevel", "Cycles", "Edge",
           "Fix", "Frame", "Growth", "HeapObject", "History", "Holder", "Holders",
           "Ivar", "IvarLayout", "Knot", "Knots", "Leak", "Leaks", "Line", "LoupeError",
           "NotFollowed", "Object", "Path", "Place", "References", "Retained", "Ring",
           "Root", "Snapshot", "Source", "Suspect", "Suspects", "Thread", "backtraces",
           "block_layout", "command", "history", "incoming_refs", "ivar_layout", "retain_cycles",
           "snapshot", "strong_refs"]

VERSION = (1, 2)
"""The first number changes when something goes or means something else, the second when something
is added."""

_SECONDS = 10.0


def retain_cycles(asked: Asked, *, at: Optional[Place] = None, rings: int = 1, limit: int = 0,
                  filters: Optional[str] = None, baseline: Optional[str] = None,
                  explain: bool = False, engine: str = "auto",
                  timeout: float = _SECONDS) -> Cycles:
    """The cycles that an object is in or leads to. rings: so many of each knot; limit: objects that
    are walked, 0 for the engine's own; filters: a file, "none", or else that of the project;
    baseline: a file whose rings do not count."""
    about = stops.subject(asked, at, timeout, engine)
    answer = questions.retain_cycles(about, CycleOptions(
        rings=rings, limit=limit, explain=explain, filters=filters, baseline=baseline))
    questions.name(answer, about)
    answers.add_words(answer)
    return Cycles.of(answer)


def strong_refs(asked: Asked, *, at: Optional[Place] = None, explain: bool = False, limit: int = 0,
                engine: str = "auto", timeout: float = _SECONDS) -> References:
    """What an object keeps alive; with explain also references that own nothing."""
    about = stops.subject(asked, at, timeout, engine)
    answer = questions.strong_refs(about, explain, limit)
    questions.name(answer, about)
    return References.of(answer)


def incoming_refs(asked: Asked, *, at: Optional[Place] = None, explain: bool = False, limit: int = 0,
                  engine: str = "auto", timeout: float = _SECONDS,
                  roots: Sequence[Asked] = ()) -> Holders:
    """Who keeps an object alive, and whether that explains its retain count. roots: ways to it
    begin at these, in place of globals, stacks and registers."""
    about = stops.subject(asked, at, timeout, engine)
    given = [stops.subject(root, at, timeout, engine) for root in roots]
    answer = questions.incoming_refs(about, given, explain, limit)
    questions.name(answer, about)
    return Holders.of(answer)


def block_layout(asked: Asked, *, at: Optional[Place] = None, probe: bool = False,
                 engine: str = "auto", timeout: float = _SECONDS) -> BlockLayout:
    """What a block captured. probe: also runs its dispose helper on a copy made of detectors."""
    about = stops.subject(asked, at, timeout, engine)
    answer = questions.block_layout(about, probe)
    questions.name(answer, about)
    return BlockLayout.of(answer)


def ivar_layout(asked: Asked, *, at: Optional[Place] = None, probe: bool = False,
                engine: str = "auto", timeout: float = _SECONDS) -> IvarLayout:
    """The ivars of an object, or of a class by its name or address."""
    about = stops.subject(asked, at, timeout, engine, takes_class=True)
    answer = questions.ivar_layout(about, probe)
    questions.name(answer, about)
    return IvarLayout.of(answer)
