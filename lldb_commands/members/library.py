"""Types of libstdc++ and libc++ by their layouts in debug info.

Everything is found by the names of members, so that a version that has others is refused: it
becomes a hole, counted as not followed.
"""
from __future__ import annotations

from typing import Callable, Dict, List, Optional, Protocol, Union

import lldb

from . import keys, types
from .containers import (Blocks, Box, BoxedArray, Chain, Dynamic, Either, Maybe, Pair, Run,
                         Segments, Tree)
from .memory import Memory
from .ownership import Code
from .plans import Gap, Hole, Inner, Part, Plan


class Layouts(Protocol):
    """layouts.Layouts: plans of what is inside."""

    memory: Memory

    def element(self, record: lldb.SBType, index: int, code: Code) -> Plan: ...
    def plan(self, kind: lldb.SBType, code: Code) -> Plan: ...
    def pointee(self, record: lldb.SBType, index: int,
                code: Code) -> Callable[[int, Plan], Union[Inner, Gap]]: ...
    def pointed(self, static: Optional[lldb.SBType],
                code: Code) -> Callable[[int, Plan], Union[Inner, Gap]]: ...
    def any(self, record: lldb.SBType,
            code: Code) -> Callable[[int], Union[Inner, Gap, None]]: ...
    def function(self, record: lldb.SBType,
                 code: Code) -> Callable[[int], Union[Inner, Gap, None]]: ...


def add(layouts: Layouts, parts: List[Part], kind: lldb.SBType, offset: int, suffix: str,
        code: Code) -> bool:
    """Adds the parts of a type of the standard library. False: its members tell all."""
    maker = _MAKERS.get(types.library_name(kind))
    if maker is None:
        return False
    part = maker(_Place(layouts, kind, offset, suffix, code))
    if part is _BY_MEMBERS:
        return False
    if part is not None:
        parts.append(part)
    return True


_BY_MEMBERS = Hole("", "")  # of a type whose members tell all


class _Place:
    """A type of the library at an offset of a plan."""

    def __init__(self, layouts: Layouts, kind: lldb.SBType, offset: int, suffix: str,
                 code: Code) -> None:
        self.layouts, self.kind, self.offset = layouts, kind, offset
        self.suffix, self.code = suffix, code
        self.word = layouts.memory.word_size

    def at(self, *path: str) -> Optional[int]:
        """The offset of a member; further names are of members inside it."""
        place, kind = self.offset, self.kind
        for name in path:
            found = types.find(kind, name)
            if found is None:
                return None
            place, kind = place + found[0], found[1]
        return place

    def first_of(self, *names: str) -> Optional[int]:
        return next((place for place in map(self.at, names) if place is not None), None)

    def pointer(self, *names: str) -> Optional[int]:
        """The offset of a member that is a pointer."""
        for name in names:
            found = types.find(self.kind, name, types.is_pointer)
            if found is not None:
                return self.offset + found[0]
        return None

    def element(self, index: int) -> Plan:
        return self.layouts.element(self.kind, index, self.code)

    def unknown(self) -> Part:
        return Hole(self.suffix, f"{self.kind.GetName()} of a version that is not known")


# ---- Sequences ----


def _vector(place: _Place, element: Plan) -> Optional[Part]:
    begin, end = place.first_of("_M_start", "__begin_"), place.first_of("_M_finish", "__end_")
    if begin is None or end is None or not element.size:
        return place.unknown()
    return Run(begin, end, place.suffix, element)


def _list(place: _Place, element: Plan) -> Optional[Part]:
    size = place.first_of("_M_size", "__size_")
    head = place.at("_M_next") if place.at("_M_node") is not None else place.at("__end_", "__next_")
    if head is None:
        return place.unknown()
    # libstdc++ has {next, previous}, libc++ {previous, next}.
    link = 0 if place.at("_M_node") is not None else place.word
    return Chain(head, 2 * place.word, link, place.suffix, element, size)


def _forward_list(place: _Place, element: Plan) -> Optional[Part]:
    head = place.at("_M_head", "_M_next")
    head = head if head is not None else place.at("__before_begin_", "__next_")
    if head is None:
        return place.unknown()
    return Chain(head, place.word, 0, place.suffix, element, None)


