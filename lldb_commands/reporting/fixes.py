"""`loupe fix`: a fix of the last answer that has some, as a patch. The terminal tool writes it. Imports no lldb."""
from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List

from ..errors import LoupeError, tool_ended
from ..heaps import session_folder, tool
from ..text import files

_SECONDS = 300.0  # for a folder of half a gigabyte of sources

_last: Dict[int, Callable[[], str]] = {}  # by debugger: its JSON


class Waiting:
    """Who waits for the tool, without a stop."""

    def __init__(self, debugger: Any) -> None:
        self.debugger = debugger

    def seconds_left(self) -> float:
        return _SECONDS


def remember(debugger: int, answer: Callable[[], str]) -> None:
    """What the fixes of the last answer are taken from, when one is asked for."""
    _last[debugger] = answer


def written(debugger: Any, program: str, words: List[str], source: str) -> tool.Reply:
    """What `loupe fix` says of the last answer."""
    answer = _last.get(debugger.GetID())
    if answer is None:
        raise LoupeError("no answer with fixes yet: ask retain-cycles, loupe leaks or loupe cycles first")
    said = json.loads(answer())
    # A source that is newer than the program is not what it was built of.
    said["program"] = program
    path = os.path.join(session_folder.path(), "fix.json")
    files.write(path, json.dumps(said))
    reply = tool.run(["fix", path, *words, "--source", source], Waiting(debugger), timed=False)
    if reply.status and not reply.is_answer():
        raise tool_ended(reply.complaint.replace(path, "the last answer"), reply.status)
    return reply
