"""What an object holds, or who holds it, as a tree. Imports no lldb."""
from __future__ import annotations

from typing import Callable, List, Set, Tuple

from .style import Style
from .words import Json, edge_kind, edge_path, plural, thing_in_full

_MOST_LINES = 200
Ask = Callable[[str], Json]


def tree(root: str, ask: Ask, incoming: bool, depth: int, style: Style) -> str:
    """So many references deep; what was shown before is not opened again."""
    answer = ask(root)
    lines = [thing_in_full(root, answer, style)]
    seen: Set[str] = {root}
    left = _branch(root, answer, ask, incoming, depth, "", style, lines, seen)
    if len(lines) == 1:
        lines.append("  no object holds it" if incoming else "  it holds no object")
    if left:
        lines.append(f"and {plural(left, 'further reference')} (a smaller --depth shows less of each)")
    return "\n".join(lines)


def _branch(address: str, answer: Json, ask: Ask, incoming: bool, depth: int, margin: str,
            style: Style, lines: List[str], seen: Set[str]) -> int:
    """Adds what is below an object; how many references there was no room for."""
    edges, left = _edges(answer, address, incoming), 0
    for number, (edge, other) in enumerate(edges):
        if len(lines) >= _MOST_LINES:
            return left + len(edges) - number
        is_last = number + 1 == len(edges)
        corner, side = (style.tree_last, "   ") if is_last else (style.tree_branch, style.tree_side)
        name = f"{edge_path(edge)} ({edge_kind(edge)})"
        is_new = other not in seen
        lines.append(f"{margin}{corner}{name} {style.arrow if not incoming else 'of'} "
                     f"{thing_in_full(other, answer, style)}{'' if is_new else ', as above'}")
        if is_new and depth > 1:
            seen.add(other)
            left += _branch(other, ask(other), ask, incoming, depth - 1, margin + side, style, lines, seen)
    return left


def _edges(answer: Json, address: str, incoming: bool) -> List[Tuple[Json, str]]:
    if incoming:
        held = [holder.get("edge") or {} for holder in answer.get("holders") or []]
        return [(edge, str(edge.get("from"))) for edge in held]
    return [(edge, str(edge.get("to"))) for edge in answer.get("edges") or []
            if str(edge.get("from")) == address]
