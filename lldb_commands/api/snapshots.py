"""Whole heaps: a snapshot answers any number of questions, also when the process has gone on."""
from __future__ import annotations

import json
import os
import time
import weakref
from dataclasses import dataclass, field
from typing import Any, List, Optional, Sequence, Tuple, cast

from .. import protocol
from ..errors import LoupeError, tool_ended
from ..heaps import snapshots, tool
from .references import (Answer, Edge, Fix, Json, Knot, Ring, Root, common, number)
from .stops import Place, context_at

TIMEOUT = 120.0


@dataclass(frozen=True)
class ClassCount:
    name: str
    count: int
    size: int
    retained: int  # bytes that only instances of the class keep alive


@dataclass(frozen=True)
class HeapObject:
    address: int
    class_name: str
    size: int
    retained: Optional[int]  # bytes that it alone keeps alive; None: not part of the answer
    retain_count: Optional[int]
    is_reachable: bool
    json: Json = field(repr=False, compare=False)

    @staticmethod
    def of(thing: protocol.HeapObject) -> "HeapObject":
        return HeapObject(number(thing.get("address")), str(thing.get("class")),
                          int(thing.get("size") or 0), thing.get("retained"),
                          thing.get("retain_count"), bool(thing.get("reachable", True)), thing)


@dataclass(frozen=True)
class Leak:
    """What leaks, equal ones together."""

    kind: str  # leak, or cycle
    degree: str  # lost, unowned, suspect: docs/leaks.md
    class_name: str
    count: int
    objects: int  # that all of them alone keep
    bytes: int
    missing_releases: int
    examples: Tuple[int, ...]
    fingerprint: str
    ring: Optional[Ring]
    fixes: Tuple[Fix, ...]
    json: Json = field(repr=False, compare=False)

    @staticmethod
    def of(leak: protocol.Leak, answer: protocol.Envelope) -> "Leak":
        ring, knot = leak.get("ring"), leak.get("knot")
        return Leak(str(leak.get("kind")), str(leak.get("degree")), str(leak.get("class")),
                    int(leak.get("count") or 0), int(leak.get("objects") or 0),
                    int(leak.get("bytes") or 0), int(leak.get("missing_releases") or 0),
                    tuple(number(address) for address in leak.get("examples") or []),
                    str(leak.get("fingerprint")), Ring.of(ring, answer) if ring else None,
                    Knot.of(knot, answer).fixes if knot else (), leak)


@dataclass(frozen=True)
class Leaks(Answer):
    found: int  # one by one
    bytes: int
    entries: Tuple[Leak, ...]  # objects, raw memory, suspects; of each degree the largest first

    def __bool__(self) -> bool:
        return bool(self.entries)

    def of_class(self, name: str) -> Tuple[Leak, ...]:
        return tuple(leak for leak in self.entries if leak.class_name == name)


@dataclass(frozen=True)
class Path:
    """Why an object is alive: references from a root to it."""

    root: Root
    objects: Tuple[HeapObject, ...]  # the object asked about is the last one
    edges: Tuple[Edge, ...]
    json: Json = field(repr=False, compare=False)

    @staticmethod
    def of(path: protocol.Path) -> "Path":
        return Path(Root.of(path.get("root") or {}),
                    tuple(HeapObject.of(thing) for thing in path.get("objects") or []),
                    tuple(Edge.of(edge) for edge in path.get("edges") or []), path)


@dataclass(frozen=True)
class Suspect:
    """Objects that a rule says should be gone, by the same mistake."""

    class_name: str
    reason: str  # what the rule says
    count: int
    retained: int  # bytes that they alone keep
    addresses: Tuple[int, ...]
    fingerprint: str
    path: Optional[Path]  # what holds the first; None: nothing alive does
    json: Json = field(repr=False, compare=False)

    @staticmethod
    def of(group: protocol.Suspect) -> "Suspect":
        path = group.get("path")
        return Suspect(str(group.get("class")), str(group.get("reason") or ""),
                       int(group.get("count") or 0), int(group.get("retained") or 0),
                       tuple(number(address) for address in group.get("addresses") or []),
                       str(group.get("fingerprint")), Path.of(path) if path else None, group)


