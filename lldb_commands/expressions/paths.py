"""Paths through objects: self->_loader->_completion, blk->captured, 0x600003a04000->_delegate.

lldb takes ivar offsets from debug info, which does not know them (they are the runtime's), and so
reads the wrong slot wherever it does not know the runtime. An engine does know: each step asks it
for the ivars of an object, or for the captured variables of a block. Imports no lldb.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable, Iterator, List, Optional, Tuple

from ..errors import LoupeError
from ..names.captures import byref_variables
from ..protocol import Answer, Capture, Ivar, Slot

_PATH = re.compile(r"(0[xX][0-9a-fA-F]+|[A-Za-z_$][\w$]*)((?:->[A-Za-z_$][\w$]*"
                   r"(?:\.[A-Za-z_$][\w$]*|\[\d+\])*)+)")
_SPACE = re.compile(r"\s*(->|[.\[\]])\s*")


@dataclass(frozen=True)
class ObjectPath:
    """base is a variable or an address; each step an ivar or captured variable: st.x, a[1]."""

    base: str
    steps: Tuple[str, ...]

    def up_to(self, step: int) -> str:
        """The path with the first `step` steps, for messages."""
        return "->".join((self.base, *self.steps[:step]))


def parse(text: str) -> Optional[ObjectPath]:
    """The path that text is, or None if it is another expression (or a plain variable)."""
    match = _PATH.fullmatch(_SPACE.sub(r"\1", text)) if "->" in text else None
    return ObjectPath(match.group(1), tuple(match.group(2).split("->")[1:])) if match else None


def follow(path: ObjectPath, start: int, describe: Callable[[int], Answer]) -> int:
    """The address at the end. describe() answers ivar-layout, or block-layout for a block."""
    address = start
    for number, step in enumerate(path.steps):
        if address == 0:
            raise LoupeError(f"{path.up_to(number)} is nil, so there is no {step}")
        found = slots(describe(address))
        slot = next((slot for name, slot in found if name == step), None)
        if slot is None:
            raise LoupeError(f"{path.up_to(number)} has no {step}{_known([name for name, _ in found])}")
        address = _word(slot, path.up_to(number + 1))
    return address


def slots(answer: Answer) -> List[Tuple[str, Slot]]:
    """What an object or a block has, by the names that a path can go on with."""
    if answer.get("query") == "block-layout":
        return [pair for capture in answer.get("captures") or [] for pair in _captured(capture)]
    return [pair for level in answer.get("levels") or [] for ivar in level.get("ivars") or []
            for pair in _ivar(ivar)]


def _ivar(ivar: Ivar) -> Iterator[Tuple[str, Slot]]:
    yield str(ivar.get("name")), ivar
    for field in ivar.get("fields") or []:
        yield str(field.get("path") or field.get("name")), field
        # Numbers have no value to follow, and each is named so that a message can say so.
        for name in _further_elements(field):
            yield name, field


def _further_elements(field: Ivar) -> Iterator[str]:
    head, _, index = str(field.get("path")).rpartition("[")
    count = field.get("count")
    if count and index[:-1].isdigit():
        first = int(index[:-1])
        yield from (f"{head}[{number}]" for number in range(first + 1, first + count))


def _captured(capture: Capture) -> Iterator[Tuple[str, Slot]]:
    """A __block variable goes by the variable, not by its storage."""
    inside = byref_variables(capture)
    if inside:
        for item in inside:
            yield str(item.get("name") or capture.get("name")), item
    elif capture.get("name"):
        yield str(capture["name"]), capture


def _word(slot: Slot, name: str) -> int:
    value = slot.get("value")
    if value is None:
        raise LoupeError(f"{name} has no value that can be followed: it is "
                         f"{slot.get('type') or 'no object'}")
    return int(str(value), 16)


def _known(names: List[str]) -> str:
    shown = [name for name in names if name not in ("isa", "None")]
    return f"; it has {', '.join(shown[:12])}" if shown else ""
