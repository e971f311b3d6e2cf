"""Folds the long lines of a report at the width of the terminal. Imports no lldb.

A line goes on below where its text began; beside a ring, the ring's side goes on too.
"""
from __future__ import annotations

import re
from typing import List

from .style import Style

_PAINT = re.compile(r"\x1b\[[0-9;]*m")
_WORD = re.compile(r"\s*(?:[-+]\[[^]\s]* [^]\s]*\]\S*|\S+)")  # -[Photo show] is one
_NARROWEST = 40


def fit(text: str, style: Style) -> str:
    """text with every line folded at style.width; as it is where that is 0 (no terminal)."""
    if style.width < _NARROWEST:
        return text
    return "\n".join(_fold(line, style) for line in text.split("\n"))


def _length(text: str) -> int:
    return len(_PAINT.sub("", text))


def _fold(line: str, style: Style) -> str:
    if _length(line) <= style.width:
        return line
    margin = _margin(line, style)
    lines: List[str] = []
    current = ""
    for word in _WORD.findall(line):
        if _length(current + word) > style.width and _length(current) > len(margin):
            lines.append(current)
            current = margin + word.strip()
        else:
            current += word
    return "\n".join([*lines, current])


def _margin(line: str, style: Style) -> str:
    """What stands in front of a line's second half."""
    plain = _PAINT.sub("", line)
    indent = " " * (len(plain) - len(plain.lstrip()))
    body = plain[len(indent):]
    arrow = plain.find(f" {style.arrow} ")
    for glyph, below in ((style.ring_top, style.ring_side), (style.ring_side, style.ring_side),
                         (style.ring_bottom, " " * len(style.ring_bottom))):
        if body.startswith(glyph):
            side = indent + below
            return side.ljust(arrow + len(style.arrow) + 2) if arrow > 0 else side + "  "
    if arrow > 0:
        return " " * (arrow + len(style.arrow) + 2)
    return indent + "  "
