"""An engine's refusal in the words of the one who asked: what it is about, what to do next."""
from __future__ import annotations

from typing import Any, Dict

_FREED = "if it was one, it has been freed"
# By what the message says, then by the code of the error.
_WHAT_NEXT = (
    ("is not an object: isa ", _FREED),
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


def in_words(error: Dict[str, Any], expression: str, address: int) -> str:
    """One line for an error answer: what was asked about, what is wrong, what to do."""
    text = expression or "self"
    message = str(error.get("message") or "no reason given")
    about = f"{address:#x} "
    if message.startswith(about) and not text[0].isdigit():
        message = f"{text} ({address:#x}) {message[len(about):]}"
    next_step = next((step for words, step in _WHAT_NEXT if words in message),
                     _WHAT_NEXT_BY_CODE.get(str(error.get("code"))))
    return f"{message}; {next_step}" if next_step else message
