"""One line of `loupe watch list`: an object that should die soon. Imports no lldb."""
from __future__ import annotations

from typing import Any, Dict, Mapping, Tuple

Row = Tuple[str, str, str, str, str, str]

HEADINGS = ("object", "state", "age", "deadline", "retains", "why")


def is_dead(item: Mapping[str, Any]) -> bool:
    """What is there by now is another object, or none."""
    return bool(item["state"] == "died")


def row(item: Mapping[str, Any], thing: Dict[str, Any]) -> Row:
    """`thing` says what is known of the object that is watched; of a dead one its class."""
    age = f"{item['age_ms'] / 1000:.1f} s"
    if is_dead(item):
        known = item.get("died_ms")
        when = f"{age} at most" if known is None else f"{known / 1000:.1f} s"
        return (f"{thing.get('class') or 'object'} {item['object']}", f"died after {when}", "", "", "",
                item["reason"])
    count = thing.get("retain_count")
    return (f"{thing.get('class') or 'object'} {item['object']}", item["state"], age,
            _left(int(item["left_ms"])), "?" if count is None else str(count), item["reason"])


def _left(milliseconds: int) -> str:
    ago = f"{abs(milliseconds) / 1000:.1f} s"
    return f"{ago} ago" if milliseconds < 0 else f"in {ago}"
