"""Answers of every question that is drawn, whole and damaged, for fuzz_answer.c: one line each."""
import json
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(TESTS / "pictures"), str(TESTS / "lldb" / "unit")]

from answers import edge, fix, knot, ring, self_in_block  # noqa: E402
from drawn_rings import PATHS, RINGS, path_answer, ring_answer  # noqa: E402


def leaks():
    answer = self_in_block()
    [one] = answer.pop("knots")
    leak = {"kind": "cycle", "fingerprint": "f", "count": 2, "class": "A", "head": "0x1f00",
            "objects": 2, "bytes": 80, "ring": one["rings"][0], "knot": one}
    return {**answer, "query": "leaks", "leaks": [leak, {**leak, "knot": None},
                                                  {**leak, "kind": "leak", "knot": None, "ring": None}]}


def retained():
    row = {"address": "0x10", "class": "A", "size": 1, "retained": 2, "retained_objects": 3}
    return {"query": "retained", "status": "ok", "object": row, "dominators": [row],
            "dominated": [row, row], "classes": [{"class": "A", "count": 1, "size": 2}]}


def suspects():
    path = path_answer(PATHS[0][1])["paths"][0]
    held = {"kind": "rule", "fingerprint": "f", "class": "A", "reason": "r", "count": 7, "retained": 2, "mistake": "m",
            "addresses": [hex(0x1000 * i) for i in range(7)], "path": {**path, "level": "stack"}}
    share = {"kind": "share", "fingerprint": "g", "class": "A", "count": 3, "owners": 1, "kept": {"class": "B", "count": 9},
             "retained": 2, "share": 80, "culprit": "A.b", "path": path}
    own = {**self_in_block(), "rule": {"file": "x.rules", "line": 3}, "reason": "r", "count": 2, "addresses": ["0x10", "0x20"],
           "object": {"address": "0x10", "class": "A", "size": 1}, "holder": None}
    lost = {**own, "knots": [], "holder": {**edge("0x20", "0x10", "ivar", "_n"), "object": {"address": "0x20", "class": "B"}}}
    return {"query": "suspects", "status": "incomplete", "snapshot": {"source": "objc"}, "found": 7, "groups": 3, "rules": 4,
            "percent": 10, "alive": 5, "hidden_owners": 1, "hidden_by_baseline": 2, "held_by_suspects": 1,
            "suspects": [{**held, **self_in_block(), "kind": "rule"}, share, {**share, "owners": 5, "kept": None}],
            "leaked_found": 9, "leaked_groups": 4, "leaked_not_searched": 1, "leaked": [own, lost]}


def growth():
    row = {"class": "A", "new": 3, "gone": 1, "still": 2, "size_delta": -24, "steps": [1, -2, 3], "reused": 1, "maybe_reused": 7,
           "mistake": "m"}
    return {"query": "diff", "status": "ok", "snapshot": {"source": "objc"}, "changed": 9, "classes": [row, {**row, "new": 1}],
            "total": row, "same_process": True, "reused": 1, "maybe_reused": 7, "reused_by_class": [row] * 7,
            "more_leaks": [{"fingerprint": "f", "class": "A", "kind": "leak", "before": 1, "now": 4, "bytes": 5}] * 12,
            "more_knots": [{"fingerprint": "g", "class": "B", "kind": "cycle", "before": 4, "now": 1}]}


def compared():
    finding = {"fingerprint": "f", "kind": "leak", "class": "A", "culprit": None, "path": "p", "advice": "a", "heaps_base": 1,
               "heaps_new": 2, "bytes_base": 3, "bytes_new": 4, "confidence": "high"}
    return {"query": "compare", "status": "ok", "heaps_base": 9, "heaps_new": 9, "few": False, "unreadable_new": 1,
            "new": [finding], "grown": [{**finding, "culprit": "A.b"}], "gone": []}


def held():
    names = [hex(0x1000 * i) for i in range(1, 40)]
    links = [edge(one, other, "ivar", "_n") for one, other in zip(names, names[1:] + names[:1])]
    whole = {**ring(*links), "edges_left_out": 9}
    return {"query": "cycles", "status": "ok", "objects": {}, "knots": [
        knot([whole, whole], "held", held_by=links[:2], fixes=[fix(links[3], everywhere="knot")])],
        "not_followed": [{"reason": "x", "count": 1, "example": "0x1"}], "hidden": [{"edges": 3}]}


ANSWERS = [self_in_block(), leaks(), retained(), suspects(), growth(), compared(), held(), path_answer(PATHS[1][1]),
           ring_answer(RINGS[0][1]), {"query": "path", "status": "error", "error": {"message": "no"}}]
for answer in ANSWERS:
    print(json.dumps(answer).replace("\\", "\\\\"))
    print(json.dumps(answer)[:-40].replace("\\", "\\\\"))
print("[" * 100)
print('{"query":"cycles","knots":[{"rings":[{"edges":[{}]}],"fixes":[{"edge":{}}]}]}')
