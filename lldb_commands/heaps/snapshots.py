"""Snapshots of stops, in files that go when lldb does: one for each stop that was asked about, and
those that were marked."""
from __future__ import annotations

import contextlib
import itertools
import os
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

import lldb

from ..engines.question import Question
from ..errors import LoupeError
from ..members import rounds
from ..protocol import Answer
from ..session.context import Context
from . import block_names, refused, session_folder


@dataclass
class Snapshot:
    path: str
    names: str  # the file with the names of its blocks
    answer: Answer  # what the engine said of it


@dataclass
class _Process:
    stop: Tuple[int, ...] = ()
    current: Optional[Snapshot] = None
    marks: Dict[str, Snapshot] = field(default_factory=dict)  # in their order


_numbers = itertools.count(1)
_processes: Dict[int, _Process] = {}


def at_this_stop(context: Context) -> Snapshot:
    """The one that there is, or a new one. Evaluated expressions may have changed anything."""
    known = _of(context)
    if known.current is None or known.stop != _stop(context):
        _forget_current(known)
        known.current, known.stop = _make(context), _stop(context)
    return known.current


def already_made(context: Context) -> Optional[Snapshot]:
    """The one of this stop, if there is one."""
    known = _of(context)
    return known.current if known.stop == _stop(context) else None


def kept(context: Context) -> Snapshot:
    """The one of this stop in files of its own, which stay until remove()."""
    snapshot = at_this_stop(context)
    number = next(_numbers)
    own = Snapshot(_in_folder(f"{number}.loupe"), _in_folder(f"{number}.names"), snapshot.answer)
    os.link(snapshot.path, own.path)
    os.link(snapshot.names, own.names)
    return own


def mark(context: Context, name: str) -> Tuple[str, Snapshot]:
    """Keeps the snapshot of this stop under a name, else a number."""
    known = _of(context)
    snapshot = at_this_stop(context)
    name = name or str(len(known.marks) + 1)
    replaced = known.marks.pop(name, None)
    known.marks[name] = snapshot
    if replaced is not None and replaced is not snapshot and replaced not in known.marks.values():
        remove(replaced)
    return name, snapshot


def since(context: Context, name: str) -> List[Tuple[str, Snapshot]]:
    """The mark of that name, or all of them, the oldest first."""
    marks = _of(context).marks
    if not marks:
        raise LoupeError("no mark in this process yet: loupe mark keeps the heap of this stop, to "
                         "be compared with later")
    if name and name not in marks:
        raise LoupeError(f"no mark {name}; there are {', '.join(marks)}")
    return [(name, marks[name])] if name else list(marks.items())


def names_of_marks(process: lldb.SBProcess) -> List[str]:
    known = _processes.get(process.GetUniqueID())
    return list(known.marks) if known else []


def remove(snapshot: Snapshot) -> None:
    for path in (snapshot.path, snapshot.names, f"{snapshot.names}.roots"):
        with contextlib.suppress(OSError):
            os.unlink(path)


def _stop(context: Context) -> Tuple[int, ...]:
    return context.process.GetStopID(True), context.target.GetNumModules()


def _of(context: Context) -> _Process:
    return _processes.setdefault(context.process.GetUniqueID(), _Process())


def _forget_current(known: _Process) -> None:
    if known.current is not None and known.current not in known.marks.values():
        remove(known.current)
    known.current = None


def _make(context: Context) -> Snapshot:
    path = _in_folder(f"{next(_numbers)}.loupe")
    answer = rounds.ask(Question("snapshot", 0, file=path), context, "memory")
    if answer.get("status") == "error" or not os.path.exists(path):
        raise LoupeError(refused.in_words(answer.get("error") or {}, path), answer)
    return Snapshot(path, block_names.write(path, context), answer)


def _in_folder(name: str) -> str:
    return os.path.join(session_folder.path(), name)
