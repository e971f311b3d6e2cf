"""Joins what was read of a block or of ivars with what the dispose probe saw released. Imports no
lldb.

The probe is the program's own code at work, so where a description disagrees the probe is
believed, and the conflict shown. It cannot see everything: words that it left alone may be weak
slots when weak_tested is false, and ivars that -dealloc releases.
"""
from __future__ import annotations

from typing import Dict, Iterator, List, Optional

from ..protocol import Answer, Capture, Conflict, Ivar, Level, Probe, ProbedLevel


_SEEN_WHEN_RELEASED = ("strong", "block", "byref")
_WORD = 8


def join_block(answer: Answer) -> None:
    """Adds the evidence of answer["probe"] to the captures, and the conflicts."""
    probe: Probe = answer.get("probe") or {}
    if probe.get("skipped") is not None or probe.get("captures") is None:
        return
    released = {int(item["offset"]): str(item["kind"]) for item in probe["captures"] or []}
    conflicts = answer.setdefault("conflicts", [])
    joined: List[Capture] = []
    for capture in answer.get("captures") or []:
        joined += _with_probe(capture, released, bool(probe.get("weak_tested")), conflicts)
    answer["captures"] = joined


def _with_probe(capture: Capture, released: Dict[int, str], weak_tested: bool,
                conflicts: List[Conflict]) -> List[Capture]:
    start, size = int(capture.get("offset") or 0), int(capture.get("size") or 0)
    inside = sorted(offset for offset in released if start <= offset < start + size)
    if capture.get("kind") not in (*_SEEN_WHEN_RELEASED, "weak"):
        return _cut_up(capture, inside, released, conflicts)
    seen = released.get(start)
    kind = _judged(str(capture["kind"]), seen, weak_tested)
    if kind is None:
        return [capture]
    if kind == capture["kind"]:
        return [_changed(capture, {"evidence": [*(capture.get("evidence") or []), "probe"]})]
    conflicts.append(_conflict(start, kind, capture))
    return [_changed(capture, {"kind": kind, "evidence": ["probe"]})]


def _changed(capture: Capture, fields: Capture) -> Capture:
    """A copy."""
    changed = capture.copy()
    changed.update(fields)
    return changed


def _judged(described: str, seen: Optional[str], weak_tested: bool) -> Optional[str]:
    """What to take a word for that is described as owned or weak; None: the probe cannot tell."""
    if described == "block" and seen == "strong":  # ARC releases its blocks like any object
        return described
    if seen is not None:
        return seen
    if described == "weak" and not weak_tested:
        return None
    return "unretained"


def _cut_up(capture: Capture, inside: List[int], released: Dict[int, str],
            conflicts: List[Conflict]) -> List[Capture]:
    """A row for each released word in a run of what was taken for other things."""
    rows: List[Capture] = []
    position = int(capture.get("offset") or 0)
    end = position + int(capture.get("size") or 0)
    for offset in inside:
        if offset > position:
            rows.append(_piece(capture, position, offset - position))
        rows.append(_changed(_piece(capture, offset, _WORD), {"kind": released[offset], "evidence": ["probe"]}))
        if capture.get("kind") != "unknown":
            conflicts.append(_conflict(offset, released[offset], capture))
        position = offset + _WORD
    if position < end:
        rows.append(_piece(capture, position, end - position))
    return rows


def _piece(capture: Capture, offset: int, size: int) -> Capture:
    if offset == capture.get("offset") and size == capture.get("size"):
        return capture
    return _changed(capture, {"offset": offset, "size": size, "value": None, "class": None})


def _conflict(offset: int, kept: str, described: Capture) -> Conflict:
    evidence: List[str] = described.get("evidence") or ["layout"]
    return {"offset": offset, "kept": kept, "discarded": described.get("kind"),
            "kept_by": "probe", "discarded_by": evidence[0]}


# ---- Ivars ----


def join_ivars(answer: Answer) -> None:
    """Adds to each level what the probe said of its class, and what that tells of its ivars."""
    said = {str(level.get("class")): level
            for level in (answer.get("probe") or {}).get("levels") or []}
    conflicts = answer.setdefault("conflicts", [])
    for level in answer.get("levels") or []:
        probe = said.get(str(level.get("class")))
        if probe is None:
            continue
        level["probe"] = {"skipped": probe.get("skipped"), "weak_tested": probe.get("weak_tested"),
                          "ivars": probe.get("ivars")}
        if probe.get("skipped") is None:
            _join_level(level, probe, conflicts)


_NOT_KNOWN = ("unknown", "assumed")  # what a probe decides, and contradicts nobody


def _join_level(level: Level, probe: ProbedLevel, conflicts: List[Conflict]) -> None:
    released = {int(item["offset"]): str(item["ownership"]) for item in probe.get("ivars") or []}
    for ivar in level.get("ivars") or []:
        for leaf in _leaves(ivar):
            described = str(leaf.get("ownership"))
            offset = leaf.get("offset")
            seen = released.get(offset) if offset is not None else None
            kept = _ownership(described, seen, bool(probe.get("weak_tested")))
            if kept == described:
                continue
            if described not in _NOT_KNOWN:
                conflicts.append({"offset": offset, "kept": kept, "discarded": described,
                                  "kept_by": "probe", "discarded_by": "layout"})
            leaf["ownership"] = kept
            if ivar.get("ownership") in (*_NOT_KNOWN, "none", "unretained"):
                ivar["ownership"] = kept


def _leaves(ivar: Ivar) -> Iterator[Ivar]:
    fields = ivar.get("fields") or []
    yield from fields or [ivar]


def _ownership(described: str, seen: Optional[str], weak_tested: bool) -> str:
    if seen is not None:
        return seen
    if described == "strong" or (described == "weak" and weak_tested):
        return "unretained"
    return described
