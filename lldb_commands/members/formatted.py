"""What lldb's formatters show of a collection whose layout Loupe does not know.

lldb ships synthetic children for Foundation's collections, made for the versions it was released
with, and a program's authors can add their own. They are believed as far as they go: a reference
found so says "formatter" as its evidence.
"""
from __future__ import annotations

from typing import Iterator, Optional, Tuple

import lldb

from ..context import Context
from ..names.block_debug_info import is_reference

_MOST_CHILDREN = 1 << 16

# Kind of edge, path, the word itself.
Child = Tuple[str, str, int]


def children(context: Context, address: int, class_name: str) -> Optional[Iterator[Child]]:
    """The objects in the collection at an address; None if no formatter shows them."""
    value = _value(context, address, class_name)
    if value is None:
        return None
    count = value.GetNumChildren()
    return _objects(value, count) if 0 <= count <= _MOST_CHILDREN else None


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


def _objects(value: lldb.SBValue, count: int) -> Iterator[Child]:
    for index in range(count):
        child = value.GetChildAtIndex(index)
        key = child.GetChildMemberWithName("key")
        if is_reference(child.GetType()):
            yield "element", f"[{index}]", child.GetValueAsUnsigned(0)
        elif key.IsValid():
            yield "key", "key", key.GetValueAsUnsigned(0)
            yield "value", "[*]", child.GetChildMemberWithName("value").GetValueAsUnsigned(0)
