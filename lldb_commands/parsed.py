"""Options in the form of lldb's own commands: what its parser is told, and the help where it does not parse.

Which commands lldb parses. Since 19 lldb takes options and words off the line of a scripted command:
it lists them in `help`, completes them and refuses wrong ones, as for its own. That is so for verbs
that take words: heap, find, leaks, suspects, diff, mark, snapshot, backtraces, summary, doctor,
inject. It cannot be for those that take an expression: -[Foo bar] is an unknown option to it, `a -j`
has an option wherever it stands, and only a native command may be raw and have options. Those get
the line as it was typed; their options are listed and completed by Loupe, in the same form.

In older lldbs all lines are read by options.py, with the same meaning and the same words.
"""
from __future__ import annotations

import dataclasses
import textwrap
from typing import Any, Dict, List, Sequence, Tuple

import lldb

from .options import Option

Json = Dict[str, Any]
# lldb gives an option without a letter a control character for one, which it offers to the tab key,
# and the first such option is lost with all letters behind it. Options of expressions keep to few,
# as -x->y is an expression.
_LETTERS = {"allow-incomplete": "i", "append": "p", "baseline": "b", "class": "c", "dot": "d",
            "engine": "e", "exclude": "X", "fail-if-found": "F", "filters": "x", "format": "f",
            "group": "g", "html": "H", "known": "k", "redact": "R", "rules": "r", "sort": "s",
            "subclasses": "S", "write-baseline": "w"}
# What a table calls a value -> lldb's kind, and how lldb shows it.
_KINDS = {"FILE": ("eArgTypeFilename", "filename"), "N": ("eArgTypeCount", "count"),
          "PATTERN": ("eArgTypeClassName", "class-name"), "EXPR": ("eArgTypeExpression", "expr"),
          "SECONDS": ("eArgTypeValue", "value"), "<pattern>": ("eArgTypeClassName", "class-name"),
          "<file>": ("eArgTypeFilename", "filename"),
          "<thread>": ("eArgTypeThreadName", "thread-name")}
# lldb offers the categories of its formatters for a name, unless the command completes it.
_CHOICE, _NAME = ("eArgTypeValue", "value"), ("eArgTypeName", "name")
_WIDTH, _INDENT = 78, " " * 12


def lettered(table: Sequence[Option]) -> Tuple[Option, ...]:
    """The options with a letter each."""
    return tuple(option if option.short else
                 dataclasses.replace(option, short=_LETTERS[option.long]) for option in table)


def definition(table: Sequence[Option]) -> Json:
    """What lldb's parser is told of options, all of which have letters."""
    return {option.long: _defined(option) for option in table}


def _defined(option: Option) -> Json:
    told: Json = {"short_option": option.short, "help": option.help, "required": False}
    if option.read is None:
        return told
    told["value_type"] = getattr(lldb, _KINDS.get(option.value, _CHOICE)[0])
    told["completion_type"] = lldb.eDiskFileCompletion if option.value == "FILE" else \
        lldb.eNoCompletion
    if option.choices:
        told["enum_values"] = [[choice, ""] for choice in option.choices]
    return told


def arguments(takes: str) -> List[List[Json]]:
    """What lldb is told of the words behind the options: [<mark>], <pattern>, or nothing."""
    if not takes:
        return []
    kind = getattr(lldb, _kind_of_argument(takes)[0])
    return [[{"arg_type": kind, "repeat": "optional" if takes[0] == "[" else "plain"}]]


def _kind_of_argument(takes: str) -> Tuple[str, str]:
    return _KINDS.get(takes.strip("[]"), _NAME)


# ---- Help, as lldb writes it ----


def named_argument(takes: str) -> str:
    """[<mark>] as lldb shows it."""
    named = f"<{_kind_of_argument(takes)[1]}>"
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
    kind = f" <{_KINDS.get(option.value, _CHOICE)[1]}>" if option.read is not None else ""
    return (name or (f"-{option.short}" if option.short else f"--{option.long}")) + kind


def _described(option: Option) -> str:
    names = _named(option)
    if option.short:
        names += f" ( {_named(option, f'--{option.long}')} )"
    text = textwrap.fill(option.help, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
    choices = f"\n{_INDENT}Values: {' | '.join(option.choices)}" if option.choices else ""
    return f"       {names}\n{text}{choices}\n"
