"""What runs code in the program: LOUPE_ENGINE=memory in LLDB's environment refuses all of it with one
sentence, whatever the options say; else the first command of a session that did it says so. Imports no lldb.
"""
from __future__ import annotations

import os
from typing import Dict, Optional

from ..errors import LoupeError

_VARIABLE, _VALUE = "LOUPE_ENGINE", "memory"
_done: Dict[int, str] = {}  # by debugger, what ran first; empty once it was said


def is_on() -> bool:
    """LoupeError: the variable says something else, which nobody should take for a refusal."""
    said = os.environ.get(_VARIABLE, "")
    if said not in ("", _VALUE):
        raise LoupeError(f"{_VARIABLE} is {said!r}; the only value is {_VALUE}", code="usage")
    return said == _VALUE


def refuse(what: str = "this", instead: str = "") -> None:
    """Before code is run in the program. instead: what does without."""
    if is_on():
        raise LoupeError(f"{what} would run code in the program, and {_VARIABLE}={_VALUE} forbids it"
                         + (f": {instead}" if instead else ""), code="usage")


def note(debugger: int, what: str) -> None:
    """What a command did in the program."""
    _done.setdefault(debugger, what)


def news(debugger: int) -> Optional[str]:
    """What was noted first, once for each session of lldb."""
    what = _done.get(debugger)
    if what:
        _done[debugger] = ""
    return f"{what} in the program (said once; {_VARIABLE}={_VALUE} refuses it)" if what else None
