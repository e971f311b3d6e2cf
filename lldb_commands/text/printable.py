"""The one filter for text that is shown: the target, a file or a path may say anything.

Reports are written by lines, columns and colours. A class called "X\\nno retain cycle" would forge a
line, others drive the terminal or turn the text around. What is not printable is shown escaped, as
\\x1b or \\u202e. Imports no lldb.
"""
from __future__ import annotations

import json
import re
from typing import Any, Callable

_SURROGATE = re.compile("[\ud800-\udfff]")


def printable(text: str, unicode: bool = True) -> str:
    """text on one line that rules nothing; all in ASCII where the terminal knows no Unicode, whose
    bytes it could take for control characters."""
    if text.isprintable() and (unicode or text.isascii()):
        return text
    return "".join(letter if letter.isprintable() and (unicode or letter.isascii())
                   else escaped(letter) for letter in text)


def printable_lines(text: str, unicode: bool = True) -> str:
    """The same for text of several lines, which are ours."""
    return "\n".join(printable(line, unicode) for line in text.split("\n"))


def quoted(text: str) -> str:
    """In quotes, as in source code; the core's is loupe_quote()."""
    escaped_text = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped_text}"'


def escaped(letter: str) -> str:
    """\\xNN, \\uNNNN or \\UNNNNNNNN; a byte that lldb could not decode as that byte."""
    code = _byte_or_code(letter)
    return f"\\x{code:02x}" if code < 0x100 else \
        f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _byte_or_code(letter: str) -> int:
    code = ord(letter)
    return code & 0xff if 0xdc80 <= code <= 0xdcff else code


def printable_answer(answer: Any, unicode: bool = True) -> Any:
    """A copy of an answer in which every string, keys too, is printable.

    Most answers are plain, which one look at all of their text tells: beside quotes, JSON escapes
    what is not printable ASCII, DEL apart, with a backslash.
    """
    text = json.dumps(answer)
    if "\\" not in text.replace('\\"', "") and "\x7f" not in text:
        return json.loads(text)
    return _mapped(answer, lambda text: printable(text, unicode))


def without_surrogates(answer: Any) -> Any:
    """A copy for JSON: a byte that lldb could not decode becomes U+00XX, as engines write it."""
    return _mapped(answer, lambda text: text if text.isascii() else _SURROGATE.sub(
        lambda match: chr(_byte_or_code(match[0]) & 0xff), text))


def json_of(answer: Any, **form: Any) -> str:
    """The same as JSON, in ASCII. Most answers have no such byte, which one look at the text tells."""
    text = json.dumps(answer, **form)
    return text if "\\ud" not in text else json.dumps(without_surrogates(answer), **form)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {_mapped(key, change): _mapped(item, change) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mapped(item, change) for item in value]
    return value
