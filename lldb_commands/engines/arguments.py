"""What a question says beside its address, as the text that engines take. Imports no lldb.

docs/protocol.md, section 4, has the format. The core decodes it in core/request; the test of both
sides reads tests/unit/base/arguments.txt. Numbers and names go through here and nowhere else, so that no
text of a target or a file is taken for an argument.
"""
from __future__ import annotations

import re
from typing import Iterable, Optional

EXPLAIN = "explain"
NO_FILTERS = "no-filters"
SURVEY = "survey"  # undescribed members in place of the answer

_PLAIN = re.compile(r"[A-Za-z0-9_.:$\[\]>()-]")


def joined(arguments: Iterable[str]) -> str:
    """One text of several arguments, or of several such texts; empty ones do not count."""
    return ";".join(filter(None, arguments))


def filter_of(source: Optional[str], path: Optional[str], target: Optional[str],
              reason: str) -> str:
    """None matches anything."""
    patterns = [_name(part) if part else "*" for part in (source, path, target)]
    return " ".join(["filter", *patterns, _name(reason)])


def root(kind: str, address: int) -> str:
    return f"root {kind} {address:#x}"


def scan(kind: str, start: int, end: int) -> str:
    return f"scan {kind} {start:#x} {end:#x}"


def register(thread: int, name: str, value: int) -> str:
    """What a thread, by the system's id, has in a register, by lldb's name."""
    return f"register {thread:#x} {_name(name)} {value:#x}"


def debugger(start: int, end: int) -> str:
    """Memory that lldb has put into the process."""
    return f"debugger {start:#x} {end:#x}"


def stack_pointer(address: int) -> str:
    return f"stack-pointer {address:#x}"


def fact(source: int, kind: str, ownership: str, evidence: str, word: int, path: str,
         slot: Optional[int] = None, offset: Optional[int] = None) -> str:
    """A reference of the object at source: in a slot, at an offset of the object, or nowhere."""
    place = f"+{offset:#x}" if offset is not None else f"{slot:#x}" if slot else "-"
    return f"ref {source:#x} {kind} {ownership} {evidence} {place} {word:#x} {_name(path)}"


def read(address: int) -> str:
    return f"read {address:#x}"


def listed(count: int) -> str:
    return f"list {count}"


def code(address: int) -> str:
    return f"code {address:#x}"


def of_class(name: str) -> str:
    """The class that a question without an address is about."""
    return f"class {_name(name)}"


def selector(name: str) -> str:
    """The method that methods is to find, of the class or object that the question is about."""
    return f"selector {_name(name)}"


def _name(text: str) -> str:
    return "".join(letter if _PLAIN.fullmatch(letter) else
                   "".join(f"%{byte:02X}" for byte in letter.encode("utf-8"))
                   for letter in text)
