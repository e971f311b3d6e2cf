"""The one exception that a command turns into its error line."""
from __future__ import annotations

from typing import Any, Dict, Optional


LATE = "the time was up before there was an answer: allow more with --timeout"
CUT_OFF = "it took longer than --timeout"


class LoupeError(Exception):
    """What went wrong and what to do next, in one line without a full stop or "error:" in front.

    answer is that of the engine, where it was the one to refuse; code says what kind of error of ours
    it is else (docs/protocol.md).
    """

    def __init__(self, message: str, answer: Optional[Dict[str, Any]] = None,
                 code: str = "command") -> None:
        super().__init__(message)
        self.answer = answer
        self.code = code


def is_nil(name: str) -> LoupeError:
    return LoupeError(f"{name} is nil: there is nothing to look at")


def tool_ended(complaint: str, status: int) -> LoupeError:
    """The command-line tool ended without an answer. complaint: what it said, if anything."""
    return LoupeError(complaint or f"the tool ended with {status}")
