"""References that are nobody's bug, in a file that a project keeps. Imports no lldb.

One filter per line, as reports write it, with the reason behind a #:

    Router._current -> Screen     # the router lives as long as the app
    Session._delegate             # the session drops its delegate when it ends
    Cache                         # all that a cache holds it drops by itself

CLASS.PATH -> CLASS, and CLASS[PATH]; parts that match anything are left out, or "*". Classes match
subclasses too, and "block" all blocks. Blank lines and lines that begin with # are comments.
"""
from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Iterator, List, Optional, Sequence

from . import files
from .errors import LoupeError
from .printable import printable

DEFAULT = ".loupe-filters"
NONE = "none"  # in place of a file: no filter at all
_LINE = re.compile(r"(?P<source>\*|[\w$]+)(?:(?:\.|(?=\[))(?P<path>(?:(?!->).)+?))?"
                   r"(?:\s*->\s*(?P<target>\*|[\w$]+))?")
_BLOCK = "block"  # the engine's word for any block
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_PLAIN = re.compile(r"[A-Za-z0-9_.:$\[\]-]")
_SHAPE = "CLASS.ivar -> CLASS  # reason"


@dataclass(frozen=True)
class Filter:
    """None matches anything."""

    source: Optional[str]
    path: Optional[str]
    target: Optional[str]
    reason: str

    @property
    def directive(self) -> str:
        parts = [_quoted(part) if part else "*" for part in (self.source, self.path, self.target)]
        return " ".join(["filter", *parts, _quoted(self.reason)])


def directives(filters: Sequence[Filter], standard: bool = True) -> str:
    return ";".join([*(item.directive for item in filters), *([] if standard else ["no-filters"])])


def _quoted(text: str) -> str:
    return "".join(letter if _PLAIN.fullmatch(letter) else
                   "".join(f"%{byte:02X}" for byte in letter.encode("utf-8"))
                   for letter in text)


# ---- Files ----


def default_file(directories: Sequence[str]) -> Optional[str]:
    """The nearest .loupe-filters in one of the directories or above it; the first one found."""
    for directory in directories:
        for place in _upwards(os.path.abspath(directory)):
            path = os.path.join(place, DEFAULT)
            if os.path.isfile(path):
                return path
    return None


def _upwards(directory: str) -> Iterator[str]:
    while True:
        yield directory
        above = os.path.dirname(directory)
        if above == directory:
            return
        directory = above


def read(path: str) -> List[Filter]:
    return [_parsed(line.strip(), f"{path}:{number}")
            for number, line in enumerate(files.lines(path, "the filters"), start=1)
            if line.strip() and not line.strip().startswith("#")]


def _parsed(line: str, place: str) -> Filter:
    rule, *rest = re.split(r"\s+#", line, maxsplit=1)
    reason = "".join(rest).strip()
    match = _LINE.fullmatch(rule)
    if match is None:
        raise LoupeError(f"{place}: '{printable(rule)[:60]}' is no filter: write {_SHAPE}")
    if not reason:
        raise LoupeError(f"{place}: the filter gives no reason: write one behind a #")
    source, path, target = [None if match[part] == "*" else match[part]
                            for part in ("source", "path", "target")]
    if source is None and path is None and target is None:
        raise LoupeError(f"{place}: the filter would hide everything: name a class or an ivar")
    if source == _BLOCK and path and _NAME.fullmatch(path):
        raise LoupeError(f"{place}: captured variables have no names in filters: write their class "
                         f"({_BLOCK} -> CLASS) or their offset ({_BLOCK}.+0x20)")
    return Filter(source, path, target, reason)