@dataclass(frozen=True)
class Suspects(Answer):
    found: int  # one by one
    held: Tuple[Suspect, ...]  # the largest first
    leaked: Tuple[Suspect, ...]

    def __bool__(self) -> bool:
        return bool(self.held or self.leaked)


@dataclass(frozen=True)
class Retained(Answer):
    """What goes when an object does; of the whole heap the objects that keep most."""

    dominators: Tuple[HeapObject, ...]
    dominated: Tuple[HeapObject, ...]
    classes: Tuple[ClassCount, ...]


@dataclass(frozen=True)
class ClassGrowth:
    name: str
    new: int
    gone: int
    still: int
    bytes: int
    reused: int = 0  # of the new ones: another of the class stood there, which is gone
    maybe_reused: int = 0  # of those still there: they may be new ones


@dataclass(frozen=True)
class Growth(Answer):
    """What is new since an older snapshot of the same process."""

    classes: Tuple[ClassGrowth, ...]  # what grew most first
    new_knots: Tuple[str, ...]  # fingerprints


@dataclass(frozen=True)
class Knots(Answer):
    """The retain cycles of the whole heap, equal ones once."""

    found: int
    knots: Tuple[Knot, ...]

    def __bool__(self) -> bool:
        return bool(self.knots)


@dataclass
class _Patience:
    """What the tool is to wait for."""

    until: float
    debugger: Any = None

    def seconds_left(self) -> float:
        return max(self.until - time.monotonic(), 0.001)


