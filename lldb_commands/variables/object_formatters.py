"""Objective-C objects in `frame variable` and in an editor's list of variables: what they say of
themselves, and their ivars, where the runtime has them.

lldb places ivars by debug information. Outside Apple's runtime nobody corrects that for it, and it is
wrong as soon as a superclass has ivars that its header does not show: every ivar behind them is read
from the wrong place. So the engine that reads classes is asked, and debug information gives types.
Apple's runtime lldb reads by itself, so these formatters are not there on a Mac.
"""
from __future__ import annotations

import time
from typing import Any, Dict, List, Optional, Tuple

import lldb

from ..engines import policy
from ..engines.question import Question
from ..errors import LoupeError
from ..expressions.resolve import word_of
from ..protocol import Answer, Ivar
from ..session.context import Context
from ..text.printable import printable

_SECONDS = 2.0  # for what is shown of one variable
_MOST = 1000  # ivars shown of one object
_OBJECT_ITSELF = lldb.eTypeClassObjCObject | lldb.eTypeClassObjCInterface
_NUMBERS = {
    "c": lldb.eBasicTypeSignedChar, "C": lldb.eBasicTypeUnsignedChar, "s": lldb.eBasicTypeShort,
    "S": lldb.eBasicTypeUnsignedShort, "i": lldb.eBasicTypeInt, "I": lldb.eBasicTypeUnsignedInt,
    "l": lldb.eBasicTypeLong, "L": lldb.eBasicTypeUnsignedLong, "q": lldb.eBasicTypeLongLong,
    "Q": lldb.eBasicTypeUnsignedLongLong, "f": lldb.eBasicTypeFloat, "d": lldb.eBasicTypeDouble,
    "B": lldb.eBasicTypeBool, "@": lldb.eBasicTypeObjCID, "#": lldb.eBasicTypeObjCClass,
    ":": lldb.eBasicTypeObjCSel,
}


def context_of(value: lldb.SBValue) -> Context:
    target = value.GetTarget()
    return Context(target.GetDebugger(), target, value.GetProcess(), value.GetThread(),
                   value.GetFrame(), time.monotonic() + _SECONDS)


def asked(query: str, address: int, context: Context) -> Optional[Answer]:
    """What is answered from outside, also an error; None where nobody can be asked. Runs nothing in
    the process."""
    try:
        return policy.ask(Question(query, address), context, "memory")
    except LoupeError:
        return None


def _address_of(value: lldb.SBValue) -> int:
    if not value.GetType().GetCanonicalType().GetTypeClass() & _OBJECT_ITSELF:
        return word_of(value) or 0
    place = value.GetNonSyntheticValue().GetLoadAddress()
    return 0 if place == lldb.LLDB_INVALID_ADDRESS else int(place)


def summary(value: lldb.SBValue) -> str:
    """What the object says: "Inbox", 42, 3 items. Nothing of a variable that is no pointer: its class says all."""
    address = word_of(value) if value.GetType().IsPointerType() else None
    answer = asked("value", address, context_of(value)) if address else None
    text = answer.get("value") if answer else None
    return printable(str(text)) if text else ""


class Ivars:
    """The ivars of an object as children, those of its own class first."""

    def __init__(self, value: lldb.SBValue, _internal: Dict[str, Any]) -> None:
        self._value = value
        self._children: Optional[List[lldb.SBValue]] = None

    def update(self) -> bool:
        self._children = None  # asked for when somebody looks
        return False

    def has_children(self) -> bool:
        return _address_of(self._value) != 0

    def num_children(self) -> int:
        return len(self._all())

    def get_child_index(self, name: str) -> int:
        return next((index for index, child in enumerate(self._all())
                     if child.GetName() == name), -1)

    def get_child_at_index(self, index: int) -> Optional[lldb.SBValue]:
        children = self._all()
        return children[index] if 0 <= index < len(children) else None

    def _all(self) -> List[lldb.SBValue]:
        if self._children is None:
            self._children = self._read()
        return self._children

    def _read(self) -> List[lldb.SBValue]:
        """Nothing of what is no object, whatever its type says."""
        address = _address_of(self._value)
        context = context_of(self._value)
        answer = asked("ivar-layout", address, context) if address else None
        levels = answer.get("levels") or [] if answer else []
        found = [_ivar(ivar, str(level.get("class")), address, context)
                 for level in levels for ivar in level.get("ivars") or []
                 if ivar.get("name") and (ivar.get("offset") or ivar.get("name") != "isa")]
        return [child for child in found[:_MOST] if child is not None and child.IsValid()]


def _ivar(ivar: Ivar, class_name: str, address: int, context: Context) -> Optional[lldb.SBValue]:
    kind, is_bits = _declared_type(class_name, str(ivar["name"]), context)
    if kind is None or (not is_bits and kind.GetByteSize() != int(ivar.get("size") or 0)):
        kind = _type_of_encoding(str(ivar.get("type") or ""), int(ivar.get("size") or 0), context)
    offset = ivar.get("offset")
    if kind is None or is_bits or offset is None:
        return None
    place = lldb.SBAddress(address + offset, context.target)
    return context.target.CreateValueFromAddress(str(ivar["name"]), place, kind)


def _declared_type(class_name: str, name: str,
                   context: Context) -> Tuple[Optional[lldb.SBType], bool]:
    """Of an ivar by debug information, and whether it is a bit-field."""
    for kind in context.target.FindTypes(class_name):
        if not kind.GetTypeClass() & (lldb.eTypeClassObjCInterface | lldb.eTypeClassObjCObject):
            continue
        for index in range(kind.GetNumberOfFields()):
            member = kind.GetFieldAtIndex(index)
            if member.GetName() == name:
                return member.GetType(), bool(member.IsBitfield())
    return None, False


def _type_of_encoding(encoding: str, size: int, context: Context) -> Optional[lldb.SBType]:
    """What can be said without debug information: numbers and objects as such, the rest as bytes."""
    plain = encoding.lstrip("rnNoORVAj")
    basic = _NUMBERS.get(plain[:1])
    if basic is not None:
        kind = context.target.GetBasicType(basic)
        if kind.IsValid() and kind.GetByteSize() == size:
            return kind
    if plain[:1] in ("^", "*", "@", "#", ":") and size == context.pointer_size:
        return context.target.GetBasicType(lldb.eBasicTypeVoid).GetPointerType()
    byte = context.target.GetBasicType(lldb.eBasicTypeUnsignedChar)
    return byte.GetArrayType(size) if size else None
