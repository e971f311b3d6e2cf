"""How a key of a std::map is shown in a path: _cells[5], _cells["title"]."""
from __future__ import annotations

from typing import Callable

import lldb

from ..text.printable import quoted
from . import types
from .memory import Memory

_LONGEST = 40
_INTEGERS = {"char": True, "signed char": True, "short": True, "int": True, "long": True,
             "long long": True, "unsigned char": False, "unsigned short": False,
             "unsigned int": False, "unsigned long": False, "unsigned long long": False}


def reader(kind: lldb.SBType, memory: Memory) -> Callable[[int], str]:
    """Shows the key at an address; empty where it cannot be shown."""
    kind = kind.GetCanonicalType().GetUnqualifiedType()
    name, size = kind.GetName() or "", kind.GetByteSize()
    if name in _INTEGERS:
        return lambda address: _integer(memory, address, size, _INTEGERS[name])
    if types.library_name(kind) == "basic_string" and types.arguments(kind)[:1] == ["char"]:
        # libstdc++'s begins with the address and the length; debug info often leaves it out.
        if "::__cxx11::" in name:
            return lambda address: _text(memory, address, address + memory.word_size)
    return lambda _address: ""


def _integer(memory: Memory, address: int, size: int, signed: bool) -> str:
    data = memory.read(address, size)
    return str(int.from_bytes(data, "little", signed=signed)) if data is not None else ""


def _text(memory: Memory, text: int, length: int) -> str:
    start, size = memory.word(text), memory.word(length)
    if not start or size is None or size > _LONGEST:
        return ""
    data = memory.read(start, size)
    shown = data.decode("utf-8", "replace") if data is not None else ""
    return quoted(shown) if shown.isprintable() else ""
