"""Who retained an object and who released it: events folded by stack, and retains paired with the
releases that undo them. Imports no lldb.

Nothing in a process says which release undoes which retain. A stack is known by the innermost function
of the program's own; its retains are undone first by its own releases, then by those of functions of
the same class, those of a block by the end of such a block, then by any that are left. What no release undoes is marked.
"""
from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Sequence

from ..protocol import Answer, CountHistory, Event, EventGroup, Frame, Record, Stack

# The runtimes and Foundations that programs bring along, wherever they stand.
_LIBRARIES = re.compile(r"(?:lib(?:objc|gnustep-\w+|BlocksRuntime|dispatch|Foundation|CoreFoundation)"
                        r"\b[^/]*|Foundation|CoreFoundation|UIKit|AppKit)$")
_SYSTEM = ("/lib/", "/lib64/", "/usr/lib", "/System/Library/")
_METHOD = re.compile(r"[-+]\[(\w+)")
# A block retains what it captures in one of these, and releases it in the other, of the same name.
_OF_BLOCKS = re.compile(r"__(?:copy|destroy)_helper_(block|byref)(\w*)")
_COUNTING = re.compile(r"-\[\w+(?:\(\w*\))? (?:retain|release|autorelease)\]")


@dataclass
class Group:
    """Events of one kind from one stack. open: retains that no release undoes."""

    kind: str
    frames: List[Frame]
    events: int = 0
    units: int = 0  # by how much the count changed in all of them
    open: int = 0
    numbers: List[int] = field(default_factory=list)

    @property
    def guilty(self) -> Frame:
        """The innermost one that is the program's own, and no method that counts for others."""
        others = [frame for frame in self.frames if not _counts(frame)] or self.frames
        return guilty(others) if others else {}

    @property
    def function(self) -> str:
        return str(self.guilty.get("function") or self.guilty.get("symbol") or "")

    @property
    def owner(self) -> str:
        """The class of the method, what a block captures, or the function."""
        match = _METHOD.match(self.function)
        helper = _OF_BLOCKS.match(self.function)
        return match[1] if match else f"{helper[1]}{helper[2]}" if helper else self.function


def _counts(frame: Frame) -> bool:
    return _COUNTING.fullmatch(str(frame.get("function") or "")) is not None


def groups(events: Sequence[Event]) -> List[Group]:
    """One for each kind and stack, in the order of their first events; retains are paired."""
    found: Dict[Any, Group] = {}
    for number, event in enumerate(events, start=1):
        key = (event["kind"], tuple(frame.get("address") for frame in event["frames"]))
        group = found.setdefault(key, Group(event["kind"], event["frames"]))
        group.events += 1
        group.units += abs(int(event.get("change") or 0))
        group.numbers.append(number)
    listed = list(found.values())
    _pair(listed)
    return listed


def _pair(listed: Sequence[Group]) -> None:
    retains = [group for group in listed if group.kind == "retain"]
    allocations = [group for group in listed if group.kind == "alloc"]
    left = {id(group): group.units for group in listed if group.kind == "release"}
    releases = [group for group in listed if group.kind == "release"]
    for group in [*retains, *allocations]:
        group.open = group.units
    same: Sequence[Callable[[Group, Group], bool]] = (
        lambda one, other: one.function == other.function,
        lambda one, other: one.owner == other.owner,
        lambda one, other: True)
    for fits in same:
        for group in retains:
            for release in releases:
                if group.open and left[id(release)] and fits(group, release):
                    undone = min(group.open, left[id(release)])
                    group.open -= undone
                    left[id(release)] -= undone
    for group in allocations:  # whoever that is: it is the last one
        group.open = max(0, group.open - sum(left.values()))


# ---- Whose code a frame is of ----


def guilty(frames: List[Frame]) -> Frame:
    """The innermost frame of the program's own: neither of the runtime nor of the system, nor a
    setter that the compiler wrote."""
    inside: List[Frame] = [{}, *frames]
    own = [frame for inner, frame in zip(inside, frames)
           if not (frame.get("runtime") or _is_system(frame) or _is_setting(inner))]
    return own[0] if own else frames[0]


def _is_setting(frame: Frame) -> bool:
    return str(frame.get("function") or frame.get("symbol")).startswith("objc_setProperty")


def _is_system(frame: Frame) -> bool:
    module = str(frame.get("module") or "")
    return module.startswith(_SYSTEM) or _LIBRARIES.match(os.path.basename(module)) is not None


# ---- As docs/protocol.md has it ----


def as_json(records: List[Record]) -> Answer:
    """Of several objects; records: {"subject", "address", "events", "since", "before", "now", "ended",
    "problems"}."""
    stacks: Dict[str, Stack] = {}
    numbers: Dict[Any, int] = {}
    told: List[CountHistory] = [
        {"object": record["address"], "name": record["subject"], "since": record["since"],
         "before": record["before"], "now": record["now"], "ended": record["ended"] or None,
         "groups": [_group_as_json(group, numbers, stacks) for group in groups(record["events"])],
         "problems": record["problems"]} for record in records]
    is_whole = not any(record["problems"] for record in records)
    return {"loupe": 1, "query": "history", "status": "ok" if is_whole else "incomplete",
            "histories": told, "stacks": stacks}


def _group_as_json(group: Group, numbers: Dict[Any, int], stacks: Dict[str, Stack]) -> EventGroup:
    key = tuple(frame.get("address") for frame in group.frames)
    number = numbers.setdefault(key, len(numbers) + 1)
    stacks[str(number)] = {"frames": group.frames}
    return {"kind": group.kind, "count": group.events, "change": group.units,
            "without_release": group.open, "events": group.numbers, "stack": number,
            "frame": next((at for at, frame in enumerate(group.frames) if frame is group.guilty), None)}
