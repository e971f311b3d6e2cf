"""What lldb's formatters show of a collection whose layout Loupe does not know.

lldb ships synthetic children for Foundation's collections, made for the versions it was released
with, and a program's authors can add their own. They are believed as far as they go: a reference
found so says "formatter" as its evidence. Where one gives up, lldb shows what the class declares
instead: that is nothing a collection holds.
"""
from __future__ import annotations

from typing import Callable, List, Optional, Tuple

import lldb

from ..names.block_debug_info import is_reference
from ..session.context import Context
from .plans import TooMuch

_MOST_CHILDREN = 1 << 16

# Kind of edge, path, the word itself.
Child = Tuple[str, str, int]


def children(context: Context, address: int, class_name: str,
             is_late: Callable[[], bool]) -> Optional[List[Child]]:
    """The objects in the collection at an address; None if no formatter shows them. Raises
    TooMuch."""
    value = _value(context, address, class_name)
    if value is None or _shows_ivars(value):
        return None
    count = value.GetNumChildren()
    return _objects(value, count, is_late) if 0 < count <= _MOST_CHILDREN else None


def _shows_ivars(value: lldb.SBValue) -> bool:
    """Whether the children are those that the value has without a formatter."""
    raw = value.GetNonSyntheticValue()
    count = value.GetNumChildren()
    return count == raw.GetNumChildren() and all(
        _places(value.GetChildAtIndex(index)) == _places(raw.GetChildAtIndex(index))
        for index in range(min(count, _MOST_CHILDREN)))


def _places(child: lldb.SBValue) -> Tuple[Optional[str], int]:
    return child.GetName(), child.GetLoadAddress()


def _value(context: Context, address: int, class_name: str) -> Optional[lldb.SBValue]:
    """The collection as a variable, with synthetic children."""
    target = context.target
    for kind in target.FindTypes(class_name):
        if not kind.GetTypeClass() & (lldb.eTypeClassObjCInterface | lldb.eTypeClassObjCObject):
            continue
        value = target.CreateValueFromAddress("collection", lldb.SBAddress(address, target), kind)
        if value.IsValid() and value.IsSynthetic():
            return value
    data = lldb.SBData.CreateDataFromUInt64Array(
        lldb.eByteOrderLittle, context.pointer_size, [address])
    pointer = target.CreateValueFromData("collection", data,
                                         target.GetBasicType(lldb.eBasicTypeObjCID))
    dynamic = pointer.GetDynamicValue(lldb.eDynamicDontRunTarget)
    return dynamic if dynamic.IsValid() and dynamic.IsSynthetic() else None


def _objects(value: lldb.SBValue, count: int,
             is_late: Callable[[], bool]) -> Optional[List[Child]]:
    """None if a child is neither an object nor a key with its value, or cannot be read."""
    found: List[Child] = []
    for index in range(count):
        if is_late():
            raise TooMuch
        child = value.GetChildAtIndex(index)
        key, held = child.GetChildMemberWithName("key"), child.GetChildMemberWithName("value")
        if is_reference(child.GetType()) and child.GetError().Success():
            found.append(("element", f"[{index}]", child.GetValueAsUnsigned(0)))
        elif key.IsValid() and held.IsValid() and key.GetError().Success():
            found.append(("key", "key", key.GetValueAsUnsigned(0)))
            found.append(("value", "[*]", held.GetValueAsUnsigned(0)))
        else:
            return None
    return found
