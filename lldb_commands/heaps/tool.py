"""Runs the tool of the terminal, `loupe`, which answers about files of snapshots."""
from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import Any, List, Protocol, Sequence

from ..engines import libraries
from ..errors import LATE, LoupeError, does_not_run
from ..session.interruption import was_interrupted

FOUND, INCOMPLETE = 1, 2  # exit statuses
_ANSWERED = (0, FOUND, INCOMPLETE)
_LOOKS = 0.1  # seconds between two looks at whether somebody interrupted
_GRACE = 2.0  # the tool ends by itself when the time is up


@dataclass(frozen=True)
class Reply:
    status: int
    text: str
    complaint: str

    def is_answer(self) -> bool:
        """Else it was ended in the midst of one, or had none."""
        return bool(self.text) and self.status in _ANSWERED


class Caller(Protocol):
    """Who waits for it: a command at a stop, or a script."""

    @property
    def debugger(self) -> Any:
        ...

    def seconds_left(self) -> float:
        ...


def run(words: Sequence[str], caller: Caller, timed: bool = True) -> Reply:
    """What it prints. It is ended when its time is up, and when somebody interrupts lldb. timed: it has
    --timeout, and ends by itself."""
    path = libraries.find("tool")
    if path is None:
        refused = libraries.refused("tool")
        raise LoupeError(refused[0] if refused else "the command-line tool `loupe`, which answers about "
                         "heaps, is not there: build it, or set LOUPE_TOOL to its path")
    seconds = caller.seconds_left()
    try:
        process = subprocess.Popen([path, *words, *(["--timeout", f"{seconds:.3f}"] if timed else [])],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
    except OSError as error:
        raise does_not_run(path, error) from None
    out, complaint = _wait(process, caller, seconds + _GRACE)
    return Reply(process.returncode, out.decode("utf-8", "replace").rstrip("\n"),
                 _shortened(complaint.decode("utf-8", "replace")))


def _wait(process: "subprocess.Popen[bytes]", caller: Caller, seconds: float) -> List[bytes]:
    waited = 0.0
    while True:
        try:
            return list(process.communicate(timeout=_LOOKS))
        except subprocess.TimeoutExpired:
            waited += _LOOKS
        interrupted = was_interrupted(caller.debugger)
        if interrupted or waited > seconds:
            process.kill()
            process.communicate()
            raise LoupeError("interrupted" if interrupted else LATE, code="timeout")


def _shortened(complaint: str) -> str:
    """Without what the tool calls itself: `loupe: leaks: `."""
    lines = [line for line in complaint.strip().splitlines() if line]
    return "; ".join(": ".join(line.split(": ")[2:]) or line for line in lines)
