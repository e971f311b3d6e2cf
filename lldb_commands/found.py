"""What a gate fails for: how many retain cycles an answer has. Imports no lldb."""
from __future__ import annotations

from typing import Tuple

from .protocol import Answer, Baseline, Knot


class Found(str):
    """Why a gate fails whose answer is whole, and which found something: exit status 1. Other
    failures are plain texts."""


def how_many(knot: Knot) -> int:
    """Knots that it stands for: of the whole heap those alike are one."""
    return int(knot.get("count") or 1)


def found(answer: Answer) -> Tuple[int, int]:
    """How many retain cycles there are that the baseline does not know, and how many more that are
    only possible; those beyond what is described count too."""
    knots = answer.get("knots") or []
    baseline: Baseline = answer.get("baseline") or {}
    possible = sum(how_many(knot) for knot in knots if not knot.get("certain", True))
    if "possible_found" in answer:
        possible = int(answer["possible_found"]) - int(baseline.get("hidden_possible") or 0)
    total = int(answer.get("knots_found") or 0) - int(baseline.get("hidden_knots") or 0)
    return max(total, len(knots)) - possible, possible
