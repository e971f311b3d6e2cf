"""An engine's refusal in the words of the one who asked: what it is about, what to do next."""
from __future__ import annotations

from typing import Any, Dict

from .context import Context
from .names import root_names

_FREED = "if it was one, it has been freed"
# By what the message says, then by the code of the error.
_WHAT_NEXT = (
    ("is not an object: isa ", _FREED),
    (" bytes into the ", "ask about that one, or about what it holds there"),
    ("is not a block: it is of class", "ivar-layout and strong-refs take any object"),
    ("is not a block: its descriptor", _FREED),
    ("is a block ", _FREED),
    ("no memory ", "ask about fewer objects with --limit"),
)
_WHAT_NEXT_BY_CODE = {
    "unreadable": "check the address",
    "no-runtime": "if it is not loaded yet, go on to a later stop; loupe doctor says what is there",
    "timeout": "allow more with --timeout, or less with --limit",
    "limit": "ask about fewer objects with --limit",
}


_NOT_IN_CORE = ("this core file does not have that memory: give another address, or make a core with "
                "all memory (process save-core --style full)")
_CLASS_NOT_IN_CORE = "or this core file does not have the memory of its class"


def in_words(error: Dict[str, Any], expression: str, address: int, context: Context) -> str:
    """One line for an error answer: what was asked about, what is wrong, what to do."""
    text = expression or "self"
    message = str(error.get("message") or "no reason given")
    about = f"{address:#x} "
    next_step = _what_next(str(error.get("code")), message, context)
    place = root_names.variable_at(address, context) if "is not an object: " in message else None
    if place is not None:
        name, where = place
        message = f"{about}is not an object: it is " + (
            f"where the variable {name} stands ({where})" if name else where)
        next_step = f"ask about {name}" if name else ""
    if message.startswith(about) and not text[0].isdigit():
        message = f"{text} ({address:#x}) {message[len(about):]}"
    return f"{message}; {next_step}" if next_step else message


def _what_next(code: str, message: str, context: Context) -> str:
    step = next((step for words, step in _WHAT_NEXT if words in message),
                _WHAT_NEXT_BY_CODE.get(code, ""))
    if context.is_core and code == "unreadable":
        return _NOT_IN_CORE
    if context.is_core and step == _FREED and "cannot be read" in message:
        return f"{step}, {_CLASS_NOT_IN_CORE}"
    return step