def _deque(place: _Place, element: Plan) -> Optional[Part]:
    first, last = place.at("_M_start", "_M_cur"), place.at("_M_finish", "_M_cur")
    if first is not None and last is not None:
        in_block = max(512 // element.size, 1) if element.size else 1
        return Segments(first, last, in_block * element.size, place.suffix, element)
    row, start = place.at("__map_", "__begin_"), place.at("__start_")
    count = place.at("__size_")
    if row is None or start is None or count is None or not element.size:
        return place.unknown()
    in_block = 4096 // element.size if element.size < 256 else 16
    return Blocks(row, start, count, in_block, place.suffix, element)


# ---- Maps and sets ----


def _pair(place: _Place) -> Optional[Plan]:
    """What a node of a map has: std::pair<const K, V>. Where one of them has an object, V is
    aligned as a word; debug info may not have the pair itself."""
    key, value = place.element(0), place.element(1)
    key_type = types.argument(place.kind, 0)
    if not key.owns and not value.owns:
        return Plan("")
    if key_type is None or not key.size or not value.size:
        return None
    reader = keys.reader(key_type, place.layouts.memory)
    offset = -(-key.size // place.word) * place.word
    return Plan("", offset + value.size, [Pair(key, value, offset, reader)])


def _tree(place: _Place, element: Plan) -> Optional[Part]:
    word = place.word
    root, count = place.at("_M_header", "_M_parent"), place.at("_M_node_count")
    if root is not None and count is not None:  # a node: colour, parent, left, right, value
        return Tree(root, 2 * word, 3 * word, 4 * word, place.suffix, element, count)
    root, count = place.at("__end_node_", "__left_"), place.at("__size_")
    if root is None:  # up to LLVM 19, in a pair of end node and allocator
        root = place.at("__pair1_", "__left_")
    if count is None:
        count = place.at("__pair3_")
    if root is None or count is None:
        return place.unknown()
    # A node: left, right, parent, colour, value.
    return Tree(root, 0, word, 4 * word, place.suffix, element, count)


def _hashed(place: _Place, element: Plan) -> Optional[Part]:
    word = place.word
    head, count = place.at("_M_before_begin", "_M_nxt"), place.at("_M_element_count")
    value = word  # a node: next, value
    if head is None or count is None:
        head, count = place.at("__first_node_", "__next_"), place.at("__size_")
        if head is None:
            head = place.at("__p1_", "__next_")
        if count is None:
            count = place.at("__p2_")
        value = 2 * word  # a node: next, hash, value
    if head is None or count is None:
        return place.unknown()
    return Chain(head, value, 0, place.suffix, element, count, is_ordered=False)


# ---- Smart pointers and what may be empty ----


def _unique_ptr(place: _Place) -> Optional[Part]:
    pointer = place.pointer("_M_head_impl", "__ptr_", "__value_")
    is_array = (types.arguments(place.kind) or [""])[0].endswith("[]")
    return _box(place, pointer, is_array)


def _shared_ptr(place: _Place) -> Optional[Part]:
    is_array = (types.arguments(place.kind) or [""])[0].endswith("]")
    pointer = place.pointer("_M_ptr", "__ptr_")
    if is_array and place.element(0).owns:
        return Hole(place.suffix, f"{place.kind.GetName()}: an array of unknown length")
    return _box(place, pointer, False)


def _box(place: _Place, pointer: Optional[int], is_array: bool) -> Optional[Part]:
    kind = types.argument(place.kind, 0)
    if kind is not None and is_array:
        kind = kind.GetArrayElementType() if kind.GetArrayElementType().IsValid() else kind
    if pointer is None or kind is None:
        return place.unknown()
    if kind.GetName() == "void":
        return Hole(place.suffix, "of type void: what it owns is not known")
    element = place.layouts.plan(kind, place.code) if is_array else place.element(0)
    if not element.owns and not kind.IsPolymorphicClass():
        return None
    if is_array:
        return BoxedArray(pointer, place.suffix, element)
    return Box(pointer, place.suffix, element, place.layouts.pointee(place.kind, 0, place.code))


def _optional(place: _Place, element: Plan) -> Optional[Part]:
    flag, value = place.first_of("_M_engaged", "__engaged_"), place.first_of("_M_value", "__val_")
    if flag is None or value is None:
        return place.unknown()
    return Maybe(flag, value, place.suffix, element)


def _variant(place: _Place) -> Optional[Part]:
    count = place.kind.GetNumberOfTemplateArguments()
    if count < len(types.arguments(place.kind)):
        return place.unknown()  # lldb 14 does not list them
    choices = tuple(place.element(index) for index in range(count))
    if not any(choice.owns for choice in choices):
        return None
    number = types.find(place.kind, "_M_index") or types.find(place.kind, "__index")
    value = place.first_of("_M_u", "__data")
    if number is None or value is None:
        return place.unknown()
    return Either(place.offset + number[0], number[1].GetByteSize(), value, place.suffix, choices)


# ---- What threads hand over ----


def _owned_pointer(place: _Place, name: str) -> Optional[Part]:
    """libc++ has plain pointers where libstdc++ has smart ones."""
    found = types.find(place.kind, name, types.is_pointer)
    if found is None:
        return _BY_MEMBERS
    pointee = found[1].GetPointeeType()
    return Box(place.offset + found[0], place.suffix, place.layouts.plan(pointee, place.code),
               place.layouts.pointed(pointee, place.code))


def _value(place: _Place, element: Plan, flag: str, value: str, bit: int) -> Optional[Part]:
    """The place of a value that may not be there yet."""
    is_there, where = place.at(flag), place.at(value)
    if is_there is None or where is None:
        return place.unknown()
    return Maybe(is_there, where, place.suffix, element, bit)


# ---- Functions, and what refers to others' objects ----


def _function(place: _Place) -> Optional[Part]:
    return Dynamic(place.offset, place.suffix, place.layouts.function(place.kind, place.code))


def _any(place: _Place) -> Optional[Part]:
    return Dynamic(place.offset, place.suffix, place.layouts.any(place.kind, place.code))


def _nothing(_place: _Place) -> Optional[Part]:
    return None


def _opaque(place: _Place) -> Optional[Part]:
    return Hole(place.suffix, f"{place.kind.GetName()}: what it owns is not known")


_Maker = Callable[[_Place], Optional[Part]]


def _first(place: _Place) -> Plan:
    return place.element(0)


def _of(make: Callable[[_Place, Plan], Optional[Part]],
        find: Callable[[_Place], Optional[Plan]] = _first) -> _Maker:
    """What keeps elements, for which it matters only whether they own something."""
    def maker(place: _Place) -> Optional[Part]:
        element = find(place)
        if element is None:
            return place.unknown()
        return make(place, element) if element.owns else None
    return maker


_MAKERS: Dict[str, _Maker] = {
    "vector": _of(_vector), "list": _of(_list), "forward_list": _of(_forward_list),
    "deque": _of(_deque),
    "map": _of(_tree, _pair), "multimap": _of(_tree, _pair),
    "set": _of(_tree), "multiset": _of(_tree),
    "unordered_map": _of(_hashed, _pair), "unordered_multimap": _of(_hashed, _pair),
    "unordered_set": _of(_hashed), "unordered_multiset": _of(_hashed),
    "unique_ptr": _unique_ptr, "shared_ptr": _shared_ptr,
    "optional": _of(_optional), "variant": _variant,
    "function": _function,
    "any": _any, "move_only_function": _opaque, "copyable_function": _opaque,
    "future": lambda place: _owned_pointer(place, "__state_"),
    "shared_future": lambda place: _owned_pointer(place, "__state_"),
    "promise": lambda place: _owned_pointer(place, "__state_"),
    "__packaged_task_function": lambda place: _owned_pointer(place, "__f_"),
    "_Result": _of(lambda place, value: _value(place, value, "_M_initialized", "_M_storage", 0xff)),
    "__assoc_state": _of(lambda place, value: _value(place, value, "__state_", "__value_", 1)),
    "valarray": _of(lambda place, _element: _opaque(place)),
    "thread": _nothing, "jthread": _nothing,
    "weak_ptr": _nothing, "reference_wrapper": _nothing, "span": _nothing,
    "basic_string": _nothing, "basic_string_view": _nothing, "initializer_list": _nothing,
    "allocator": _nothing, "mutex": _nothing, "condition_variable": _nothing,
}
