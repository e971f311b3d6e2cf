"""Where one thing was allocated, as libloupe_record recorded it. Imports no lldb."""
from __future__ import annotations

import os
import re
from typing import List

from .style import Style
from .words import Json, place, plural, thing_at, thing_name

# The runtimes and Foundations that programs bring along, wherever they stand.
_LIBRARIES = re.compile(r"(?:lib(?:objc|gnustep-\w+|BlocksRuntime|dispatch|Foundation|CoreFoundation)"
                        r"\b[^/]*|Foundation|CoreFoundation|UIKit|AppKit)$")
_SYSTEM = ("/lib/", "/lib64/", "/usr/lib", "/System/Library/")


def in_full(address: str, answer: Json, style: Style) -> str:
    """All that was recorded of one thing."""
    thing, name = thing_at(address, answer), style.name(thing_name(address, answer))
    stack = stack_of(thing, answer)
    if not stack:
        return "\n".join([f"{name}: who allocated it was not recorded", *remarks(answer)])
    lines = [f"{name} was allocated {style.place(frame_place(guilty(stack)))}", *_in_full(stack, style)]
    whole: Json = (answer.get("stacks") or {}).get(str(thing.get("allocated"))) or {}
    lines += [] if whole.get("whole", True) else ["      frames further out were not recorded"]
    return "\n".join([*lines, *remarks(answer)])


def remarks(answer: Json) -> List[str]:
    """What the recorder left out, for the end of a report."""
    recorded: Json = answer.get("recorded") or {}
    lines = []
    if recorded.get("state") == "bypassed":
        lines.append("Allocations are not recorded: the program's own malloc is called in place of "
                     "the recorder's")
    if recorded.get("state") == "other-version":
        lines.append("Allocations are not read: libloupe_record is of another version")
    for key, what in (("blocks_left_out", "allocation"), ("stacks_left_out", "stack")):
        if recorded.get(key):
            lines.append(f"Not recorded for want of memory: {plural(int(recorded[key]), what)} "
                         "(LOUPE_RECORD_LIMIT)")
    return lines


def stack_of(thing: Json, answer: Json) -> List[Json]:
    """The frames that allocated it, innermost first; none where that is not known."""
    stack: Json = (answer.get("stacks") or {}).get(str(thing.get("allocated"))) or {}
    frames: List[Json] = stack.get("frames") or []
    return frames


def guilty(frames: List[Json]) -> Json:
    """The innermost frame of the program's own: neither of the runtime nor of the system, nor a
    setter that the compiler wrote."""
    inside: List[Json] = [{}, *frames]
    own = [frame for inner, frame in zip(inside, frames)
           if not (frame.get("runtime") or _is_system(frame) or _is_setting(inner))]
    return own[0] if own else frames[0]


def _is_setting(frame: Json) -> bool:
    return str(frame.get("function") or frame.get("symbol")).startswith("objc_setProperty")


def _is_system(frame: Json) -> bool:
    module = str(frame.get("module") or "")
    return module.startswith(_SYSTEM) or _LIBRARIES.match(os.path.basename(module)) is not None


def frame_place(frame: Json) -> str:
    """at PhotoCell.m:42 in -[PhotoCell load]; without debug info, in which library."""
    name = frame.get("function") or frame.get("symbol")
    module = os.path.basename(str(frame.get("module") or ""))
    where = place(frame)
    words = [f"at {where}"] if where else []
    words += [f"in {name}"] if name else [f"at {frame.get('address')}"]
    words += [f"of {module}"] if module and not where else []
    return " ".join(words)


def _in_full(frames: List[Json], style: Style) -> List[str]:
    return [style.faint(f"      #{number} {frame_place(frame)}") for number, frame in enumerate(frames)]
