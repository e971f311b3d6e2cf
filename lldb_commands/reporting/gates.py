"""When a question about cycles fails although it was answered: for scripts that look at nothing but
the status. Imports no lldb."""
from __future__ import annotations


from ..findings import ALLOW_MORE
from ..found import Found, found
from ..protocol import Answer
from .answers import found_in_words


def failure(answer: Answer, gate: bool, allow_incomplete: bool) -> str:
    """Why the command fails; empty if it passes. gate: it was asked to fail if there is a cycle.

    "None so far" is no pass: what was not walked may have the cycle.
    """
    if not gate:
        return ""
    is_incomplete = answer.get("status") == "incomplete" and not allow_incomplete
    if any(found(answer)):
        words = f"found {found_in_words(answer)}"
        return f"{words}, and {why_incomplete(answer)}" if is_incomplete else Found(words)
    if is_incomplete:
        return f"found none so far, but {why_incomplete(answer)}, or pass --allow-incomplete"
    return ""


def why_incomplete(answer: Answer) -> str:
    """What was left out, and how to have it looked at."""
    for item in answer.get("not_followed") or []:
        if item.get("code") in ALLOW_MORE:
            return f"the search is incomplete ({item['reason']}): {ALLOW_MORE[str(item['code'])]}"
    return "the search is incomplete: raise --timeout or --limit"
