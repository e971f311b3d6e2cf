"""What a block captured, and the ivars of an object or a class, with who owns what."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Tuple

from .. import protocol
from .references import Answer, Json, Source, common, number


@dataclass(frozen=True)
class Capture:
    offset: int
    size: int
    name: str  # empty: not known
    type: str
    kind: str  # strong, block, byref, weak, unretained, data, unknown
    value: Optional[int]  # of a pointer
    class_name: str
    evidence: Tuple[str, ...]
    variable: "Optional[Capture]"  # what a __block variable holds
    json: Json = field(repr=False, compare=False)

    @staticmethod
    def of(capture: protocol.Capture) -> "Capture":
        variable = (capture.get("byref") or {}).get("variable")
        value = capture.get("value")
        return Capture(int(capture.get("offset") or 0), int(capture.get("size") or 0),
                       str(capture.get("name") or ""), str(capture.get("type") or ""),
                       str(capture.get("kind")), number(value) if value else None,
                       str(capture.get("class") or ""), tuple(capture.get("evidence") or ()),
                       Capture.of(variable) if variable else None, capture)


@dataclass(frozen=True)
class BlockLayout(Answer):
    address: int
    storage: str  # heap, stack, global
    size: int
    retain_count: Optional[int]
    prototype: str  # empty: not known
    source: Optional[Source]
    owns_captures: bool
    captures: Tuple[Capture, ...]
    conflicts: Tuple[Json, ...]  # where evidence disagrees

    @staticmethod
    def of(answer: protocol.Answer) -> "BlockLayout":
        block = answer["block"]
        return BlockLayout(*common(answer), number(block.get("address")), str(block.get("storage")),
                           int(block.get("size") or 0), block.get("retain_count"),
                           str(block.get("prototype") or ""), Source.of(block.get("invoke")),
                           bool(block.get("owns_captures")),
                           tuple(Capture.of(one) for one in answer.get("captures") or []),
                           tuple(answer.get("conflicts") or []))


@dataclass(frozen=True)
class Ivar:
    """An ivar, or a field of one that is a struct, under its path."""

    name: str
    offset: int
    size: int
    type: str
    ownership: str  # strong, weak, unretained, none, unknown
    value: Optional[int]  # of a pointer, where an object was asked about
    fields: "Tuple[Ivar, ...]"
    json: Json = field(repr=False, compare=False)

    @staticmethod
    def of(ivar: protocol.Ivar) -> "Ivar":
        value = ivar.get("value")
        return Ivar(str(ivar.get("name") or ivar.get("path") or ""), int(ivar.get("offset") or 0),
                    int(ivar.get("size") or 0), str(ivar.get("type") or ""),
                    str(ivar.get("ownership")), number(value) if value else None,
                    tuple(Ivar.of(one) for one in ivar.get("fields") or []), ivar)


@dataclass(frozen=True)
class ClassLevel:
    """The ivars that one class of the hierarchy declares."""

    class_name: str
    instance_start: int
    instance_size: int
    ivars: Tuple[Ivar, ...]


@dataclass(frozen=True)
class IvarLayout(Answer):
    class_name: str
    superclass: str
    instance_size: int
    subject: Optional[int]  # the object; None: a class was asked about
    levels: Tuple[ClassLevel, ...]  # the most derived first

    def ivar(self, name: str) -> Ivar:
        """The one of that name, of the most derived class that has it."""
        for level in self.levels:
            for ivar in level.ivars:
                if ivar.name == name:
                    return ivar
        raise KeyError(name)

    @staticmethod
    def of(answer: protocol.Answer) -> "IvarLayout":
        kind = answer["class"]
        levels = tuple(ClassLevel(str(level.get("class")), int(level.get("instance_start") or 0),
                                  int(level.get("instance_size") or 0),
                                  tuple(Ivar.of(ivar) for ivar in level.get("ivars") or []))
                       for level in answer.get("levels") or [])
        asked = answer.get("object")
        return IvarLayout(*common(answer), str(kind.get("name")), str(kind.get("superclass") or ""),
                          int(kind.get("instance_size") or 0), number(asked) if asked else None,
                          levels)
