"""LOUPE_ENGINE=memory in lldb's environment: no command of ours runs code in the program, whatever its
options say. All that would says one sentence instead. Imports no lldb.
"""
from __future__ import annotations

import os

from .errors import LoupeError

_VARIABLE, _VALUE = "LOUPE_ENGINE", "memory"


def is_on() -> bool:
    """LoupeError: the variable says something else, which nobody should take for a refusal."""
    said = os.environ.get(_VARIABLE, "")
    if said not in ("", _VALUE):
        raise LoupeError(f"{_VARIABLE} is {said!r}: only {_VALUE} can be said by it", code="usage")
    return said == _VALUE


def refuse() -> None:
    """Before code is run in the program."""
    if is_on():
        raise LoupeError(f"this would run code in the program, and {_VARIABLE}={_VALUE} forbids it",
                         code="usage")
