"""lldb's own progress bar, for questions that prove long."""
from __future__ import annotations

import time
from typing import Optional

import lldb

_AFTER = 1.0  # seconds
_TITLE = "Loupe is walking the object graph"


class Progress:
    """Shown once a question has taken a second, where lldb has progress bars for Python (since 20)."""

    def __init__(self, debugger: lldb.SBDebugger) -> None:
        self._debugger = debugger
        self._begins = time.monotonic() + _AFTER
        self._bar: Optional[lldb.SBProgress] = None

    def tick(self) -> None:
        if self._bar is None and time.monotonic() > self._begins and hasattr(lldb, "SBProgress"):
            self._bar = lldb.SBProgress(_TITLE, "", self._debugger)
        if self._bar is not None:
            self._bar.Increment(1)
