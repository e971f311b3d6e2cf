"""The one exception that a command turns into its error line."""
from __future__ import annotations


class LoupeError(Exception):
    """What went wrong and what to do next, in one line without a full stop or "error:" in front."""
