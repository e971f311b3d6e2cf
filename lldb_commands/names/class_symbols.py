"""Classes by their linker symbols, of every runtime."""
from __future__ import annotations

from typing import Iterator

import lldb

# Apple's, libobjc2's, those of GCC and of clang for GCC's runtime.
_PATTERNS = ("OBJC_CLASS_$_%s", "._OBJC_CLASS_%s", "_OBJC_Class_%s", "_OBJC_CLASS_%s")


def symbols_of_class(name: str, target: lldb.SBTarget) -> Iterator[lldb.SBSymbolContext]:
    """Where a class of that name is defined, or only referred to."""
    for pattern in _PATTERNS:
        yield from target.FindSymbols(pattern % name)
