"""The fixes of a knot as changes in the source, for a report: their sentences are in the answer
(answers.py). Imports no lldb."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Optional

from .words import Json, class_name, edge_path, thing_at


@dataclass
class Proposal:
    """One change in the source, and the references that it weakens or takes away.

    breaks: `knot`, all of it; `everywhere`, all of it once the ivar is weak in every object of the
    class; `ring`, the shown ring only. frees: what should go then goes; of a knot of which nobody said
    what should go, it is enough that no ring is left. kept_by: an object that
    something outside keeps, and that would still keep it. second_best: there is something against
    it, such as that the ivar is its object's only holder.
    """

    text: str
    breaks: str
    edges: List[Json]  # those of the best fix first
    first_edges: int  # how many those are
    frees: Optional[bool]  # None: not tried
    kept_by: Optional[str]
    second_best: bool
    together: bool = False  # one of those that break the rings shown, where the best breaks one

    @property
    def breaks_knot(self) -> bool:
        return self.breaks != "ring"

    @property
    def is_enough(self) -> bool:
        return bool(self.frees)


_BREAKS = ("knot", "everywhere", "ring")


def proposals(knot: Json, answer: Json) -> List[Proposal]:
    """The knot's fixes as changes, in the order of the engine, which is the best first.

    Several references can be one change in the source: two objects of a class, a __block variable
    that two blocks share. The best of them says what the change is good for.
    """
    found: Dict[object, Proposal] = {}
    for fix in knot.get("fixes") or []:
        edges = [fix.get("edge") or {}, *(fix.get("with") or [])]
        frees = True if fix.get("enough") else fix.get("frees")
        text = text_of(fix, answer)
        same = found.setdefault(_place_of(fix, answer, text), Proposal(
            text, "ring", [], len(edges), frees, fix.get("kept_by"), bool(fix.get("against"))))
        same.together |= bool(fix.get("together"))
        same.breaks = min(same.breaks, _breaks(fix), key=_BREAKS.index)
        same.edges += edges
        if fix.get("conditions") or fix.get("against"):
            same.text = text
    return list(found.values())


def _place_of(fix: Json, answer: Json, text: str) -> object:
    """Equal for fixes that are one change: an ivar is in all objects of its class."""
    subjects = [subject.get("edge") or {} for subject in fix.get("subjects") or []]
    if not subjects or any(edge.get("kind") != "ivar" for edge in subjects):
        return text
    return fix.get("do"), tuple((class_name(thing_at(edge.get("from"), answer)), edge_path(edge))
                                for edge in subjects)


def text_of(fix: Json, answer: Json) -> str:
    """Its sentence; where nobody was there to say it, the change and the reference: set to nil:
    PhotoScreen._completion."""
    if fix.get("text"):
        return str(fix["text"])
    edge: Json = ((fix.get("subjects") or [{}])[0]).get("edge") or fix.get("edge") or {}
    owner = class_name(thing_at(edge.get("from"), answer)) or "object"
    return f"{str(fix.get('do') or 'weaken').replace('-', ' ')}: {owner}.{edge_path(edge)}"


def _breaks(fix: Json) -> str:
    if fix.get("breaks") == "knot":
        return "knot"
    return "everywhere" if fix.get("everywhere") == "knot" else "ring"
