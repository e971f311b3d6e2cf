"""What libloupe_record saw of an object's retain count, where its class was chosen (LOUPE_RECORD): who
retained and released it from its beginning on, also in a core."""
from __future__ import annotations

from typing import List, Optional

from ..engines import policy
from ..engines.question import Question
from ..names import stacks
from ..protocol import Answer, Event, Record
from ..session.context import Context

_CHANGES = {"retain": 1, "release": -1}


def of(context: Context, address: int, name: str, engine: str) -> Optional[Record]:
    """A record for render/history.py. None: nothing was recorded of this object."""
    answer = policy.ask(Question("history", address), context, engine)
    seen = answer.get("events") or []
    if not seen:
        return None
    stacks.name_stacks(answer, context)
    frames = {number: stack["frames"] for number, stack in answer["stacks"].items()}
    events: List[Event] = [
        {"kind": event["kind"], "change": _CHANGES.get(event["kind"], 0),
         "frames": frames.get(str(event["stack"])) or []} for event in seen if event["kind"] != "dealloc"]
    is_freed = seen[-1]["kind"] == "dealloc"
    if answer.get("allocated") and not is_freed:  # else that is of what is there by now
        events.insert(0, {"kind": "alloc", "change": 1,
                          "frames": frames.get(str(answer["allocated"])) or []})
    return {"subject": f"{name} {address:#x}", "address": hex(address), "events": events,
            "since": "allocated", "before": 1,
            "now": None if is_freed else 1 + sum(event["change"] for event in events
                                                    if event["kind"] != "alloc"),
            "ended": "freed" if is_freed else "", "problems": _problems(answer)}


def _problems(answer: Answer) -> List[str]:
    found = []
    if answer.get("more_events"):
        found.append(f"Not told: {answer['more_events']} events after these")
    if answer.get("events_left_out"):
        found.append(f"Not recorded for want of memory: {answer['events_left_out']} events of all "
                     "objects (LOUPE_RECORD_LIMIT)")
    elif answer.get("events_unread"):
        found.append(f"Not read: {answer['events_unread']} events of all objects")
    return found
