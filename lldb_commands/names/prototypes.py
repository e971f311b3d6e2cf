"""Types from their encodings, as a person writes them: what core/types/type_text.c says, where debug information is put
into an answer, or completed, and no library of answers is asked.

A block's prototype from its signature: v24@?0@"NSString"8i16 -> void (^)(NSString *, int); the type
of an ivar: [3@"Node"] -> Node *[3]. What is not understood comes out as it stands, never as a
guess. Imports no lldb.
"""
from __future__ import annotations

import re
from typing import Dict, List, Optional, Tuple

_SCALARS: Dict[str, str] = {
    "c": "char", "i": "int", "s": "short", "l": "long", "q": "long long", "C": "unsigned char",
    "I": "unsigned int", "S": "unsigned short", "L": "unsigned long", "Q": "unsigned long long",
    "f": "float", "d": "double", "D": "long double", "B": "bool", "v": "void", "*": "char *",
    "#": "Class", ":": "SEL", "?": "?", "t": "__int128", "T": "unsigned __int128", "%": "atom",
}
_QUALIFIERS: Dict[str, str] = {
    "n": "in ", "N": "inout ", "o": "out ", "O": "bycopy ", "R": "byref ", "V": "oneway ", "!": "",
    "r": "const ", "A": "_Atomic ", "j": "_Complex ",
}
_OFFSET = re.compile(r"[+-]?\d*")
_DEPTH = 32


class _Malformed(Exception):
    pass


def prototype(signature: str) -> Optional[str]:
    """The prototype of a block with this signature, or None if it is not one."""
    try:
        types = _types(signature)
    except _Malformed:
        return None
    if len(types) < 2 or types[1] != "@?":
        return None
    arguments = ", ".join(types[2:]) or "void"
    return f"{types[0]} (^)({arguments})"


def readable(encoding: str) -> str:
    """The type of an ivar; the encoding itself where it is not understood."""
    try:
        name, end = _type(encoding, 0, _DEPTH)
    except _Malformed:
        return encoding
    if end != len(encoding):
        return encoding
    return "block" if name == "void (^)" else name


def _types(signature: str) -> List[str]:
    types: List[str] = []
    position = 0
    while position < len(signature):
        name, position = _type(signature, position, _DEPTH)
        # The block itself, the first argument, is not shown.
        types.append("@?" if len(types) == 1 and name.endswith("(^)") else name)
        match = _OFFSET.match(signature, position)
        position = match.end() if match else position
    return types


def _type(text: str, position: int, depth: int) -> Tuple[str, int]:
    """The type at position and where the next one starts."""
    if depth == 0 or position >= len(text):
        raise _Malformed
    letter = text[position]
    if letter in _QUALIFIERS:
        name, end = _type(text, position + 1, depth - 1)
        return _QUALIFIERS[letter] + name, end
    if letter == "@":
        return _object(text, position + 1)
    if text.startswith("^?", position):
        return "function pointer", position + 2
    if letter == "^":
        name, end = _type(text, position + 1, depth - 1)
        return name + ("*" if name.endswith("*") else " *"), end
    if letter in "{(":
        return _aggregate(text, position)
    if letter == "[":
        return _array(text, position, depth)
    if letter == "b":
        match = _OFFSET.match(text, position + 1)
        width = match.group(0) if match else ""
        return f"int : {width}", position + 1 + len(width)
    if letter in _SCALARS:
        return _SCALARS[letter], position + 1
    raise _Malformed


def _object(text: str, position: int) -> Tuple[str, int]:
    following = text[position:position + 1]
    if following == "?":
        position += 1
        if text[position:position + 1] == "<":
            position = _closing(text, position, "<", ">")
        return "void (^)", position
    if following == '"':
        end = text.find('"', position + 1)
        if end < 0:
            raise _Malformed
        name = text[position + 1:end]
        return (f"id{name}" if name.startswith("<") else f"{name} *"), end + 1
    return "id", position


def _aggregate(text: str, position: int) -> Tuple[str, int]:
    opening = text[position]
    end = _closing(text, position, opening, "}" if opening == "{" else ")")
    name = text[position + 1:end - 1].split("=", 1)[0]
    keyword = "struct" if opening == "{" else "union"
    return (f"{keyword} {{…}}" if name in ("", "?") else f"{keyword} {name}"), end


def _array(text: str, position: int, depth: int) -> Tuple[str, int]:
    match = re.compile(r"\[(\d*)").match(text, position)
    if not match:
        raise _Malformed
    name, end = _type(text, match.end(), depth - 1)
    if text[end:end + 1] != "]":
        raise _Malformed
    # int[4][5] is four arrays of five: the outer dimension stands first.
    element, bracket, inner = name.partition("[")
    return f"{element}[{match.group(1)}]{bracket}{inner}", end + 1


def _closing(text: str, position: int, opening: str, closing: str) -> int:
    """The position after the bracket that closes the one at position."""
    depth = 0
    for index in range(position, len(text)):
        if text[index] == opening:
            depth += 1
        elif text[index] == closing:
            depth -= 1
            if depth == 0:
                return index + 1
    raise _Malformed
