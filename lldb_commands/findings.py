"""Codes of what was not followed (docs/protocol.md, section 1): they are compared, never the texts
that people read. Imports no lldb."""
from __future__ import annotations

from typing import Optional

from .protocol import Answer


BYREF_LAYOUT = "byref-layout"
CXX_MEMBER = "cxx-member"
POINTERS = ("pointer-to-memory", "pointer-to-object")
COLLECTION_LAYOUT = "collection-layout"
INTERRUPTED = "interrupted"
_INTERRUPTED_TEXT = "objects left when the search was interrupted"

# What ends an answer early, and what to do about it.
ALLOW_MORE = {"limit": "raise --limit",
              INTERRUPTED: "raise --timeout",
              "search-interrupted": "raise --timeout"}


def count(answer: Answer, code: str, reason: str, number: Optional[int],
          example: Optional[str]) -> None:
    """Counts what one of the commands did not follow among what the engine did not."""
    findings = answer.setdefault("not_followed", [])
    known = next((item for item in findings if item.get("code") == code), None)
    if known is not None:
        known["count"] = int(known.get("count") or 0) + int(number or 0)
    else:
        findings.append({"reason": reason, "count": number, "example": example, "code": code})


def count_interrupted(answer: Answer, number: int, example: Optional[str]) -> None:
    """The time was up: the answer is incomplete, and says what is left."""
    answer["status"] = "incomplete"
    count(answer, INTERRUPTED, _INTERRUPTED_TEXT, number, example)
