"""Where a C++ type owns objects, and the references of one object of it. Imports no lldb.

A plan lists the parts of a type that own something, each at its offset. Reading follows them with a
stack of its own and within a budget: the memory of a process can hold anything.
"""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Callable, Iterator, List, Optional, Protocol, Set, Tuple, Union

MOST_ELEMENTS = 1 << 22  # of one container; a larger one is not believed
MOST_PLACES = 1 << 20  # objects and containers inside one member


class Memory(Protocol):
    """memory.Memory, or a test's own. None: not readable."""

    word_size: int

    def word(self, address: int) -> Optional[int]: ...
    def read(self, address: int, size: int) -> Optional[bytes]: ...


class TooMuch(Exception):
    """The budget or the time is used up; what was found so far is not all."""


@dataclass(frozen=True)
class Found:
    """One owned word: where it stands, what stands there, how it is called, who says it is owned
    (the CLAIM of a `ref` argument)."""

    slot: int
    word: int
    path: str
    claim: str
    place: Optional[Tuple[str, int]] = None  # of the lambda that captured it: file, line


@dataclass
class Plan:
    """What a type owns. Filled after it is made, as types can refer to themselves."""

    name: str
    size: int = 0  # bytes
    parts: List[Part] = field(default_factory=list)
    is_complete: bool = True  # False while it is being made
    place: Optional[Tuple[str, int]] = None  # of a lambda: where it was written

    @property
    def owns(self) -> bool:
        return bool(self.parts) or not self.is_complete


@dataclass(frozen=True)
class Inner:
    """A further object of a plan, inside the first or owned by it."""

    address: int
    plan: Plan
    path: str


@dataclass(frozen=True)
class Gap:
    """Something that may own objects and cannot be followed."""

    path: str
    why: str


Item = Union[Found, Inner, Gap]


class Part(Protocol):
    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]: ...


def contents(memory: Memory, base: int, plan: Plan, path: str,
             is_late: Callable[[], bool]) -> Tuple[List[Found], List[Gap]]:
    """All that the object of a plan at base owns. Raises TooMuch."""
    found: List[Found] = []
    gaps: List[Gap] = []
    seen: Set[Tuple[int, int]] = set()
    waiting: List[Inner] = [Inner(base, plan, path)]
    while waiting:
        place = waiting.pop()
        key = (place.address, id(place.plan))
        if key in seen or not place.plan.parts:
            continue
        seen.add(key)
        if len(seen) > MOST_PLACES or (len(seen) % 256 == 0 and is_late()):
            raise TooMuch
        inner: List[Inner] = []
        for part in place.plan.parts:
            for item in part.items(memory, place.address, place.path):
                if isinstance(item, Found):
                    found.append(dataclasses.replace(item, place=place.plan.place)
                                 if place.plan.place else item)
                elif isinstance(item, Inner):
                    inner.append(item)
                else:
                    gaps.append(item)
        waiting += reversed(inner)
    return found, gaps


def joined(path: str, suffix: str) -> str:
    """_impl-> and .peer: _impl->peer."""
    if path.endswith("->"):
        return path + suffix[1:] if suffix else path[:-2]
    return path + suffix


# ---- Parts ----


@dataclass(frozen=True)
class Word:
    """An object or a block."""

    offset: int
    suffix: str
    claim: str

    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]:
        slot = base + self.offset
        word = memory.word(slot)
        if word is None:
            yield Gap(joined(path, self.suffix), "unreadable memory")
        elif word:
            yield Found(slot, word, joined(path, self.suffix), self.claim)


@dataclass(frozen=True)
class Hole:
    """What may own objects in a way that is not known."""

    suffix: str
    why: str

    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]:
        yield Gap(joined(path, self.suffix), self.why)


@dataclass(frozen=True)
class Repeat:
    """An array inside."""

    offset: int
    suffix: str
    count: int
    stride: int
    element: Plan

    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]:
        return elements(base + self.offset, self.count, self.stride, self.element,
                        joined(path, self.suffix))


def elements(first: int, count: int, stride: int, element: Plan, path: str) -> Iterator[Item]:
    for index in range(count):
        yield Inner(first + index * stride, element, f"{path}[{index}]")
