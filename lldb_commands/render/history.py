"""The report of loupe history. Imports no lldb."""
from __future__ import annotations

from typing import Any, Dict, List

from ..balance import Group, groups
from .allocated import frame_place
from .style import Style
from .words import plural

Json = Dict[str, Any]
_VERBS = {"alloc": "allocated", "retain": "retained", "release": "released", "autorelease": "autoreleased",
          "weak": "stored weakly", "change": "changed its count"}


def history(record: Json, style: Style, verbose: bool = False) -> str:
    """record: {"subject", "address", "events", "since", "before", "now", "ended", "problems"}."""
    listed = groups(record["events"])
    lines = [style.name(str(record["subject"])) + ": " + _counts(record)]
    for group in listed:
        lines += _group(group, style, verbose)
    opened = [plural(count, "retain") for count in
              [sum(group.open for group in listed if group.kind == "retain")] if count]
    opened += ["the allocation" for group in listed if group.kind == "alloc" and group.open]
    releases = sum(group.units for group in listed if group.kind == "release")
    retains = sum(group.units for group in listed if group.kind == "retain")
    if listed:
        lines.append(f"{plural(retains, 'retain')}, {plural(releases, 'release')}"
                     + (f": {' and '.join(opened)} without a release" if opened else ""))
    lines += [str(problem) for problem in record.get("problems") or []]
    return "\n".join(lines)


def _counts(record: Json) -> str:
    began = "it was allocated" if record["since"] == "allocated" else "it began"
    count = f"retain count {record['before']} when {began}"
    if record.get("ended"):
        return f"{count}, {record['ended']}"
    return f"{count}, {record['now']} now" if record["events"] else f"{count}; nothing happened yet"


def _group(group: Group, style: Style, verbose: bool) -> List[str]:
    sign = {"alloc": "+1", "retain": f"+{group.units}", "release": f"-{group.units}"}.get(group.kind, "  ")
    where = frame_place(group.guilty) if group.frames else "(unknown)"
    times = f", {group.events} times" if group.events > 1 else ""
    line = f"  {sign:>4}  {_VERBS[group.kind]} {style.place(where)}{times}"
    if group.open:
        still = f"{group.open} of them: " if group.open < group.units else ""
        line += style.bad(f"  <- {still}no matching release")
    lines = [line]
    if verbose:
        lines += [style.faint(f"          #{number} {frame_place(frame)}")
                  for number, frame in enumerate(group.frames)]
    return lines


def as_json(records: List[Json]) -> Json:
    """The same of several objects, for programs (docs/protocol.md)."""
    stacks: Dict[str, Json] = {}
    numbers: Dict[Any, int] = {}
    told = [{"object": record["address"], "name": record["subject"], "since": record["since"],
             "before": record["before"], "now": record["now"], "ended": record["ended"] or None,
             "groups": [_group_as_json(group, numbers, stacks)
                        for group in groups(record["events"])],
             "problems": record["problems"]} for record in records]
    is_whole = not any(record["problems"] for record in records)
    return {"loupe": 1, "query": "history", "status": "ok" if is_whole else "incomplete",
            "histories": told, "stacks": stacks}


def _group_as_json(group: Group, numbers: Dict[Any, int], stacks: Dict[str, Json]) -> Json:
    key = tuple(frame.get("address") for frame in group.frames)
    number = numbers.setdefault(key, len(numbers) + 1)
    stacks[str(number)] = {"frames": group.frames}
    return {"kind": group.kind, "count": group.events, "change": group.units,
            "without_release": group.open, "events": group.numbers, "stack": number}
