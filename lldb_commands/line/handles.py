"""Numbers for what an answer shows, to be typed instead of addresses: `loupe path #3`.

They are those of the last answer. An entry that has a number in the report, "3. Retain
cycle of 2 objects", lends it to the first object that it shows; the others get the next ones, in the order in
which they are shown. Where somebody reads at a terminal they stand behind the addresses. Imports no
lldb.
"""
from __future__ import annotations

import re
from typing import Dict, Iterator, List, Tuple

from ..errors import LoupeError

_ENTRY = re.compile(r"^(\d+)\. ")
# Behind what it is, or at the beginning of a row of a table.
_SHOWN = re.compile(r"(?:^\s*|(?P<what>[^\s(]+) )(?:\x1b\[[0-9;]*m)?(?P<address>0x[0-9a-f]{4,16})\b")
_NO_OBJECTS = frozenset(("slot", "at", "is", "to", "in", "byte", "isa", "of", "address", "here:"))
_TYPED = re.compile(r"(?:#|\$loupe)(\d+)\b")
_PALE, _PLAIN = "\x1b[2m", "\x1b[0m"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")

_FINGERPRINT = re.compile(r"\bfingerprint (?:of the cycle )?([0-9a-f]{16})\b")

_numbers: Dict[int, Dict[int, int]] = {}  # by debugger: addresses by number
_findings: Dict[int, Dict[int, Tuple[str, str]]] = {}  # and fingerprints of entries


def remember(debugger: int, text: str) -> Dict[int, int]:
    """Gives numbers to the objects of a report. One that shows none leaves the older ones."""
    found = number(text)
    if found:
        _numbers[debugger] = found
        _findings[debugger] = findings(text)
    return found


def findings(text: str) -> Dict[int, Tuple[str, str]]:
    """Fingerprints of entries by number, and what each is."""
    found: Dict[int, Tuple[str, str]] = {}
    place, what = 1, ""
    for line in _COLOUR.sub("", text).splitlines():
        begun = _ENTRY.match(line)
        if begun:
            place, what = int(begun[1]), re.split(r"[,;] ", line[begun.end():])[0]
        printed = _FINGERPRINT.search(line)
        if printed:
            found.setdefault(place, (printed[1], what))
    return found


def finding(debugger: int, typed: str) -> Tuple[str, str]:
    """The fingerprint that #3 or a fingerprint means, and what it is of."""
    if re.fullmatch(r"[0-9a-f]{16}", typed):
        return typed, ""
    match, known = _TYPED.fullmatch(typed), _findings.get(debugger, {})
    if match is None or int(match[1]) not in known:
        raise LoupeError(f"{typed or 'nothing'} names no finding whose fingerprint the last report shows: "
                         "loupe leaks and loupe cycles show them, retain-cycles with -v", code="usage")
    return known[int(match[1])]


def number(text: str) -> Dict[int, int]:
    """Addresses by number."""
    entries: Dict[int, int] = {}
    others: List[int] = []
    waiting = 0
    for line in _COLOUR.sub("", text).splitlines():
        begun = _ENTRY.match(line)
        waiting = int(begun[1]) if begun else waiting
        for address, _ in _addresses(line):
            if address in entries.values() or address in others:
                waiting = 0
            elif waiting and waiting not in entries:
                entries[waiting] = address
            else:
                others.append(address)
            waiting = 0 if waiting in entries else waiting
    last = max(entries, default=0)
    return {**entries, **{last + place: address for place, address in enumerate(others, 1)}}


def shown(text: str, numbers: Dict[int, int]) -> str:
    """The text with each number behind the first place of its address."""
    left = {address: place for place, address in numbers.items()}
    lines = []
    for line in text.splitlines():
        for address, end in reversed(list(_addresses(line))):
            place = left.pop(address, 0)
            if place:
                line = f"{line[:end]}{_PALE} #{place}{_PLAIN}{line[end:]}"
        lines.append(line)
    return "\n".join(lines)


def _addresses(line: str) -> Iterator[Tuple[int, int]]:
    """Of objects, each with where it ends in the line."""
    for match in _SHOWN.finditer(line):
        what = _COLOUR.sub("", match["what"] or "").strip("→│╰╭─▶")
        if what not in _NO_OBJECTS:
            yield int(match["address"], 16), match.end("address")


def replaced(debugger: int, expression: str) -> str:
    """An expression with addresses for numbers."""
    def address(match: "re.Match[str]") -> str:
        place = int(match[1])
        numbers = _numbers.get(debugger, {})
        if place not in numbers:
            has = f"the last answer has #1 to #{max(numbers)}" if numbers else \
                "no answer has shown objects yet"
            raise LoupeError(f"there is no {match[0]}: {has}", code="usage")
        return f"{numbers[place]:#x}"
    return _TYPED.sub(address, expression)
