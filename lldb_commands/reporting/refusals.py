"""An engine's refusal in the words of the one who asked: what it is about, what to do next."""
from __future__ import annotations

from ..errors import NOT_LOADED_YET
from ..names import root_names
from ..protocol import Answer, Error
from ..session.context import Context
from ..text.printable import printable
from . import answers

_FREED = "if it was one, it has been freed"
_FEWER = "ask about fewer objects with --limit"
# By the detail of the error, then by its code (docs/protocol.md).
_WHAT_NEXT_BY_DETAIL = {
    "no-class": _FREED,
    "unreadable-class": _FREED,
    "freed": "strong-refs --incoming says who still points there",
    "inside-object": "ask about that one, or about what it holds there",
    "no-block": "ivar-layout and strong-refs take any object",
    "bad-block": _FREED,
    "no-memory": _FEWER,
}
_NO_OBJECT_THERE = ("no-class", "unreadable-class", "unaligned", "freed", "maybe-freed",
                    "inside-object")
_WHAT_NEXT_BY_CODE = {
    "unreadable": "check the address",
    "no-runtime": f"if it is not loaded yet, {NOT_LOADED_YET}; of objects of Swift and C++ alone loupe cycles "
                  "and loupe path answer",
    "timeout": "allow more with --timeout, or less with --limit",
    "limit": _FEWER,
}


_NOT_IN_CORE = ("this core file does not have that memory: give another address, or make a core with "
                "all memory (process save-core --style full)")
_CLASS_NOT_IN_CORE = "or this core file does not have the memory of its class"


def in_words(answer: Answer, expression: str, address: int, context: Context) -> str:
    """One line for an error answer: what was asked about, what is wrong, what to do."""
    error = answer.get("error") or {}
    text = expression or "self"
    message = str(error.get("message") or "no reason given")
    about = f"{address:#x} "
    next_step = _what_next(error, context)
    is_place = error.get("detail") in _NO_OBJECT_THERE
    place = root_names.variable_at(address, context) if is_place else None
    if place is not None:
        name, where = place
        message = f"{about}is not an object: it is " + (
            f"where the variable {name} stands ({where})" if name else where)
        next_step = f"ask about {name}" if name else ""
    elif answer.get("freed"):
        asked = "" if text[0].isdigit() else text
        return answers.report(answer, printable(asked), answers.Look(True, False, False))
    if message.startswith(about) and not text[0].isdigit():
        message = f"{text} ({address:#x}) {message[len(about):]}"
    return f"{message}; {next_step}" if next_step else message


def _what_next(error: Error, context: Context) -> str:
    code, detail = str(error.get("code")), str(error.get("detail"))
    step = _WHAT_NEXT_BY_DETAIL.get(detail, _WHAT_NEXT_BY_CODE.get(code, ""))
    if context.is_core and code == "unreadable":
        return _NOT_IN_CORE
    if context.is_core and detail == "unreadable-class":
        return f"{step}, {_CLASS_NOT_IN_CORE}"
    return step
