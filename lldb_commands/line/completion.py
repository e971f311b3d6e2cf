"""What the tab key offers behind a command: options, their values, variables, ivars, classes.

lldb 20 and later ask a command for it. They give the words up to the cursor and no stop, so this is
about the selected frame, which at a prompt is the one that is looked at.
"""
from __future__ import annotations

import itertools
import os
import re
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import lldb

from ..errors import LoupeError
from ..expressions import paths, resolve
from ..protocol import Answer
from ..session.context import Context
from ..text.printable import printable
from .options import Option, find, looks_like_option

Offer = Tuple[str, str]  # the whole word, and what is said beside it
_TIME = 2.0  # for a question about ivars, while somebody waits at the prompt
_MOST = 200
_STEP = re.compile(r"(?P<base>.*)(?P<sign>->)(?P<begun>[\w$.\[\]]*)")
_MEMBER = re.compile(r"(?P<base>.*)(?P<sign>->|\.)(?P<begun>[\w$]*)")
_OF_CLASS = r"OBJC_CLASS_\$_|\._OBJC_CLASS_|_OBJC_Class_|_OBJC_CLASS_"  # names/class_symbols.py
_CLASS_SYMBOL = re.compile(rf"(?:{_OF_CLASS})([\w$]+)\s*$", re.M)


@dataclass(frozen=True)
class Place:
    """What a command takes, and where it is typed."""

    debugger: lldb.SBDebugger
    table: Sequence[Option]
    takes_expression: bool
    takes_class: bool
    describe: Callable[[int, Context], Answer]  # the ivars of an object, or captures of a block
    takes_file: bool = False
    words: Sequence[str] = ()


def complete(words: Sequence[str], place: Place) -> Dict[str, Any]:
    """lldb's form of the offers for the last of words, all of which stand behind the command."""
    typeable = ((word, printable(text)) for word, text in _offers(words, place)
                if word.isprintable())  # lldb shows them as they are
    offers = list(itertools.islice(typeable, _MOST))
    if not offers:
        return {"values": []}
    if len(offers) == 1:
        word = offers[0][0]
        is_option = word.startswith("-") and "=" not in word
        return {"completion": word, "mode": "complete" if is_option else "partial"}
    return {"values": [word for word, _ in offers], "descriptions": [text for _, text in offers]}


def _offers(words: Sequence[str], place: Place) -> Iterator[Offer]:
    last, before = words[-1], words[:-1]
    option = _wants_value(before, place.table)
    if option is not None:
        yield from _values(option, last, place)
    elif last.startswith("-") and _in_front(before, place.table):
        yield from _named(last, place)
    else:
        if place.takes_expression:
            yield from _expressions(last, place)
        if place.takes_class:
            yield from _classes(last, place)
        if place.takes_file:
            yield from _files(last)
        yield from ((word, "") for word in place.words if word.startswith(last))


# ---- Options ----


def _known(name: str, table: Sequence[Option]) -> Optional[Option]:
    try:
        return find(name, table)
    except LoupeError:
        return None


def _wants_value(words: Sequence[str], table: Sequence[Option]) -> Optional[Option]:
    """The option whose value comes next."""
    last = words[-1] if words else ""
    option = _known(last, table) if last.startswith("-") and _in_front(words, table) else None
    return option if option is not None and option.read is not None else None


def _in_front(words: Sequence[str], table: Sequence[Option]) -> bool:
    """Whether the words are options and their values, so that another may follow."""
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--" or not looks_like_option(word):
            return False
        option = _known(word, table)
        if option is not None and option.read is not None and left:
            left.pop(0)
    return True


def _named(begun: str, place: Place) -> Iterator[Offer]:
    """--fil, or --filters=FI."""
    name, equals, value = begun.partition("=")
    option = _known(name, place.table) if equals else None
    if option is not None:
        for word, text in _values(option, value, place):
            yield f"{name}={word}", text
        return
    for option in place.table:
        if f"--{option.long}".startswith(begun):
            yield f"--{option.long}", option.help


def _values(option: Option, begun: str, place: Place) -> Iterator[Offer]:
    if option.value == "FILE":
        yield from _files(begun)
    elif option.choices:
        yield from ((name, "") for name in option.choices if name.startswith(begun))
    elif option.value == "EXPR":
        yield from _expressions(begun, place)


def _files(begun: str) -> Iterator[Offer]:
    directory, name = os.path.split(begun)
    try:
        entries = sorted(os.listdir(os.path.expanduser(directory) or os.curdir))
    except OSError:
        return
    for entry in entries:
        if entry.startswith(name) and (name.startswith(".") or not entry.startswith(".")):
            path = os.path.join(directory, entry)
            is_directory = os.path.isdir(os.path.expanduser(path))
            yield (path + os.sep if is_directory else path), ""


# ---- Expressions ----


def _expressions(begun: str, place: Place) -> Iterator[Offer]:
    frame = place.debugger.GetSelectedTarget().GetProcess().GetSelectedThread().GetSelectedFrame()
    if not frame.IsValid():
        return
    for pattern, members in ((_STEP, _ivars), (_MEMBER, _fields)):
        step = pattern.fullmatch(begun)
        found = members(frame, step["base"], place) if step else []
        if step and found:
            yield from ((step["base"] + step["sign"] + name, kind) for name, kind in found
                        if name.startswith(step["begun"]))
            return
    seen = set()
    for value in frame.GetVariables(True, True, True, True, lldb.eNoDynamicValues):
        name = value.GetName() or ""
        if name.startswith(begun) and name not in seen and resolve.is_name(name):
            seen.add(name)
            yield name, value.GetDisplayTypeName() or ""


def _fields(frame: lldb.SBFrame, base: str, _place: Place) -> List[Offer]:
    """The members of a struct of C, or of one that a pointer leads to."""
    value = frame.GetValueForVariablePath(base)
    if not value.IsValid() or not value.GetError().Success():
        return []
    kind = value.GetType().GetCanonicalType()
    kind = kind.GetPointeeType() if kind.IsPointerType() else kind
    fields = [kind.GetFieldAtIndex(number) for number in range(kind.GetNumberOfFields())]
    return [(field.GetName() or "", field.GetType().GetDisplayTypeName() or "")
            for field in fields if field.GetName()]


def _ivars(frame: lldb.SBFrame, base: str, place: Place) -> List[Offer]:
    """The ivars of the object that a path leads to, or what the block there captured."""
    process = frame.GetThread().GetProcess()
    context = Context(place.debugger, process.GetTarget(), process, frame.GetThread(), frame,
                      time.monotonic() + _TIME)
    try:
        address = resolve.resolve(base, context, lambda at: place.describe(at, context))
        return [(name, str(slot.get("written_type") or slot.get("type") or ""))
                for name, slot in paths.slots(place.describe(address, context))
                if resolve.is_name(name)]
    except LoupeError:
        return []


def _classes(begun: str, place: Place) -> Iterator[Offer]:
    """Classes by their linker symbols, which lldb searches faster than a script."""
    if not re.fullmatch(r"[A-Za-z_$][\w$]*", begun):
        return
    pattern = rf"^({_OF_CLASS}){re.escape(begun)}"
    result = lldb.SBCommandReturnObject()
    place.debugger.GetCommandInterpreter().HandleCommand(
        f"target modules lookup -r -s '{pattern}'", result)
    for name in sorted(set(_CLASS_SYMBOL.findall(result.GetOutput() or ""))):
        yield name, "class"
