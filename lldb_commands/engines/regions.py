"""The memory regions of a process at one stop, asked of lldb as the need arises: each is a round trip
to its server."""
from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import List, Optional

import lldb

_MOST = 1024  # around an address


@dataclass(frozen=True)
class Region:
    asked: int  # an address in it
    start: int
    end: int
    readable: bool


class Regions:
    """What was told is kept. Gaps may lie over one another: lldb-server begins one at the address
    that it was asked about."""

    def __init__(self, process: lldb.SBProcess) -> None:
        self._process = process
        self._starts: List[int] = []
        self._known: List[Region] = []  # in the order of _starts

    def around(self, start: int, end: int, address: int) -> List[Region]:
        """That of the address, and if it can be read those beside it up to start and end. Empty: lldb
        or its server cannot tell."""
        region = self._at(address)
        found = [] if region is None else [region]
        left = right = region
        # Cap: the others are asked for when they are met.
        while left and left.readable and left.start > start and len(found) < _MOST:
            left = self._at(left.start - 1)
            found += [left] if left else []
        # Cap: the others are asked for when they are met.
        while right and right.readable and right.end < end and len(found) < _MOST:
            right = self._at(right.end)
            found += [right] if right else []
        return found

    def _at(self, address: int) -> Optional[Region]:
        place = bisect.bisect_right(self._starts, address)
        if place and address < self._known[place - 1].end:
            return self._known[place - 1]
        info = lldb.SBMemoryRegionInfo()
        if self._process.GetMemoryRegionInfo(address, info).Fail():
            return None
        region = Region(address, info.GetRegionBase(), info.GetRegionEnd(), info.IsReadable())
        if not region.start <= address < region.end:
            return None
        place = bisect.bisect_right(self._starts, region.start)
        self._starts.insert(place, region.start)
        self._known.insert(place, region)
        return region
