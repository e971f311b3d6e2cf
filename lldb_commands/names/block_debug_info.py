"""What debug info says about a block, found through its invoke function.

clang describes the literal as the type of an artificial parameter `.block_descriptor` of the invoke
function: a structure with one member per captured variable at its true offset. A __block variable
is a pointer to a structure whose last member is the variable.
"""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

import lldb

from ..session.context import Context
from .method_names import as_method

_HEADER_MEMBERS = ("__isa", "__flags", "__reserved", "__FuncPtr", "__descriptor")
_INVOKE_SUFFIX = re.compile(r"(_block_invoke(?:[._]\d+)*)+$")
_DEPTH = 16
_LONGEST_SYMBOL = 4096  # tried from each place where the suffix may begin: a long one takes long


@dataclass(frozen=True)
class Variable:
    """A captured variable, or a member of one: path is `self`, `st.x`, `a[1]`."""

    path: str
    type: str
    offset: int
    size: int
    is_reference: bool  # an object or a block, by its type
    sbtype: lldb.SBType = field(compare=False, repr=False)


@dataclass
class BlockInfo:
    """What is known of one invoke function. Nothing but symbol without debug info."""

    symbol: str = ""
    module: str = ""
    function: str = ""  # the function it was written in
    file: str = ""
    line: int = 0
    prototype: str = ""
    literal: Optional[lldb.SBType] = None
    invoke: Optional[lldb.SBFunction] = None
    variables: List[Variable] = field(default_factory=list)

    @property
    def is_named(self) -> bool:
        return self.literal is not None


class BlockDebugInfo:
    """Looks invoke functions up, each once. Lives as long as one command."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._known: Dict[int, BlockInfo] = {}

    def at(self, invoke: int) -> BlockInfo:
        if invoke not in self._known:
            self._known[invoke] = self._look_up(invoke)
        return self._known[invoke]

    def of_block(self, block: int) -> BlockInfo:
        """By the address of the literal; its invoke word stands after isa and two ints."""
        word = self._context.pointer_size
        return self.at(self._context.read_pointer(block + word + 8))

    def _look_up(self, invoke: int) -> BlockInfo:
        info = BlockInfo()
        address = self._context.target.ResolveLoadAddress(self._context.strip(invoke))
        if not address.IsValid():
            return info
        info.module = address.GetModule().GetFileSpec().GetFilename() or ""
        info.symbol = address.GetSymbol().GetName() or ""
        function = address.GetFunction()
        if not function.IsValid():
            info.function = enclosing_function(info.symbol)
            return info
        info.function = enclosing_function(function.GetName() or info.symbol)
        info.invoke = function
        line = function.GetStartAddress().GetLineEntry()
        if line.IsValid():
            info.file = line.GetFileSpec().fullpath or ""
            info.line = line.GetLine()
        self._read_arguments(function, info)
        return info

    def _read_arguments(self, function: lldb.SBFunction, info: BlockInfo) -> None:
        arguments = []
        for variable in function.GetBlock().GetVariables(self._context.target, True, False, False):
            if variable.GetName() == ".block_descriptor":
                info.literal = variable.GetType().GetPointeeType()
            else:
                arguments.append(declaration(variable.GetType(), variable.GetName() or ""))
        if info.literal is None:
            return
        returned = function.GetType().GetFunctionReturnType()
        name = type_name(returned) if returned.IsValid() else "void"
        info.prototype = f"{name} (^)({', '.join(arguments) or 'void'})"
        info.variables = [variable for member in _members(info.literal)
                          if member.GetName() not in _HEADER_MEMBERS
                          for variable in leaves(member.GetType(), member.GetName() or "?",
                                                 member.GetOffsetInBytes())]


def enclosing_function(symbol: str) -> str:
    """__12-[Foo bar]_block_invoke_2 -> -[Foo bar]; the symbol itself if it is no block's."""
    shown = symbol.replace("invocation function for block in ", "", 1)
    if shown != symbol:
        return as_method(shown)
    name = symbol if len(symbol) > _LONGEST_SYMBOL else _INVOKE_SUFFIX.sub("", symbol)
    if name == symbol:
        return symbol
    name = name[2:] if name.startswith("__") else name
    length = re.match(r"(\d+)([-+]\[.*|_[ic]_.*)", name)
    return as_method(length.group(2) if length else name)


