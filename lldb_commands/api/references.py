"""Objects, references between them, and retain cycles, as answers about one object tell of them."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple

from .. import protocol
from ..render import short
from ..reporting.baseline import path_of

Json = Mapping[str, Any]  # a part of an answer, as docs/protocol.md has it


def number(text: Any) -> int:
    """An address as the protocol writes it; 0 for none."""
    return int(str(text), 16) if text else 0


@dataclass(frozen=True)
class NotFollowed:
    """What was met and could not be looked into: an answer is only as good as this is short."""

    code: str  # docs/protocol.md lists them
    reason: str
    count: int
    example: int  # the first address

    @staticmethod
    def all_of(answer: protocol.Envelope) -> "Tuple[NotFollowed, ...]":
        return tuple(NotFollowed(str(item.get("code")), str(item.get("reason")),
                                 int(item.get("count") or 0), number(item.get("example")))
                     for item in answer.get("not_followed") or [])


@dataclass(frozen=True)
class Source:
    """Where something was written."""

    file: str
    line: int
    function: str

    @staticmethod
    def of(invoke: Optional[protocol.Invoke]) -> "Optional[Source]":
        if not invoke or not invoke.get("file"):
            return None
        return Source(str(invoke["file"]), int(invoke.get("line") or 0),
                      str(invoke.get("function") or invoke.get("symbol") or ""))


@dataclass(frozen=True)
class Object:
    address: int
    class_name: str
    kind: str  # object, block, byref, class, raw
    size: int
    retain_count: Optional[int]  # None: unknown, or without a meaning
    source: Optional[Source]  # of a block
    json: Json = field(repr=False, compare=False)

    @staticmethod
    def of(address: str, thing: protocol.Described) -> "Object":
        return Object(number(address), str(thing.get("class")), str(thing.get("kind")),
                      int(thing.get("size") or 0), thing.get("retain_count"),
                      Source.of(thing.get("invoke")), thing)


@dataclass(frozen=True)
class Edge:
    """One reference."""

    source: int
    target: int
    kind: str  # ivar, capture, byref, association, element, key, value, target, …
    name: Optional[str]  # of the ivar, variable or key alone
    path: str  # as a person would write it: _state.peer, ["title"]
    ownership: str  # strong, assumed; weak and unretained where they were asked for
    slot: int  # the word that holds it; 0: not known
    json: Json = field(repr=False, compare=False)

    @staticmethod
    def of(edge: protocol.Edge) -> "Edge":
        return Edge(number(edge.get("from")), number(edge.get("to")), str(edge.get("kind")),
                    edge.get("name"), str(edge.get("path") or ""), str(edge.get("ownership")),
                    number(edge.get("slot")), edge)


@dataclass(frozen=True)
class Ring:
    """References that lead back to where they began."""

    fingerprint: str  # the same in each run
    edges: Tuple[Edge, ...]
    certain: bool  # all of them are known to own
    path: str  # in one line, for logs
    json: Json = field(repr=False, compare=False)

    @staticmethod
    def of(ring: protocol.Ring, answer: protocol.Envelope) -> "Ring":
        return Ring(str(ring.get("fingerprint")),
                    tuple(Edge.of(edge) for edge in ring.get("edges") or []),
                    bool(ring.get("certain")), path_of(ring, answer), ring)


@dataclass(frozen=True)
class Fix:
    """A reference to make weak or to take away, and what that was seen to break."""

    text: str  # the change in words of the source
    edge: Edge
    breaks: str  # ring or knot
    frees: Optional[bool]  # whether what should go then goes; None: that was not tried
    json: Json = field(repr=False, compare=False)

    @staticmethod
    def of(fix: protocol.Fix, answer: protocol.Envelope) -> "Fix":
        return Fix(short.fix(fix, answer), Edge.of(fix["edge"]), str(fix.get("breaks")), fix.get("frees"), fix)


@dataclass(frozen=True)
class Knot:
    """Objects that all keep each other alive."""

    fingerprint: str
    verdict: str  # leaked, held, unknown
    reason: str  # of a verdict that is unknown
    certain: bool
    contains_subject: bool
    object_count: int
    rings: Tuple[Ring, ...]  # a shortest one first
    fixes: Tuple[Fix, ...]  # the best first
    held_by: Tuple[Edge, ...]  # from known objects outside
    json: Json = field(repr=False, compare=False)

    @property
    def is_leaked(self) -> bool:
        return self.verdict == "leaked"

    @staticmethod
    def of(knot: protocol.Knot, answer: protocol.Envelope) -> "Knot":
        return Knot(str(knot.get("fingerprint")), str(knot.get("verdict")),
                    str(knot.get("verdict_reason") or ""), bool(knot.get("certain", True)),
                    bool(knot.get("contains_seed")), int(knot.get("objects") or 0),
                    tuple(Ring.of(ring, answer) for ring in knot.get("rings") or []),
                    tuple(Fix.of(fix, answer) for fix in knot.get("fixes") or []),
                    tuple(Edge.of(edge) for edge in knot.get("held_by") or []), knot)


@dataclass(frozen=True)
class Answer:
    """What all answers have."""

    is_complete: bool  # no limit and no interruption left anything out
    not_followed: Tuple[NotFollowed, ...]
    objects: Mapping[int, Object] = field(repr=False)  # all that are mentioned, by address
    json: Json = field(repr=False, compare=False)  # the whole answer (docs/protocol.md)


@dataclass(frozen=True)
class Cycles(Answer):
    subject: int
    found: int  # all of them; those of a hidden baseline too
    knots: Tuple[Knot, ...]

    def __bool__(self) -> bool:
        """Whether there is a retain cycle."""
        return bool(self.knots)

    @property
    def leaked(self) -> Tuple[Knot, ...]:
        return tuple(knot for knot in self.knots if knot.is_leaked)

    @property
    def rings(self) -> Iterator[Ring]:
        return (ring for knot in self.knots for ring in knot.rings)

    @staticmethod
    def of(answer: protocol.Answer) -> "Cycles":
        knots = tuple(Knot.of(knot, answer) for knot in answer.get("knots") or [])
        return Cycles(*common(answer), number(answer.get("seed")),
                      int(answer.get("knots_found") or len(knots)), knots)


@dataclass(frozen=True)
class References(Answer):
    """What an object holds."""

    subject: int
    edges: Tuple[Edge, ...]
    not_counted: Tuple[Edge, ...]  # with explain: set, and owning nothing

    @staticmethod
    def of(answer: protocol.Answer) -> "References":
        return References(*common(answer), number(answer.get("object")),
                          tuple(Edge.of(edge) for edge in answer.get("edges") or []),
                          tuple(Edge.of(item["edge"]) for item in answer.get("not_counted") or []))


@dataclass(frozen=True)
class Root:
    """Why something is alive: a word outside of all objects."""

    # data, thread-local, kernel, autorelease-pool, stack, register, given, class, memory
    kind: str
    name: str  # of the variable; empty: not known
    where: str
    may_be_stale: bool
    target: int
    json: Json = field(repr=False, compare=False)

    @staticmethod
    def of(root: protocol.Root) -> "Root":
        return Root(str(root.get("kind")), str(root.get("name") or ""), str(root.get("where") or ""),
                    bool(root.get("may_be_stale")), number(root.get("to")), root)


@dataclass(frozen=True)
class Holder:
    """A reference to the object, and a shortest way to it from a root."""

    edge: Edge
    root: Optional[Root]  # None: nothing but perhaps the object keeps it
    way: Tuple[Edge, ...]
    lost: bool = False  # nothing that is alive leads to what holds it

    @staticmethod
    def of(item: protocol.Holder) -> "Holder":
        root = item.get("root")
        return Holder(Edge.of(item["edge"]), Root.of(root) if root else None,
                      tuple(Edge.of(edge) for edge in item.get("way") or []),
                      bool(item.get("lost")))


@dataclass(frozen=True)
class Holders(Answer):
    """Who holds an object."""

    subject: int
    verdict: str  # leaked, over-released, held, unknown
    reason: str
    holders: Tuple[Holder, ...]
    roots: Tuple[Root, ...]  # that lead to the object itself
    memory: Tuple[Holder, ...] = ()  # words of memory of C and C++, which may own it

    @staticmethod
    def of(answer: protocol.Answer) -> "Holders":
        verdict: protocol.Verdict = answer.get("verdict") or {}
        return Holders(*common(answer), number(answer.get("object")), str(verdict.get("kind")),
                       str(verdict.get("reason") or ""),
                       tuple(map(Holder.of, answer.get("holders") or [])),
                       tuple(Root.of(root) for root in answer.get("roots") or []),
                       tuple(map(Holder.of, answer.get("memory") or [])))


def common(answer: protocol.Envelope) -> Tuple[bool, Tuple[NotFollowed, ...], Dict[int, Object], Json]:
    """What Answer has, in its order."""
    things = answer.get("objects") or {}
    objects = [Object.of(address, thing) for address, thing in things.items()]
    return (answer.get("status") == "ok", NotFollowed.all_of(answer),
            {thing.address: thing for thing in objects}, answer)