class Snapshot:
    """A heap as it was at one stop, or in a file.

    Patterns are names of classes in which * stands for any text. A limit of 0 is none.
    """

    def __init__(self, file: str, names: str = "", debugger: Any = None) -> None:
        """Of what `loupe snapshot` saved, a core, or a heap dump of Java."""
        self.file = os.path.abspath(file)
        self._names = names
        self._debugger = debugger

    def classes(self, pattern: str = "", sort: str = "retained", limit: int = 0,
                timeout: float = TIMEOUT) -> List[ClassCount]:
        answer = self._ask("heap", *_given("--class", pattern), "--sort", sort, "--limit", str(limit),
                           timeout=timeout)
        return _counts(answer)

    def find(self, pattern: str, subclasses: bool = False, limit: int = 0,
             timeout: float = TIMEOUT) -> List[HeapObject]:
        """The instances, those that keep most alive first."""
        words = ["--limit", str(limit), *(["--subclasses"] if subclasses else [])]
        answer = self._ask("find", *words, behind=[pattern], timeout=timeout)
        return [HeapObject.of(thing) for thing in answer.get("objects") or []]

    def leaks(self, pattern: str = "", filters: str = "", baseline: str = "", limit: int = 0,
              timeout: float = TIMEOUT) -> Leaks:
        answer = self._ask("leaks", *_given("--class", pattern), *_given("--filters", filters),
                           *_given("--baseline", baseline), "--limit", str(limit), timeout=timeout)
        leaked: Json = answer.get("leaked") or {}
        return Leaks(*common(answer), int(answer.get("found") or 0), int(leaked.get("bytes") or 0),
                     tuple(Leak.of(leak, answer) for leak in answer.get("leaks") or []))

    def cycles(self, filters: str = "", limit: int = 0, timeout: float = TIMEOUT) -> Knots:
        answer = self._ask("cycles", *_given("--filters", filters), "--limit", str(limit),
                           timeout=timeout)
        return Knots(*common(answer), int(answer.get("knots_found") or 0),
                     tuple(Knot.of(knot, answer) for knot in answer.get("knots") or []))

    def path(self, address: int, paths: int = 1, timeout: float = TIMEOUT) -> List[Path]:
        """The shortest ones from different roots; none, if nothing alive leads there."""
        answer = self._ask("path", "--paths", str(paths), behind=[f"{address:#x}"], timeout=timeout)
        return [Path.of(path) for path in answer.get("paths") or []]

    def paths_to_class(self, pattern: str, paths: int = 1, timeout: float = TIMEOUT) -> List[Path]:
        """The same to instances of classes, one for each."""
        answer = self._ask("path", "--paths", str(paths), "--to-class", pattern, timeout=timeout)
        return [Path.of(path) for path in answer.get("paths") or []]

    def suspects(self, rules: str = "", limit: int = 0, timeout: float = TIMEOUT) -> Suspects:
        """rules: a file of them, before those that come with Loupe (docs/rules.md)."""
        answer = self._ask("suspects", *_given("--rules", rules), "--limit", str(limit),
                           timeout=timeout)
        return Suspects(*common(_without_objects(answer)), int(answer.get("found") or 0),
                        tuple(Suspect.of(group) for group in answer.get("suspects") or []
                              if group.get("kind") != "share"),
                        tuple(Suspect.of(group) for group in answer.get("leaked") or []))

    def retained(self, address: Optional[int] = None, limit: int = 0,
                 timeout: float = TIMEOUT) -> Retained:
        answer = self._ask("retained", "--limit", str(limit),
                           behind=[] if address is None else [f"{address:#x}"], timeout=timeout)
        return Retained(*common(_without_objects(answer)),
                        tuple(HeapObject.of(thing) for thing in answer.get("dominators") or []),
                        tuple(HeapObject.of(thing) for thing in answer.get("dominated") or []),
                        tuple(_counts(answer)))

    def growth_since(self, older: "Snapshot", pattern: str = "", limit: int = 0,
                     timeout: float = TIMEOUT) -> Growth:
        answer = self._ask("diff", *_given("--class", pattern), "--limit", str(limit),
                           before=[older.file], timeout=timeout)
        grown = [ClassGrowth(str(row.get("class")), int(row.get("new") or 0),
                             int(row.get("gone") or 0), int(row.get("still") or 0),
                             int(row.get("size_delta") or 0), int(row.get("reused") or 0),
                             int(row.get("maybe_reused") or 0)) for row in answer.get("classes") or []]
        return Growth(*common(_without_objects(answer)), tuple(grown),
                      tuple(map(str, answer.get("new_knots") or [])))

    def save(self, file: str, timeout: float = TIMEOUT) -> None:
        """In the format of the name: .loupe, .hprof, .sqlite, .csv, .html (docs/exports.md)."""
        self.ask("snapshot", behind=[file], timeout=timeout)

    def ask(self, verb: str, *words: str, before: Sequence[str] = (),
            behind: Sequence[str] = (), timeout: float = TIMEOUT) -> Json:
        """The whole answer of a verb, as docs/protocol.md has it. before: older files."""
        return self._ask(verb, *words, before=before, behind=behind, timeout=timeout)

    def _ask(self, verb: str, *words: str, before: Sequence[str] = (),
             behind: Sequence[str] = (), timeout: float = TIMEOUT) -> protocol.HeapAnswer:
        names = ["--names", self._names] if self._names else []
        reply = tool.run([verb, "--json", *words, *names, *before, self.file, *behind],
                         _Patience(time.monotonic() + timeout, self._debugger))
        if not reply.is_answer():
            raise tool_ended(reply.complaint, reply.status)
        answer: protocol.HeapAnswer = json.loads(reply.text)
        if answer.get("status") == "error":
            raise LoupeError(reply.complaint, cast(protocol.Answer, answer))
        return answer


def snapshot(at: Optional[Place] = None, timeout: float = TIMEOUT) -> Snapshot:
    """Of the whole heap at a stop, live or in a core. Its file goes when nobody has it any more."""
    context = context_at(at, timeout)
    kept = snapshots.kept(context)
    found = Snapshot(kept.path, kept.names, context.debugger)
    weakref.finalize(found, snapshots.remove, kept)
    return found


def _without_objects(answer: protocol.HeapAnswer) -> protocol.HeapAnswer:
    """Where they are counted or listed, and not by address."""
    without = answer.copy()
    without["objects"] = None
    return without


def _counts(answer: protocol.HeapAnswer) -> List[ClassCount]:
    return [ClassCount(str(row.get("class")), int(row.get("count") or 0), int(row.get("size") or 0),
                       int(row.get("retained") or 0)) for row in answer.get("classes") or []]


def _given(option: str, value: str) -> List[str]:
    return [option, value] if value else []
