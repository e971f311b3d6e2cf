"""A picture for Graphviz: the rings that an answer names. Imports no lldb.

Each knot, or several alike, is a cluster. Solid arrows are known to own, dashed ones are assumed
to; gray ones come from known holders outside. The references that the best fix would weaken are
drawn in red, if it is enough; what it is stands below the picture's title.
"""
from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Set, Tuple

from . import fixes
from .alike import alike, others_in_words
from .words import Json, class_name, edge_kind, edge_path, is_block, place, thing_at

_EdgeKey = Tuple[str, str, str, str]


def dot(answer: Json, title: str) -> str:
    """A complete DOT file."""
    lines = ["digraph retain_cycles {",
             f"  label={_quoted(title)}; labelloc=t; labeljust=l; fontname=\"Helvetica\";",
             "  node [shape=box, style=\"rounded,filled\", fillcolor=white, "
             "fontname=\"Helvetica\", fontsize=11];",
             "  edge [fontname=\"Helvetica\", fontsize=10];"]
    drawn: Set[str] = set()
    groups = alike(answer.get("knots") or [])
    for number, group in enumerate(groups):
        lines += _knot(group, number, answer, drawn)
    for group in groups:
        lines += _holders(group[0], answer, drawn)
    seed = answer.get("seed")
    if seed and seed not in drawn:
        lines.append("  " + _node(str(seed), answer))
    return "\n".join(lines + ["}", ""])


def _knot(group: Sequence[Json], number: int, answer: Json, drawn: Set[str]) -> List[str]:
    knot = group[0]
    edges = _distinct_edges(knot)
    proposals = fixes.proposals(knot, answer)
    best = proposals[0] if proposals and proposals[0].is_enough else None
    advice = f"to break it: {best.text}" if best else "no single change breaks it"
    cut = _cut(best, edges, answer)
    lines = [f"  subgraph cluster_{number} {{",
             f"    label={_quoted(_caption(group, number, advice, answer))}; color=gray; "
             "style=rounded;"]
    for address in _addresses(edges):
        if address not in drawn:
            drawn.add(address)
            lines.append("    " + _node(address, answer))
    lines.append("  }")
    for key, edge in edges.items():
        lines.append(_arrow(edge, ", color=red, fontcolor=red, penwidth=2" if key in cut else ""))
    return lines


def _arrow(edge: Json, look: str) -> str:
    label = f" {edge_path(edge)} \n {edge_kind(edge)} "
    look += ", style=dashed" if edge.get("ownership") == "assumed" else ""
    return (f"  {_quoted(str(edge.get('from')))} -> {_quoted(str(edge.get('to')))} "
            f"[label={_quoted(label)}{look}];")


def _holders(knot: Json, answer: Json, drawn: Set[str]) -> List[str]:
    """Who holds the knot from outside: objects of other knots, and what is not drawn yet."""
    lines = []
    for edge in knot.get("held_by") or []:
        for address in (str(edge.get("from")), str(edge.get("to"))):
            if address not in drawn:
                drawn.add(address)
                lines.append("  " + _node(address, answer))
        lines.append(_arrow(edge, ", color=gray, fontcolor=gray"))
    return lines


def _caption(group: Sequence[Json], number: int, advice: str, answer: Json) -> str:
    lines = [f"knot {number + 1}: {group[0].get('verdict') or 'unknown'}", advice,
             others_in_words(group, answer)]
    return "\n".join(filter(None, lines))


def _cut(best: Optional[fixes.Proposal], edges: Dict[_EdgeKey, Json],
         answer: Json) -> Set[_EdgeKey]:
    """What the change must weaken; of an ivar that must be weak everywhere, each that is drawn."""
    if best is None:
        return set()
    cut = {_key(edge) for edge in best.edges[:best.first_edges]}
    if best.breaks == "everywhere":
        ivars = {_ivar(edge, answer) for edge in best.edges}
        cut |= {key for key, edge in edges.items() if _ivar(edge, answer) in ivars}
    return cut


def _ivar(edge: Json, answer: Json) -> Tuple[str, str, str]:
    return (class_name(thing_at(edge.get("from"), answer)), str(edge.get("kind")),
            edge_path(edge))


def _key(edge: Json) -> _EdgeKey:
    return (str(edge.get("from")), str(edge.get("to")), str(edge.get("kind")),
            str(edge.get("slot") or edge.get("path")))


def _distinct_edges(knot: Json) -> Dict[_EdgeKey, Json]:
    """Every reference of the knot's rings once, in the order of the rings."""
    edges: Dict[_EdgeKey, Json] = {}
    for ring in knot.get("rings") or []:
        for edge in ring.get("edges") or []:
            edges.setdefault(_key(edge), edge)
    return edges


def _addresses(edges: Dict[_EdgeKey, Json]) -> List[str]:
    seen: Dict[str, None] = {}
    for edge in edges.values():
        seen.setdefault(str(edge.get("from")))
        seen.setdefault(str(edge.get("to")))
    return list(seen)


def _node(address: str, answer: Json) -> str:
    thing = thing_at(address, answer)
    invoke: Json = thing.get("invoke") or {}
    first = class_name(thing) or "object"
    if is_block(thing):
        first = "block"
    elif thing.get("kind") == "byref":
        first = f"__block variable {thing.get('variable') or ''}".rstrip()
    label = "\n".join(text for text in (first, place(invoke), address) if text)
    color = ", fillcolor=\"#fff3d6\"" if is_block(thing) else ""
    frame = ", penwidth=2" if address == answer.get("seed") else ""
    return f"{_quoted(address)} [label={_quoted(label)}{color}{frame}];"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    escaped = escaped.replace("&", "&amp;")  # Graphviz knows the entities of HTML: &#10;
    return f'"{escaped}"'
