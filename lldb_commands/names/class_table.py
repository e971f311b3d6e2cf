"""Classes by name in the table that Apple's runtime keeps for debuggers, gdb_objc_realized_classes.

It has every class of every image outside the shared cache, whose classes have linker symbols, and those
that were made while the program ran, as key-value observing makes them. An NXMapTable (maptable.h):
prototype, count, buckets less one, buckets; a bucket is a name and a class.
"""
from __future__ import annotations

import struct
from typing import Iterator, Optional, Tuple

import lldb

from ..session.context import Context

_SYMBOL = "gdb_objc_realized_classes"
_LARGEST = 1 << 22  # buckets that are believed
_AT_ONCE = 1 << 12  # buckets of one read


def class_named(name: str, context: Context) -> Optional[int]:
    """The address of the class, or None. The name is compared, not its hash, which has changed."""
    wanted = name.encode("utf-8") + b"\0"
    for key, cls in _entries(context):
        error = lldb.SBError()
        if context.process.ReadMemory(key, len(wanted), error) == wanted and error.Success():
            return cls
    return None


def _entries(context: Context) -> Iterator[Tuple[int, int]]:
    """Where the name of each class stands, and the class."""
    word = context.pointer_size
    empty = (1 << 8 * word) - 1
    bucket = struct.Struct("<QQ" if word == 8 else "<II")
    buckets, count = _buckets(context)
    for first in range(0, count, _AT_ONCE):
        error = lldb.SBError()
        taken = min(_AT_ONCE, count - first)
        data = context.process.ReadMemory(buckets + first * bucket.size, taken * bucket.size, error)
        if not error.Success() or not data:
            return
        for key, value in bucket.iter_unpack(data):
            if key not in (0, empty) and value:
                yield context.strip(key), context.strip(value)


def _buckets(context: Context) -> Tuple[int, int]:
    """Where they are and how many; none where the table is not there or not to be believed."""
    for match in context.target.FindSymbols(_SYMBOL):
        place = match.GetSymbol().GetStartAddress().GetLoadAddress(context.target)
        table = context.read_pointer(place) if place != lldb.LLDB_INVALID_ADDRESS else 0
        error = lldb.SBError()
        word = context.pointer_size
        data = context.process.ReadMemory(table + word, 8 + word, error) if table else None
        if data and error.Success():
            _, last, buckets = struct.unpack("<IIQ" if word == 8 else "<III", data)
            if last < _LARGEST and not last & (last + 1):
                return context.strip(buckets), last + 1
    return 0, 0
