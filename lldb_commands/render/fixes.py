"""What to change, in words a person can act on, for one reference of a ring. Imports no lldb."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from .words import (Json, block_in_words, class_name, edge_path, is_block, is_named, listed,
                    place, thing_at, thing_name)


_INDEX = "by holder"  # in an answer of our own: references on rings, looked for once


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


def in_words(edge: Json, answer: Json) -> str:
    """One imperative clause, naming the place where the change goes."""
    write = _BY_KIND.get(str(edge.get("kind")), _other)
    return write(edge, answer)


def proposals(knot: Json, answer: Json) -> List[Proposal]:
    """The knot's fixes as changes, in the order of the engine, which is the best first.

    Several references can be one change in the source: two objects of a class, a __block variable
    that two blocks share. The best of them says what the change is good for.
    """
    # Other knots have no say, and there may be thousands.
    answer = {**answer, "knots": [knot], _INDEX: _by_holder([knot])}
    found: Dict[str, Proposal] = {}
    for fix in knot.get("fixes") or []:
        edges, against = _edges(fix), fix.get("against") or []
        frees = True if fix.get("enough") else fix.get("frees")
        text = listed(list(dict.fromkeys(clause(edge, against, answer) for edge in edges)))
        same = found.setdefault(text, Proposal(text, "ring", [], len(edges), frees,
                                               fix.get("kept_by"), bool(against)))
        same.together |= bool(fix.get("together"))
        same.breaks = min(same.breaks, _breaks(fix), key=_BREAKS.index)
        same.edges += edges
        held = _class_of(str(edges[0].get("to")), answer)
        if "frees-at-once" in against:
            same.text = f"{text}; this would free the {held} at once"
        elif "only-holder" in against:
            same.text = f"{text}, if something else keeps the {held}"
    return list(found.values())


def add_texts(answer: Json) -> None:
    """Says in each fix what it means in the source, for whoever reads or draws the answer."""
    for knot in answer.get("knots") or []:
        texts = {id(edge): proposal.text for proposal in proposals(knot, answer)
                 for edge in proposal.edges}
        for fix in knot.get("fixes") or []:
            text = texts.get(id(fix.get("edge")))
            if text:
                fix["text"] = text


def clause(edge: Json, against: Sequence[str], answer: Json) -> str:
    """in_words(), unless the reference is probably not retained."""
    if "unowned-name" not in against:
        return in_words(edge, answer)
    owner, held = _class_of(str(edge.get("from")), answer), _class_of(str(edge.get("to")), answer)
    return f"check that {owner}.{edge_path(edge)} does not retain the {held}"


def _edges(fix: Json) -> List[Json]:
    return [fix.get("edge") or {}, *(fix.get("with") or [])]


def _breaks(fix: Json) -> str:
    if fix.get("breaks") == "knot":
        return "knot"
    return "everywhere" if fix.get("everywhere") == "knot" else "ring"


def _class_of(address: str, answer: Json) -> str:
    thing = thing_at(address, answer)
    return "block" if is_block(thing) else class_name(thing) or "object"


def _lambda(edge: Json) -> str:
    name = edge_path(edge).rpartition(".")[2]
    return f"capture {name} weakly in the lambda at {place(edge['lambda'])}"


def _capture(edge: Json, answer: Json) -> str:
    block = block_in_words(edge.get("from"), answer)
    what = edge_path(edge) if is_named(edge) else f"the variable at {edge_path(edge)}"
    if edge.get("lambda"):
        return _lambda(edge)
    if is_block(thing_at(edge.get("to"), answer)):
        return f"do not capture the block {what} strongly in {block}: use a weak copy"
    if thing_at(edge.get("to"), answer).get("kind") == "byref":
        return _block_variable(edge.get("to"), what, answer)
    return f"capture {what} weakly in {block}"


def _block_variable(address: object, name: str, answer: Json) -> str:
    """The same change whichever of the two references is asked about: block to variable, or its."""
    held = _edge_of(address, ("byref",), answer)
    if held is not None:
        return _byref(held, answer)
    return f"set the __block variable {name} to nil when the block is done, or make it weak"


def _byref(edge: Json, answer: Json) -> str:
    if "." in edge_path(edge) or "[" in edge_path(edge):
        return f"make {edge_path(edge)} weak, or set it to nil when the block is done"
    what = f" {edge_path(edge)}" if is_named(edge) else ""
    return f"declare the __block variable{what} __weak, or set it to nil when the block is done"


def _ivar(edge: Json, answer: Json) -> str:
    if edge.get("lambda"):
        return _lambda(edge)
    owner = _class_of(str(edge.get("from")), answer)
    slot = f"{owner}.{edge_path(edge)}"
    if is_block(thing_at(edge.get("to"), answer)):
        return f"set {slot} to nil when the block is no longer needed"
    acted_on = _edge_of(edge.get("to"), ("target", "block"), answer)
    if acted_on is not None:
        return _target(acted_on, answer)
    if class_name(thing_at(edge.get("to"), answer)).endswith("Timer"):
        return f"invalidate the timer in {slot} when it is no longer needed"
    if _is_tool(edge, answer):
        return f"set {slot} to nil when it is no longer needed"
    if edge.get("manual"):
        return f"hold {slot} without retaining it"
    if answer.get("weak_references") is False:
        return f"set {slot} to nil when it is no longer needed"
    return f"make {slot} weak"


def _by_holder(knots: Sequence[Json]) -> Dict[Tuple[object, object], Json]:
    """The first reference on the rings of each holder and kind; ivars are not asked for."""
    found: Dict[Tuple[object, object], Json] = {}
    for knot in knots:
        for ring in knot.get("rings") or []:
            for edge in ring.get("edges") or []:
                if edge.get("kind") != "ivar":
                    found.setdefault((edge.get("from"), edge.get("kind")), edge)
    return found


def _edge_of(holder: object, kinds: Tuple[str, ...], answer: Json) -> Optional[Json]:
    """A reference of these kinds that the holder has on one of the rings, or None."""
    index: Optional[Dict[Tuple[object, object], Json]] = answer.get(_INDEX)
    if index is None:
        index = _by_holder(answer.get("knots") or [])
    return next((index[holder, kind] for kind in kinds if (holder, kind) in index), None)


def _is_tool(edge: Json, answer: Json) -> bool:
    """Whether an ivar keeps a block, a collection or a timer: as a rule nothing else keeps it, so
    that a weak ivar would lose it at once."""
    held = thing_at(edge.get("to"), answer)
    return edge.get("kind") == "ivar" and (is_block(held)
                                           or class_name(held).lstrip("_").startswith(("NS", "GS")))


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
    """A timer, a display link, a dispatch source: what it acts on lives until it is ended."""
    owner = _class_of(str(edge.get("from")), answer)
    end = "cancel" if "dispatch" in owner else "invalidate"
    held = _class_of(str(edge.get("to")), answer)
    if is_block(thing_at(edge.get("to"), answer)) or held.endswith("BlockTarget"):
        return f"{end} the {owner} when its block is no longer needed"
    if owner.endswith(("Invocation", "Thread", "ThreadData", "Performer")):
        return f"let the {owner} go before the {held} should, or give it another target"
    return (f"{end} the {owner} before the {held} should go (-dealloc is too late), "
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
