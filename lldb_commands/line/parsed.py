"""Help in the form of lldb's own commands, where lldb does not write it: it does for those that it
parses (registered.py)."""
from __future__ import annotations

import textwrap
from typing import List, Sequence

from ..registered import CHOICE, KINDS, kind_of_argument
from .options import Option

_WIDTH, _INDENT = 78, " " * 12


def named_argument(takes: str) -> str:
    """[<mark>] as lldb shows it."""
    named = f"<{kind_of_argument(takes)[1]}>"
    return f"[{named}]" if takes[:1] == "[" else named if takes else ""


def folded(text: str) -> List[str]:
    """The paragraphs of a text, each narrow enough for lldb not to fold it again."""
    return [textwrap.fill(" ".join(part.split()), _WIDTH, break_on_hyphens=False)
            for part in text.split("\n\n")]


def usage(name: str, table: Sequence[Option], takes: str) -> str:
    """The part of a help text that lldb writes for the commands it parses."""
    options = sorted(table, key=lambda option: (bool(option.short), option.short or option.long))
    flags = "".join(option.short for option in options if option.short and option.read is None)
    line = " ".join([name, *([f"[-{flags}]"] if flags else []),
                     *(f"[{_named(option)}]" for option in options
                       if option.read is not None or not option.short),
                     *([takes] if takes else [])])
    shown = textwrap.fill(line, _WIDTH, initial_indent="  ", subsequent_indent="  ",
                          break_on_hyphens=False)
    return "\n".join(["Command Options Usage:", shown, "", *map(_described, options)])


def _named(option: Option, name: str = "") -> str:
    kind = f" <{KINDS.get(option.value, CHOICE)[1]}>" if option.read is not None else ""
    return (name or (f"-{option.short}" if option.short else f"--{option.long}")) + kind


def _described(option: Option) -> str:
    names = _named(option)
    if option.short:
        names += f" ( {_named(option, f'--{option.long}')} )"
    text = textwrap.fill(option.help, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT,
                         break_on_hyphens=False)
    choices = f"\n{_INDENT}Values: {' | '.join(option.choices)}" if option.choices else ""
    return f"       {names}\n{text}{choices}\n"
