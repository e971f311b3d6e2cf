"""Whether somebody wants what runs now to end. Imports no lldb."""
from __future__ import annotations

from typing import Any


def was_interrupted(debugger: Any) -> bool:
    """debugger: lldb's, or of a script that has none, None."""
    if debugger is None:
        return False
    if hasattr(debugger, "InterruptRequested"):  # since lldb 17
        return bool(debugger.InterruptRequested())
    return bool(debugger.GetCommandInterpreter().WasInterrupted())
