"""What lldb says about an expression that failed."""
from __future__ import annotations

import re

import lldb

_EXPRESSION_NOISE = re.compile(r"^(?:error:\s*)?(?:<user expression \d+>:\d+:\d+:\s*)?"
                               r"(?:error:\s*)?")


def first_line(error: lldb.SBError) -> str:
    """The first error of lldb's message, without the notes, the caret and the position."""
    lines = [line.lstrip("˄~^|╰─ ") for line in (error.GetCString() or "").splitlines()]
    errors = [line for line in lines if line.startswith("error:")] or list(filter(None, lines))
    return _EXPRESSION_NOISE.sub("", errors[0], count=1) if errors else "lldb gives no reason"