def type_name(kind: lldb.SBType) -> str:
    """`PhotoCell *` for `PhotoCell *const __strong`."""
    name = kind.GetDisplayTypeName() or kind.GetName() or "?"
    for word in ("__strong", "__weak", "__unsafe_unretained", "__autoreleasing"):
        name = name.replace(word, "")
    return re.sub(r"\s*\bconst\s*$", "", name.strip()).strip()


def declaration(kind: lldb.SBType, name: str) -> str:
    text = type_name(kind)
    return f"{text}{name}" if text.endswith("*") and name else f"{text} {name}".strip()


def is_block_pointer(kind: lldb.SBType) -> bool:
    return bool(kind.GetCanonicalType().GetTypeClass() & lldb.eTypeClassBlockPointer) or \
        "(^" in (kind.GetCanonicalType().GetName() or "")


def is_reference(kind: lldb.SBType) -> bool:
    """Whether a value of this type is an object or a block."""
    canonical = kind.GetCanonicalType()
    if is_block_pointer(canonical):
        return True
    if canonical.GetTypeClass() & lldb.eTypeClassObjCObjectPointer:
        return True
    if not canonical.IsPointerType():
        return False
    pointee = canonical.GetPointeeType()
    name = pointee.GetName() or ""
    return bool(pointee.GetTypeClass() & (lldb.eTypeClassObjCObject
                                          | lldb.eTypeClassObjCInterface)) or \
        name.split(" ")[-1] in ("objc_object", "objc_class")


def _members(kind: lldb.SBType) -> List[lldb.SBTypeMember]:
    return [kind.GetFieldAtIndex(index) for index in range(kind.GetNumberOfFields())]


def leaves(kind: lldb.SBType, path: str, offset: int, depth: int = _DEPTH) -> List[Variable]:
    """The scalars and pointers that a variable is made of, by offset."""
    canonical = kind.GetCanonicalType()
    family = canonical.GetTypeClass()
    if depth and family & lldb.eTypeClassArray and canonical.GetByteSize():
        element = canonical.GetArrayElementType()
        length = canonical.GetByteSize() // max(element.GetByteSize(), 1)
        if length <= 64:
            return [leaf for index in range(length)
                    for leaf in leaves(element, f"{path}[{index}]",
                                       offset + index * element.GetByteSize(), depth - 1)]
    if depth and family & (lldb.eTypeClassStruct | lldb.eTypeClassClass) and \
            not is_block_pointer(canonical):
        inner = _inner(canonical, path, offset, depth)
        if inner:
            return inner
    return [Variable(path, type_name(kind), offset, kind.GetByteSize(), is_reference(kind),
                     kind)]


def _inner(kind: lldb.SBType, path: str, offset: int, depth: int) -> List[Variable]:
    bases = [kind.GetDirectBaseClassAtIndex(index)
             for index in range(kind.GetNumberOfDirectBaseClasses())]
    found: List[Variable] = []
    for base in bases:
        found += [leaf for leaf in leaves(base.GetType(), path, offset + base.GetOffsetInBytes(),
                                          depth - 1) if leaf.path != path]
    for member in _members(kind):
        if member.IsBitfield():
            continue
        name = member.GetName()
        found += leaves(member.GetType(), f"{path}.{name}" if name else path,
                        offset + member.GetOffsetInBytes(), depth - 1)
    return found


def byref_variable(literal: lldb.SBType, offset: int) -> Optional[Tuple[str, lldb.SBTypeMember]]:
    """For the __block variable captured at offset: its name, and its member of the storage."""
    for member in _members(literal):
        if member.GetOffsetInBytes() != offset or not member.GetType().IsPointerType():
            continue
        storage = _members(member.GetType().GetPointeeType())
        if len(storage) > 4 and storage[1].GetName() == "__forwarding":
            return member.GetName() or "?", storage[-1]
    return None
