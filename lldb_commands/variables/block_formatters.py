"""A block in `frame variable`: what its summary line says, and the captured variables as children."""
from __future__ import annotations

import os
import re
from typing import List, Optional

import lldb

from ..expressions.resolve import word_of
from ..names.block_debug_info import BlockDebugInfo, BlockInfo
from ..session.context import Context
from ..text.printable import printable
from .object_formatters import asked, context_of

_HEADER_MEMBERS = 5
_BLOCK_CLASS = re.compile(r"_NSConcrete\w*Block|__NS\w+Block__")


def _info(value: lldb.SBValue, address: int) -> Optional[BlockInfo]:
    """None: what is there is no block, whatever the variable's type says."""
    context = context_of(value)
    if not _is_block_at(address, context):
        return None
    return BlockDebugInfo(context).of_block(address)


def _is_block_at(address: int, context: Context) -> bool:
    """By the engine; where there is none by the name of the class."""
    answer = asked("block-layout", address, context)
    if answer is not None:
        return answer.get("status") != "error"
    isa = context.target.ResolveLoadAddress(context.read_pointer(address))
    return bool(_BLOCK_CLASS.search(isa.GetSymbol().GetName() or ""))


def summary(value: lldb.SBValue) -> str:
    address = word_of(value)
    if not address:
        return "nil" if address == 0 else "(not known here)"
    info = _info(value, address)
    if info is None:
        return f"{address:#x}, which is not a block"
    where = f" at {os.path.basename(info.file)}:{info.line}" if info.file else ""
    inside = f" in {info.function}" if info.function else ""
    return printable(f"{address:#x} {info.prototype or 'block'}{where}{inside}".replace("  ", " "))


class Captures:
    """The children of a block: its captured variables, a __block one by its present value."""

    def __init__(self, value: lldb.SBValue) -> None:
        self._value = value
        self._names: List[str] = []
        self._literal: Optional[lldb.SBValue] = None

    def update(self) -> bool:
        self._names, self._literal = [], None
        address = word_of(self._value)
        info = _info(self._value, address) if address else None
        if address and info is not None and info.literal is not None:
            where = lldb.SBAddress(address, self._value.GetTarget())
            self._literal = self._value.GetTarget().CreateValueFromAddress(
                "literal", where, info.literal)
            self._names = [info.literal.GetFieldAtIndex(index).GetName() or ""
                           for index in range(_HEADER_MEMBERS,
                                              info.literal.GetNumberOfFields())]
        return False

    def has_children(self) -> bool:
        return bool(self._names)

    def num_children(self) -> int:
        return len(self._names)

    def get_child_index(self, name: str) -> int:
        return self._names.index(name) if name in self._names else -1

    def get_child_at_index(self, index: int) -> Optional[lldb.SBValue]:
        if self._literal is None or not 0 <= index < len(self._names):
            return None
        child = self._literal.GetChildAtIndex(_HEADER_MEMBERS + index)
        storage = child.GetType().GetPointeeType()
        if storage.GetNumberOfFields() > 4 and \
                storage.GetFieldAtIndex(1).GetName() == "__forwarding":
            now = child.GetChildMemberWithName("__forwarding").Cast(child.GetType())
            variable = now.GetChildAtIndex(storage.GetNumberOfFields() - 1)
            return variable.Clone(self._names[index])
        return child
