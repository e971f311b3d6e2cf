"""The one exception that a command turns into its error line."""
from __future__ import annotations

import signal
from typing import Optional

from .protocol import Answer


LATE = "the time was up before there was an answer: allow more with --timeout"
CUT_OFF = "it took longer than --timeout"
ANOTHER_STOP = "go on to another stop (finish, continue)"
NOT_LOADED_YET = "go on to a later stop; loupe doctor says what is there"


class LoupeError(Exception):
    """What went wrong and what to do next, in one line without a full stop or "error:" in front.

    answer is that of the engine, where it was the one to refuse; code says what kind of error of ours
    it is else, and detail which exactly (docs/protocol.md).
    """

    def __init__(self, message: str, answer: Optional[Answer] = None,
                 code: str = "command", detail: Optional[str] = None) -> None:
        super().__init__(message)
        self.answer = answer
        self.code = code
        self.detail = detail


def is_nil(name: str) -> LoupeError:
    return LoupeError(f"{name} is nil: there is nothing to look at")


def does_not_run(path: str, error: OSError) -> LoupeError:
    return LoupeError(f"{path} does not run: {error.strerror}")


def out_of_memory(message: str = "out of memory") -> LoupeError:
    return LoupeError(message, code="internal", detail="no-memory")


def tool_ended(complaint: str, status: int) -> LoupeError:
    """The command-line tool ended without an answer. complaint: what it said, if anything."""
    if status == -signal.SIGKILL:
        return out_of_memory(f"loupe was killed before it had an answer{_behind(complaint)}: the system does "
                             "that when memory runs out")
    if status < 0:
        return LoupeError(f"loupe was ended by signal {-status}{_behind(complaint)}")
    if "out of memory" in complaint:
        return out_of_memory(complaint)
    return LoupeError(complaint or f"loupe ended with status {status}")


def _behind(complaint: str) -> str:
    return f" ({complaint})" if complaint else ""
