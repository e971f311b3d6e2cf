"""Where references lead to, by what an engine told of classes: so that a chain of objects with
members takes a few rounds, not one for each of its links. Imports no lldb.

It is a guess at what the engine will reach: what is found this way and is not reached changes no
answer, and what is not found is listed in the next round.
"""
from __future__ import annotations

import collections
from typing import Any, Deque, Dict, Iterable, Iterator, List, Set, Tuple

from ..protocol import Member, Shape
from .plans import Memory

_ISA = 0x7ffffffffff8  # without what some runtimes keep beside the class; they count differently
_MOST = 20000  # members that are found in one round
_LEAST_LOOKS, _LOOKS = 1000, 16  # at objects that have none: at first, and for each member found


class Ahead:
    """What objects of the classes that were met have, by isa."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._members: Dict[int, List[Member]] = {}
        self._known: Set[Tuple[Any, ...]] = set()  # isa and member
        self._slots: Dict[int, List[int]] = {}
        self._seen: Set[int] = set()  # objects whose slots were followed
        self._found = self._members_left = self._looks_left = 0

    def learn_member(self, member: Member, key: Tuple[Any, ...], address: int) -> None:
        """An object of the class has it."""
        isa = self._isa(address)
        if isa and (isa, *key) not in self._known:
            self._known.add((isa, *key))
            self._members.setdefault(isa, []).append(member)

    def learn_shapes(self, shapes: Iterable[Shape]) -> None:
        """Classes, and the offsets of references in each of their objects."""
        for shape in shapes:
            self._slots[int(shape["class"], 16) & _ISA] = shape["slots"]

    def begin_round(self) -> None:
        """Looks as far as it paid so far."""
        self._members_left = _MOST
        self._looks_left = _LEAST_LOOKS + _LOOKS * self._found

    def members_from(self, word: int) -> Iterator[Tuple[Member, int]]:
        """Members of the object there and of those it leads to by plain slots, and whose they are."""
        waiting: Deque[int] = collections.deque([word])
        while waiting and self._members_left > 0 and self._looks_left > 0:
            address = waiting.popleft()
            isa = self._isa(address)
            members = self._members.get(isa, ())
            yield from ((member, address) for member in members)
            self._found += len(members)
            self._members_left -= len(members)
            self._looks_left -= not members
            if isa in self._slots and address not in self._seen:
                self._seen.add(address)
                waiting.extend(self._words(address, self._slots[isa]))

    def _isa(self, address: int) -> int:
        return (self._memory.word(address) or 0) & _ISA

    def _words(self, address: int, offsets: List[int]) -> Iterator[int]:
        for offset in offsets:
            word = self._memory.word(address + offset)
            if word and word % self._memory.word_size == 0:
                yield word
