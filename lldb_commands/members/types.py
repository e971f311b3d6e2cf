"""What the types of debug info are, asked in one way for all versions of lldb."""
from __future__ import annotations

import re
from typing import Callable, Iterator, List, Optional, Tuple

import lldb

_LIBRARY = re.compile(r"^std::(?:__\w+::)*(\w+)(<|$)")
_DEPTH = 12


def is_record(kind: lldb.SBType) -> bool:
    return bool(kind.GetTypeClass() & (lldb.eTypeClassStruct | lldb.eTypeClassClass)) and \
        "(^" not in (kind.GetName() or "")


def is_pointer(kind: lldb.SBType) -> bool:
    return bool(kind.GetCanonicalType().GetTypeClass() & lldb.eTypeClassPointer)


def is_complete(kind: lldb.SBType) -> bool:
    return kind.IsTypeComplete() and kind.GetByteSize() > 0


def is_empty(kind: lldb.SBType) -> bool:
    return kind.GetByteSize() <= 1 and not (
        kind.GetNumberOfFields() or kind.GetNumberOfDirectBaseClasses()
        or kind.GetNumberOfMemberFunctions() or kind.GetNumberOfTemplateArguments())


def is_lambda(kind: lldb.SBType) -> bool:
    name = kind.GetName() or ""
    return not name or any(word in name for word in ("(lambda", "(unnamed", "(anonymous"))


def library_name(kind: lldb.SBType) -> str:
    """vector for std::__1::vector<...>; empty for what is not the standard library's."""
    match = _LIBRARY.match(kind.GetName() or "")
    return match.group(1) if match else ""


def fields(kind: lldb.SBType) -> Iterator[lldb.SBTypeMember]:
    for index in range(kind.GetNumberOfFields()):
        yield kind.GetFieldAtIndex(index)


def bases(kind: lldb.SBType) -> Iterator[lldb.SBTypeMember]:
    for index in range(kind.GetNumberOfDirectBaseClasses()):
        yield kind.GetDirectBaseClassAtIndex(index)


def find(kind: lldb.SBType, name: str,
         accept: Callable[[lldb.SBType], bool] = lambda _: True
         ) -> Optional[Tuple[int, lldb.SBType]]:
    """Where a member of this name is, in the type itself or in what is inside it: the nearest."""
    level: List[Tuple[int, lldb.SBType]] = [(0, kind.GetCanonicalType())]
    # Cap: a gap: a member that is not found.
    for _ in range(_DEPTH):
        below: List[Tuple[int, lldb.SBType]] = []
        for offset, outer in level:
            for member in fields(outer):
                place = offset + member.GetOffsetInBytes()
                inner = member.GetType().GetCanonicalType()
                if member.GetName() == name and accept(inner):
                    return place, inner
                if inner.GetTypeClass() & (lldb.eTypeClassStruct | lldb.eTypeClassClass
                                           | lldb.eTypeClassUnion):
                    below.append((place, inner))
            for base in bases(outer):
                below.append((offset + base.GetOffsetInBytes(),
                              base.GetType().GetCanonicalType()))
        level = below
    return None


def arguments(kind: lldb.SBType) -> List[str]:
    """The template arguments as they stand in the name: 'Peer *__weak'."""
    name = kind.GetName() or ""
    start = _template_start(name)
    if start < 0:
        return []
    parts, depth, begin = [], 0, start + 1
    for index in range(start, len(name)):
        letter = name[index]
        if letter in "<([{":
            depth += 1
        elif letter in ")]}" or (letter == ">" and name[index - 1] != "-"):
            depth -= 1
        if depth == 0 or (depth == 1 and letter == ","):
            parts.append(name[begin:index].strip())
            begin = index + 1
        if depth == 0:
            break
    return [part for part in parts if part]


def _template_start(name: str) -> int:
    """Where the arguments of the last component begin: of a<b>::c<d>, those of c."""
    if not name.endswith(">"):
        return -1
    depth = 0
    for index in range(len(name) - 1, -1, -1):
        if name[index] == ">" and name[index - 1] != "-":
            depth += 1
        elif name[index] == "<":
            depth -= 1
            if depth == 0:
                return index
    return -1


def argument(kind: lldb.SBType, index: int) -> Optional[lldb.SBType]:
    """A template argument that is a type."""
    if index >= kind.GetNumberOfTemplateArguments():
        return None
    found = kind.GetTemplateArgumentType(index)
    return found if found.IsValid() else None
