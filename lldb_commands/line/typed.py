"""What was typed behind a command's name, as typed. Imports no lldb.

lldb gives a scripted command the rest of its line, or, where it takes completions from Python, the
words of that line without their quotes. The line itself tells them apart: [d objectForKey:@"a b"].
"""
from __future__ import annotations

from typing import List, Optional, Sequence

from ..errors import LoupeError
from .options import first_word


def rest_of_line(line: str, words: Sequence[str]) -> str:
    """The end of a line that has these words, verbatim.

    The words alone decide where the line does not end with them: lldb has put the values of
    `expressions` into them then, or an alias has words of its own.
    """
    for rest in _ends(line):
        typed = _words(rest)
        if typed is not None and typed == list(words[len(words) - len(typed):]):
            front = " ".join(words[:len(words) - len(typed)])
            return f"{front} {rest}".strip()
    return " ".join(words)


def _ends(line: str) -> List[str]:
    """What stands behind each word of a line, from its first word on."""
    ends: List[str] = []
    rest = line.strip()
    while rest:
        try:
            _, rest = first_word(rest)
        except LoupeError:
            break
        rest = rest.lstrip()
        ends.append(rest)
    return ends


def _words(text: str) -> Optional[List[str]]:
    words: List[str] = []
    while text:
        try:
            word, text = first_word(text)
        except LoupeError:
            return None
        words.append(word)
        text = text.lstrip()
    return words
