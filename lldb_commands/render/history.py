"""The report of loupe history. Imports no lldb."""
from __future__ import annotations

from typing import Any, Dict, List

from ..balance import Group, groups
from .allocated import frame_place
from .style import Style
from .words import plural

Json = Dict[str, Any]
_VERBS = {"retain": "retained", "release": "released", "autorelease": "autoreleased",
          "weak": "stored weakly", "change": "changed its count"}


def history(record: Json, style: Style, verbose: bool = False) -> str:
    """record: {"subject", "events", "before", "now", "ended", "problems"}."""
    listed = groups(record["events"])
    lines = [style.name(str(record["subject"])) + ": " + _counts(record)]
    for group in listed:
        lines += _group(group, style, verbose)
    opened = sum(group.open for group in listed)
    releases = sum(group.units for group in listed if group.kind == "release")
    retains = sum(group.units for group in listed if group.kind == "retain")
    if listed:
        lines.append(f"{plural(retains, 'retain')}, {plural(releases, 'release')}"
                     + (f": {plural(opened, 'retain')} without a release" if opened else ""))
    lines += [str(problem) for problem in record.get("problems") or []]
    return "\n".join(lines)


def _counts(record: Json) -> str:
    count = f"retain count {record['before']} when it began"
    if record.get("ended"):
        return f"{count}, {record['ended']}"
    return f"{count}, {record['now']} now" if record["events"] else f"{count}; nothing happened yet"


def _group(group: Group, style: Style, verbose: bool) -> List[str]:
    sign = {"retain": f"+{group.units}", "release": f"-{group.units}"}.get(group.kind, "  ")
    where = frame_place(group.guilty) if group.frames else "nobody knows where"
    times = f", {group.events} times" if group.events > 1 else ""
    line = f"  {sign:>4}  {_VERBS[group.kind]} {style.place(where)}{times}"
    if group.open:
        still = f"{group.open} of them " if group.open < group.units else ""
        line += style.bad(f"  <- {still}without a release")
    lines = [line]
    if verbose:
        lines += [style.faint(f"          #{number} {frame_place(frame)}")
                  for number, frame in enumerate(group.frames)]
    return lines
