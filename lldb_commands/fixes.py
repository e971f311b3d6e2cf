"""What to change, in words a person can act on, for one reference of a ring. Imports no lldb."""
from __future__ import annotations

from typing import Callable, Dict

from .words import Json, block_in_words, edge_path, is_block, thing_at, thing_name


def in_words(edge: Json, answer: Json) -> str:
    """One imperative clause, naming the place where the change goes."""
    write = _BY_KIND.get(str(edge.get("kind")), _other)
    return write(edge, answer)


def _class_of(address: str, answer: Json) -> str:
    return str(thing_at(address, answer).get("class") or "the object")


def _capture(edge: Json, answer: Json) -> str:
    block = block_in_words(edge.get("from"), answer)
    if is_block(thing_at(edge.get("to"), answer)):
        return f"do not capture the block {edge_path(edge)} strongly in {block}: use a weak copy"
    if thing_at(edge.get("to"), answer).get("kind") == "byref":
        return f"declare the __block variable {edge_path(edge)} weak, or clear it in {block}"
    return f"capture {edge_path(edge)} weakly in {block}"


def _byref(edge: Json, answer: Json) -> str:
    return (f"declare the __block variable {edge_path(edge)} __weak, "
            "or set it to nil when the block is done")


def _ivar(edge: Json, answer: Json) -> str:
    owner = _class_of(str(edge.get("from")), answer)
    slot = f"{owner}.{edge_path(edge)}"
    if is_block(thing_at(edge.get("to"), answer)):
        return f"set {slot} to nil when the block is no longer needed"
    return f"make {slot} weak"


def _association(edge: Json, answer: Json) -> str:
    owner = _class_of(str(edge.get("from")), answer)
    return (f"do not associate {edge_path(edge)} with the {owner} by a retaining policy: "
            "associate a weak wrapper, or remove it in time")


def _element(edge: Json, answer: Json) -> str:
    holder = thing_name(edge.get("from"), answer)
    held = _class_of(str(edge.get("to")), answer)
    return f"take the {held} out of the {holder}, or hold it there weakly"


def _value(edge: Json, answer: Json) -> str:
    holder = thing_name(edge.get("from"), answer)
    return f"remove {edge_path(edge)} from the {holder}, or use a map table with weak values"


def _key(edge: Json, answer: Json) -> str:
    holder = thing_name(edge.get("from"), answer)
    held = _class_of(str(edge.get("to")), answer)
    return f"do not use the {held} as a key of the {holder}, or use a map table with weak keys"


def _target(edge: Json, answer: Json) -> str:
    owner = _class_of(str(edge.get("from")), answer)
    held = _class_of(str(edge.get("to")), answer)
    return (f"invalidate the {owner} before the {held} should go, "
            "or use a block that captures the target weakly")


def _user_info(edge: Json, answer: Json) -> str:
    owner = _class_of(str(edge.get("from")), answer)
    held = _class_of(str(edge.get("to")), answer)
    return f"do not pass the {held} as user info of the {owner}: pass a weak wrapper"


def _other(edge: Json, answer: Json) -> str:
    owner = thing_name(edge.get("from"), answer)
    return f"make the reference {edge_path(edge)} of the {owner} weak"


_BY_KIND: Dict[str, Callable[[Json, Json], str]] = {
    "ivar": _ivar,
    "capture": _capture,
    "byref": _byref,
    "association": _association,
    "element": _element,
    "value": _value,
    "key": _key,
    "target": _target,
    "user-info": _user_info,
}
