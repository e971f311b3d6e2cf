"""References that are nobody's bug, in a file that a project keeps. Imports no lldb.

One filter per line, as reports write it, with the reason behind a #:

    Router._current -> Screen     # the router lives as long as the app
    Session._delegate             # the session drops its delegate when it ends
    Cache                         # all that a cache holds it drops by itself

CLASS.PATH -> CLASS, and CLASS[PATH]; parts that match anything are left out, or "*". Classes match
subclasses too, and "block" all blocks. Blank lines and lines that begin with # are comments.
"""
from __future__ import annotations

import functools
import os
import re
from dataclasses import dataclass
from typing import Iterator, List, Optional, Sequence, Tuple

from ..engines import arguments
from ..errors import LoupeError
from ..protocol import Filtered
from ..text import files
from ..text.printable import printable

DEFAULT = ".loupe-filters"
NONE = "none"  # in place of a file: no filter at all
_LARGEST = 1 << 20
_MOST = 10000
_CLASS = re.compile(r"\*|[\w$]+")
_BLOCK = "block"  # the engine's word for any block
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_SHAPE = "CLASS.ivar -> CLASS  # reason"


@dataclass(frozen=True)
class Filter:
    """None matches anything."""

    source: Optional[str]
    path: Optional[str]
    target: Optional[str]
    reason: str

    @property
    def name(self) -> str:
        """As answers call it."""
        return (self.source or "*") + (f".{self.path}" if self.path else "") + \
            (f" -> {self.target}" if self.target else "")

    @property
    def argument(self) -> str:
        return arguments.filter_of(self.source, self.path, self.target, self.reason)


def hidden_by(filters: Sequence[Filter], hidden: Sequence[Filtered]) -> int:
    """How many references of those that an answer calls hidden these filters hid."""
    names = {item.name for item in filters}
    return sum(int(item.get("edges") or 0) for item in hidden if item.get("filter") in names)


def as_arguments(filters: Sequence[Filter], standard: bool = True) -> str:
    return arguments.joined([*(item.argument for item in filters),
                             "" if standard else arguments.NO_FILTERS])


# ---- Files ----


def default_file(directories: Sequence[str]) -> Optional[str]:
    """The nearest .loupe-filters in one of the directories or above it; the first one found."""
    for directory in directories:
        for path in _places(os.path.abspath(directory)):
            if os.path.isfile(path):
                return path
    return None


@functools.lru_cache(maxsize=64)
def _places(directory: str) -> Tuple[str, ...]:
    """Each hit of a breakpoint looks there: the paths at least are put together once."""
    return tuple(os.path.join(place, DEFAULT) for place in _upwards(directory))


def _upwards(directory: str) -> Iterator[str]:
    while True:
        yield directory
        above = os.path.dirname(directory)
        if above == directory:
            return
        directory = above


def read(path: str, asked_for: bool = True) -> List[Filter]:
    """The filters in a file. One that was not asked for by its name may be files.Foreign."""
    lines = files.lines(path, "the filters", _LARGEST, asked_for)
    rules = [(number, line.strip()) for number, line in enumerate(lines, start=1)]
    rules = [(number, line) for number, line in rules if line and not line.startswith("#")]
    if len(rules) > _MOST:
        raise LoupeError(f"cannot read the filters {path}: there are more than {_MOST}")
    return [_parsed(line, f"{path}:{number}") for number, line in rules]


def _parsed(line: str, place: str) -> Filter:
    rule, reason = _without_reason(line)
    parts = _parts(rule)
    if parts is None:
        raise LoupeError(f"{place}: '{printable(rule)[:60]}' is not a filter: write {_SHAPE}")
    if not reason:
        raise LoupeError(f"{place}: the filter gives no reason: write one after a #")
    source, path, target = [None if part == "*" else part for part in parts]
    if source is None and path is None and target is None:
        raise LoupeError(f"{place}: the filter would hide everything: name a class or an ivar")
    if source == _BLOCK and path and _NAME.fullmatch(path):
        raise LoupeError(f"{place}: captured variables have no names in filters: write their class "
                         f"({_BLOCK} -> CLASS) or their offset ({_BLOCK}.+0x20)")
    return Filter(source, path, target, reason)


def _without_reason(line: str) -> Tuple[str, str]:
    """The rule, and what stands behind the first # with a space before it."""
    at = line.find("#")
    while at > 0 and not line[at - 1].isspace():
        at = line.find("#", at + 1)
    return (line[:at].rstrip(), line[at + 1:].strip()) if at > 0 else (line, "")


def _parts(rule: str) -> Optional[Tuple[str, Optional[str], Optional[str]]]:
    """CLASS.PATH -> CLASS as source, path and target; None if it is not of that form."""
    left, arrow, target = (part.strip() for part in rule.partition("->"))
    source = _CLASS.match(left)
    if source is None or arrow and not _CLASS.fullmatch(target):
        return None
    rest = left[source.end():]
    path = rest[1:] if rest.startswith(".") else rest
    if rest and (not path or rest[0] not in ".["):
        return None
    return source[0], path or None, target or None
