"""What an object holds, or who holds it, as a tree of many answers. Imports no lldb."""
from __future__ import annotations

from typing import Callable, List, Set, Tuple

from ..protocol import Answer, Edge

Ask = Callable[[str], Answer]
_MOST_NODES = 199


def tree(root: str, ask: Ask, incoming: bool, depth: int) -> Answer:
    """So many references deep, for answers/reports/tree.c: `nodes` in their order, each with its `depth`
    from 0, its `edge`, whether it is the `last` one of its object, and whether what it leads to was shown
    before (`again`) and is not opened; `left`: how many there was no room for. Of who holds it also the
    `verdict` on the object, and pointers in memory without a class, which is not opened."""
    answer: Answer = {"loupe": 1, "query": "tree", "object": root, "incoming": incoming, "objects": {}, "nodes": [],
                    "left": 0}
    _branch(root, ask, answer, 0, depth, {root})
    return answer


def _branch(address: str, ask: Ask, tree_so_far: Answer, depth: int, most: int, seen: Set[str]) -> None:
    """Adds what is below an object."""
    answer, nodes = ask(address), tree_so_far["nodes"]
    if tree_so_far["incoming"] and not depth:
        tree_so_far["verdict"] = answer.get("verdict") or {}
    tree_so_far["objects"].update(answer.get("objects") or {})
    edges = _edges(answer, address, tree_so_far["incoming"])
    closed = {str((item.get("edge") or {}).get("from")) for item in answer.get("memory") or []}
    for number, (edge, other) in enumerate(edges):
        if len(nodes) >= _MOST_NODES:
            tree_so_far["left"] += len(edges) - number
            return
        is_new = other not in seen
        nodes.append({"depth": depth, "edge": edge, "last": number + 1 == len(edges), "again": not is_new})
        if is_new and other not in closed and depth + 1 < most:
            seen.add(other)
            _branch(other, ask, tree_so_far, depth + 1, most, seen)


def _edges(answer: Answer, address: str, incoming: bool) -> List[Tuple[Edge, str]]:
    if incoming:
        found = [*(answer.get("holders") or []), *(answer.get("memory") or [])]
        held = [holder.get("edge") or {} for holder in found]
        return [(edge, str(edge.get("from"))) for edge in held]
    return [(edge, str(edge.get("to"))) for edge in answer.get("edges") or []
            if str(edge.get("from")) == address]
