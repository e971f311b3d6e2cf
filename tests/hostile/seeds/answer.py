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
    return {"query": "suspects", "status": "incomplete", "suspects": [
        {"fingerprint": "f", "class": "A", "reason": "r", "count": 1, "retained": 2, "path": path}]}


def held():
    names = [hex(0x1000 * i) for i in range(1, 40)]
    links = [edge(one, other, "ivar", "_n") for one, other in zip(names, names[1:] + names[:1])]
    whole = {**ring(*links), "edges_left_out": 9}
    return {"query": "cycles", "status": "ok", "objects": {}, "knots": [
        knot([whole, whole], "held", held_by=links[:2], fixes=[fix(links[3], everywhere="knot")])],
        "not_followed": [{"reason": "x", "count": 1, "example": "0x1"}], "hidden": [{"edges": 3}]}


ANSWERS = [self_in_block(), leaks(), retained(), suspects(), held(), path_answer(PATHS[1][1]),
           ring_answer(RINGS[0][1]), {"query": "path", "status": "error", "error": {"message": "no"}}]
for answer in ANSWERS:
    print(json.dumps(answer).replace("\\", "\\\\"))
    print(json.dumps(answer)[:-40].replace("\\", "\\\\"))
print("[" * 100)
print('{"query":"cycles","knots":[{"rings":[{"edges":[{}]}],"fixes":[{"edge":{}}]}]}')
