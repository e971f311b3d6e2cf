"""Parts of plans for what C++ libraries keep elsewhere: containers, smart pointers, functions.

Imports no lldb. Offsets are bytes from the start of the object that has the part. What breaks off or
makes no sense is a gap, never an error.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterator, List, Optional, Tuple, Union

from .plans import MOST_ELEMENTS, Gap, Inner, Item, Memory, Plan, elements, joined


@dataclass(frozen=True)
class Run:
    """Elements between two pointers: a vector."""

    begin: int
    end: int
    suffix: str
    element: Plan

    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]:
        path = joined(path, self.suffix)
        first, last = memory.word(base + self.begin), memory.word(base + self.end)
        size = last - first if first is not None and last is not None else -1
        stride = self.element.size
        if size % stride or not 0 <= size // stride <= MOST_ELEMENTS:
            yield Gap(path, "a vector whose bounds make no sense")
        elif first:
            yield from elements(first, size // stride, stride, self.element, path)


@dataclass(frozen=True)
class Box:
    """One object elsewhere that a pointer owns; find() tells where and what it truly is."""

    offset: int
    suffix: str
    pointee: Plan
    find: Callable[[int, Plan], Union[Inner, Gap]]

    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]:
        path = joined(path, self.suffix)
        pointer = memory.word(base + self.offset)
        if pointer is None:
            yield Gap(path, "unreadable memory")
        elif pointer:
            found = self.find(pointer, self.pointee)
            if isinstance(found, Gap):
                yield Gap(path, found.why)
            else:
                yield Inner(found.address, found.plan, path + "->")


@dataclass(frozen=True)
class BoxedArray:
    """new T[n], with n in the word before it, as for all types that have something to destroy."""

    offset: int
    suffix: str
    element: Plan

    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]:
        path = joined(path, self.suffix)
        first = memory.word(base + self.offset)
        count = memory.word(first - memory.word_size) if first else 0
        if first is None or count is None or count > MOST_ELEMENTS:
            yield Gap(path, "an array of unknown length")
        elif first:
            yield from elements(first, count, self.element.size, self.element, path)


@dataclass(frozen=True)
class Maybe:
    """A value that is there while a flag is set: some of the bits of a byte."""

    flag: int
    value: int
    suffix: str
    element: Plan
    bits: int = 0xff

    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]:
        path = joined(path, self.suffix)
        engaged = memory.read(base + self.flag, 1)
        if engaged is None:
            yield Gap(path, "unreadable memory")
        elif engaged[0] & self.bits:
            yield Inner(base + self.value, self.element, path)


@dataclass(frozen=True)
class Either:
    """One of several values at one place, by its number: a variant."""

    number: int
    number_size: int
    value: int
    suffix: str
    choices: Tuple[Plan, ...]

    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]:
        path = joined(path, self.suffix)
        data = memory.read(base + self.number, self.number_size)
        number = int.from_bytes(data, "little") if data is not None else -1
        if data is None:
            yield Gap(path, "unreadable memory")
        elif number < len(self.choices):
            yield Inner(base + self.value, self.choices[number], path)


@dataclass(frozen=True)
class Chain:
    """Nodes that lead to the next one: lists and hash tables. count: a member with their number."""

    head: int  # the word that leads to the first node
    value: int  # in a node; its first words are links
    link: int  # in a node, the word that leads to the next
    suffix: str
    element: Plan
    count: Optional[int]
    is_ordered: bool = True

    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]:
        path = joined(path, self.suffix)
        end = base + self.head - self.link  # where a list that is closed leads back to
        wanted = memory.word(base + self.count) if self.count is not None else None
        node, given = memory.word(base + self.head), 0
        while node and node != end and given != wanted:
            if given >= MOST_ELEMENTS:
                yield Gap(path, "a list that does not end")
                return
            index = str(given) if self.is_ordered else "*"
            yield Inner(node + self.value, self.element, f"{path}[{index}]")
            node, given = memory.word(node + self.link), given + 1
        if node is None or (wanted is not None and given != wanted):
            yield Gap(path, "a list that breaks off")


@dataclass(frozen=True)
class Tree:
    """Nodes with two branches: maps and sets. left, right: words of a node."""

    root: int
    left: int
    right: int
    value: int
    suffix: str
    element: Plan
    count: int

    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]:
        path = joined(path, self.suffix)
        wanted = memory.word(base + self.count)
        if wanted is None or wanted > MOST_ELEMENTS:
            yield Gap(path, "a map of an unknown size")
            return
        given, node = 0, memory.word(base + self.root)
        branches: List[int] = []
        while (node or branches) and given < wanted and len(branches) < 128:
            if node:
                branches.append(node)
                node = memory.word(node + self.left)
                continue
            node = branches.pop()
            yield Inner(node + self.value, self.element, f"{path}[*]")
            given += 1
            node = memory.word(node + self.right)
        if given != wanted:
            yield Gap(path, "a map that breaks off")


@dataclass(frozen=True)
class Blocks:
    """Elements in blocks of equal size, whose addresses stand in a row: a deque."""

    map: int  # the word that leads to the row
    start: int  # a member with the number of the first element
    count: int  # a member with their number
    in_block: int  # elements of a block
    suffix: str
    element: Plan

    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]:
        path = joined(path, self.suffix)
        row, start, count = (memory.word(base + offset)
                             # Cap: a gap: the deque breaks off.
                             for offset in (self.map, self.start, self.count))
        if row is None or start is None or count is None or count > MOST_ELEMENTS:
            yield Gap(path, "a deque of an unknown size")
            return
        for index in range(count):
            block, place = divmod(start + index, self.in_block)
            first = memory.word(row + block * memory.word_size)
            if not first:
                yield Gap(path, "a deque that breaks off")
                return
            yield Inner(first + place * self.element.size, self.element, f"{path}[{index}]")


@dataclass(frozen=True)
class Segments:
    """A deque between two iterators, each of four words: place, block's start and end, row."""

    first: int
    last: int
    block_size: int  # bytes
    suffix: str
    element: Plan

    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]:
        path = joined(path, self.suffix)
        size = memory.word_size
        place, _, end, row = (memory.word(base + self.first + i * size) for i in range(4))
        last = memory.word(base + self.last)
        given = 0
        # Cap: a gap: the deque breaks off.
        while place and end and row and last and place != last and given < MOST_ELEMENTS:
            yield Inner(place, self.element, f"{path}[{given}]")
            given += 1
            place += self.element.size
            if place >= end and place != last:
                row += size
                place = memory.word(row)
                end = place + self.block_size if place else None
        if place is None or place != last:
            yield Gap(path, "a deque that breaks off")


@dataclass(frozen=True)
class Dynamic:
    """What only the object itself tells: the target of a std::function."""

    offset: int
    suffix: str
    find: Callable[[int], Union[Inner, Gap, None]]

    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]:
        path = joined(path, self.suffix)
        found = self.find(base + self.offset)
        if isinstance(found, Gap):
            yield Gap(path, found.why)
        elif found is not None:
            yield Inner(found.address, found.plan, path)


@dataclass(frozen=True)
class Pair:
    """A key and its value in an associative container."""

    key: Plan
    value: Plan
    value_offset: int
    read_key: Callable[[int], str]  # "5" or '"title"'; empty if it cannot be shown

    def items(self, memory: Memory, base: int, path: str) -> Iterator[Item]:
        container, shown = path[:-3], self.read_key(base) or "*"
        yield Inner(base, self.key, f"{container}.key")
        yield Inner(base + self.value_offset, self.value, f"{container}[{shown}]")
