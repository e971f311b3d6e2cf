"""What an answer says of objects that were freed: after its first line, before all that is built on
them. Imports no lldb."""
from __future__ import annotations

from typing import List

from .style import Style
from .width import fit
from .words import Json, edge_path, plural, thing_name

_SHOWN = 4


def with_warnings(text: str, answer: Json, style: Style) -> str:
    """The text with a line for each object that was freed behind its first line."""
    first, *rest = text.split("\n")
    return "\n".join([first, *_warnings(answer, style), *rest])


def _warnings(answer: Json, style: Style) -> List[str]:
    asked = _asked(answer)
    objects: Json = answer.get("objects") or {}
    slots: List[Json] = answer.get("freed_slots") or []
    told = {(slot.get("edge") or {}).get("to") for slot in slots[:_SHOWN]} - {asked}
    marked = sorted((address for address in objects
                     if objects[address].get("freed") and address not in told),
                    key=lambda address: address != asked)
    lines = [_warning(thing_name(address, answer), objects[address]["freed"], address == asked)
             for address in marked[:_SHOWN]]
    lines += [_slot(slot) for slot in slots[:_SHOWN]]
    if len(slots) > _SHOWN:
        lines.append(f"and {plural(len(slots) - _SHOWN, 'more reference')} to freed objects "
                     "(--json lists them)")
    if answer.get("freed"):
        lines.append(_warning(str(asked or "the object"), answer["freed"], True))
    if len(marked) > _SHOWN:
        left = len(marked) - _SHOWN
        lines.append(f"so {'was' if left == 1 else 'were'} {plural(left, 'more object')} "
                     "(--json lists them)")
    return [fit(style.bad(line), style) for line in lines]


def _slot(slot: Json) -> str:
    """A reference to what was freed."""
    edge, freed = slot.get("edge") or {}, slot.get("freed") or {}
    was = f" (it was of class {freed['class']})" if freed.get("class") else ""
    doubt = ", so it does not own it or was released too often" \
        if edge.get("ownership") == "assumed" else ", which was released too often"
    return f"{edge_path(edge)} of {slot.get('class')} {edge.get('from')} leads to a freed object " \
           f"{edge.get('to')}{was}: {freed.get('why')}{doubt}"


def _asked(answer: Json) -> object:
    """The address that the question was about."""
    for key in ("seed", "object", "block"):
        what = answer.get(key)
        if what:
            return what.get("address") if isinstance(what, dict) else what
    return None


def _warning(name: str, freed: Json, asked: bool) -> str:
    words = "was freed" if freed.get("certain") else "may have been freed"
    if freed.get("class"):
        words += f", it was of class {freed['class']}"
    return f"{name} {words}: {freed.get('why')}" + (
        "; the answer is about what is left of it" if asked else "")
