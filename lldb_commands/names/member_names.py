"""Names of members of structs and unions that type encodings leave out.

The encodings of GNUstep's ivars have no names for fields: an engine numbers them, _st.1[1].1.1.
Debug info has them in the same order: _st.mid[1].in.o.
"""
from __future__ import annotations

import re
from typing import Dict, Optional, Tuple

import lldb

_PART = re.compile(r"\.\w+|\[\d+\]")
_NUMBERED = re.compile(r"\.\d+(?=[.\[]|$)")
_OBJECTIVE_C = lldb.eTypeClassObjCInterface | lldb.eTypeClassObjCObject
_RECORD = lldb.eTypeClassStruct | lldb.eTypeClassClass | lldb.eTypeClassUnion


def is_numbered(path: str) -> bool:
    return _NUMBERED.search(path) is not None


class MemberNames:
    """Looks up each path of a class once. Lives as long as one command."""

    def __init__(self, target: lldb.SBTarget) -> None:
        self._target = target
        self._known: Dict[Tuple[str, str], str] = {}

    def named(self, class_name: str, path: str) -> str:
        """The path by names as far as debug info has them; a number stands where it has none."""
        key = class_name, path
        if key not in self._known:
            self._known[key] = self._look_up(class_name, path)
        return self._known[key]

    def _look_up(self, class_name: str, path: str) -> str:
        start = min(path.find(sign) % (len(path) + 1) for sign in ".[")
        kind = self._type_of_ivar(class_name, path[:start])
        named = path[:start]
        for match in _PART.finditer(path, start):
            text = match.group(0)
            kind, shown = _member(kind, text) if kind is not None else (None, text)
            named += shown
        return named

    def _type_of_ivar(self, class_name: str, name: str) -> Optional[lldb.SBType]:
        for kind in self._target.FindTypes(class_name):
            level: Optional[lldb.SBType] = kind
            while level is not None and level.GetTypeClass() & _OBJECTIVE_C:
                for index in range(level.GetNumberOfFields()):
                    if level.GetFieldAtIndex(index).GetName() == name:
                        return level.GetFieldAtIndex(index).GetType()
                level = level.GetDirectBaseClassAtIndex(0).GetType() \
                    if level.GetNumberOfDirectBaseClasses() else None
        return None


def _member(kind: lldb.SBType, text: str) -> Tuple[Optional[lldb.SBType], str]:
    """The type of a part of a path, and how it is called. None where it cannot be told: a class with
    bases has their fields before its own."""
    kind = kind.GetCanonicalType()
    if text.startswith("["):
        is_array = kind.GetTypeClass() & lldb.eTypeClassArray
        return (kind.GetArrayElementType() if is_array else None), text
    number = text[1:]
    if not kind.GetTypeClass() & _RECORD or kind.GetNumberOfDirectBaseClasses():
        return None, text
    fields = [kind.GetFieldAtIndex(index) for index in range(kind.GetNumberOfFields())]
    if not number.isdigit():
        found = next((field for field in fields if field.GetName() == number), None)
        return (found.GetType() if found is not None else None), text
    if int(number) >= len(fields):
        return None, text
    field = fields[int(number)]
    return field.GetType(), f".{field.GetName()}" if field.GetName() else ""
