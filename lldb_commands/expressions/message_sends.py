"""Recognises message sends in an expression by its text. Imports no lldb."""
from __future__ import annotations

import re
from typing import Iterator, List, Tuple

# Two words side by side inside brackets: receiver and selector. A subscript has none.
_MESSAGE = re.compile(r"[\w)\]\"'$]\s+[A-Za-z_]\w*\s*(?::|$)")
_INNER_GROUP = re.compile(r"\([^()\[\]]*\)|\[[^()\[\]]*\]|\"[^\"]*\"")
_CAST = re.compile(r"^\s*X\s*(?=\w)")
_MEMBER = re.compile(r"\.([A-Za-z_]\w*)")
_PATH_AT_END = re.compile(r"[A-Za-z_$][\w$]*(?:(?:->|\.)\w+|\[\d+\])*$")


def has_message_send(text: str) -> bool:
    """Whether [receiver selector...] occurs in text."""
    opened: List[int] = []
    for position, letter in enumerate(text):
        if letter == "[":
            opened.append(position)
        elif letter == "]" and opened:
            inside = _without_groups(text[opened.pop() + 1:position])
            if _MESSAGE.search(_CAST.sub("", inside)):
                return True
    return False


def _without_groups(text: str) -> str:
    """text with everything in parentheses, brackets and quotes replaced by one name."""
    while True:
        shorter = _INNER_GROUP.sub("X", text)
        if shorter == text:
            return text
        text = shorter


def dotted_paths(text: str) -> Iterator[Tuple[str, str]]:
    """Each a.b of text as (a, b), a being a variable path: candidates for property access."""
    for match in _MEMBER.finditer(text):
        path = _PATH_AT_END.search(text[:match.start()])
        if path:
            yield path.group(0), match.group(1)
