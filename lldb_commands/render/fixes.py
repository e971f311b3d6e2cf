"""What to change, in words a person can act on, for one reference of a ring. Imports no lldb."""
from __future__ import annotations

from typing import Callable, Dict, List, Tuple

from .words import (Json, block_in_words, class_name, edge_path, is_block, is_named, listed,
                    thing_at, thing_name)


def in_words(edge: Json, answer: Json) -> str:
    """One imperative clause, naming the place where the change goes."""
    write = _BY_KIND.get(str(edge.get("kind")), _other)
    return write(edge, answer)


def sentences(knot: Json, answer: Json) -> List[Tuple[str, bool]]:
    """The knot's fixes in their order, each once, and whether it dissolves the whole knot.

    Several references can be one change in the source: two objects of a class, a __block variable
    that two blocks share.
    """
    found: Dict[str, bool] = {}
    proposals: List[Json] = knot.get("fixes") or []
    for fix in sorted(proposals, key=lambda fix: _rank(fix, answer)):
        edges = [fix.get("edge") or {}, *(fix.get("with") or [])]
        text = listed(list(dict.fromkeys(in_words(edge, answer) for edge in edges)))
        found[text] = found.get(text, False) or fix.get("breaks") == "knot"
    return list(found.items())


def _rank(fix: Json, answer: Json) -> Tuple[bool, bool, bool]:
    """The engine's order stands among equals: it does not know which variable is called self."""
    edge: Json = fix.get("edge") or {}
    is_self = edge.get("kind") == "capture" and edge_path(edge) == "self"
    return _is_tool(edge, answer), fix.get("breaks") != "knot", not is_self


def _class_of(address: str, answer: Json) -> str:
    thing = thing_at(address, answer)
    return "block" if is_block(thing) else class_name(thing) or "object"


def _capture(edge: Json, answer: Json) -> str:
    block = block_in_words(edge.get("from"), answer)
    what = edge_path(edge) if is_named(edge) else f"the variable at {edge_path(edge)}"
    if is_block(thing_at(edge.get("to"), answer)):
        return f"do not capture the block {what} strongly in {block}: use a weak copy"
    if thing_at(edge.get("to"), answer).get("kind") == "byref":
        return _block_variable(edge.get("to"), what, answer)
    return f"capture {what} weakly in {block}"


def _block_variable(address: object, name: str, answer: Json) -> str:
    """The same change whichever of the two references is asked about: block to variable, or its."""
    for knot in answer.get("knots") or []:
        for ring in knot.get("rings") or []:
            for edge in ring.get("edges") or []:
                if edge.get("kind") == "byref" and edge.get("from") == address:
                    return _byref(edge, answer)
    return f"set the __block variable {name} to nil when the block is done, or make it weak"


def _byref(edge: Json, answer: Json) -> str:
    if "." in edge_path(edge) or "[" in edge_path(edge):
        return f"make {edge_path(edge)} weak, or set it to nil when the block is done"
    what = f" {edge_path(edge)}" if is_named(edge) else ""
    return f"declare the __block variable{what} __weak, or set it to nil when the block is done"


def _ivar(edge: Json, answer: Json) -> str:
    owner = _class_of(str(edge.get("from")), answer)
    slot = f"{owner}.{edge_path(edge)}"
    if is_block(thing_at(edge.get("to"), answer)):
        return f"set {slot} to nil when the block is no longer needed"
    if _is_tool(edge, answer):
        return f"set {slot} to nil when it is no longer needed"
    return f"make {slot} weak"


def _is_tool(edge: Json, answer: Json) -> bool:
    """Whether an ivar keeps a block, a collection or a timer: as a rule nothing else keeps it, so
    that a weak ivar would lose it at once."""
    held = thing_at(edge.get("to"), answer)
    return edge.get("kind") == "ivar" and (is_block(held) or class_name(held).startswith("NS"))


def _association(edge: Json, answer: Json) -> str:
    owner = _class_of(str(edge.get("from")), answer)
    return f"associate {edge_path(edge)} with the {owner} through a weak wrapper, or remove it"


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
    if is_block(thing_at(edge.get("to"), answer)):
        return f"invalidate the {owner} when its block is no longer needed"
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
    "block": _target,
}
