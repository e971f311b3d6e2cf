"""Answers of every question that has a report, whole and damaged, for fuzz_report.c: one line each."""
import json
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(TESTS / "pictures"), str(TESTS / "lldb" / "unit")]

from answers import self_in_block  # noqa: E402
from drawn_rings import PATHS, RINGS, path_answer, ring_answer  # noqa: E402

A, B = "0x1f00", "0x2f00"
JAVA, NATIVE = {"source": "hprof"}, {"source": "objc", "paused_ms": 20}
OBJECT = {"address": A, "class": "java.util.List", "size": 24, "value": "\"a\nb\"", "heap": "app",
          "retained": 1234}
BLOCK = {"address": B, "class": "block __f_block_invoke", "kind": "block", "size": 48, "allocated": 1,
         "invoke": {"file": "/a/M.m", "line": 3, "function": "f"}, "retain_count": 2, "reachable": True}
RAW = {"address": "0x3f00", "class": "(raw memory)", "kind": "raw", "size": 2048}
LINK = {"from": A, "to": B, "kind": "element", "path": "[1234]", "declared_by": "A", "ownership": "weak",
        "reference": "capture", "offset": 32, "suspect": True, "reason": "r", "rule": {"file": "f", "line": 2}}
NOTES = [{"reason": "r", "count": 3, "example": A, "lost": True}, {"reason": "k", "count": 1, "example": "0x0",
                                                                   "code": "kernel", "lost": False}]
STACKS = {"recorded": {"state": "bypassed", "blocks_left_out": 3, "stacks_left_out": 1},
          "stacks": {"1": {"frames": [{"address": A, "symbol": "main", "file": "m.c", "line": 4, "foreign": False}], "whole": True}}}


def answer(query, source, **fields):
    return {"loupe": 1, "query": query, "status": "ok", "snapshot": source, "not_followed": NOTES, **fields}


def path():
    java = {"kind": "local variable", "to": A, "thread": "main", "reason": "why",
            "frame": {"class": "Main", "method": "run", "source": "M.java", "line": 3}}
    one = {"root": java, "level": "late", "length": 4, "fingerprint": "f", "first_suspect": 1, "alike": 3,
           "objects": [{**OBJECT, "expected": "alive", "reason": "r"}, *[OBJECT] * 3, {**BLOCK, "expected": "leaking",
                                                                                      "rule": {"file": "x", "line": 1}}],
           "edges": [LINK, *[{**LINK, "kind": "field", "suspect": False}] * 3]}
    return {"found": 2, "unreachable": 1, "objects": 9, "ways": 5, "compared": 4, "paths": [one, {**one, "length": 0}], **STACKS}


def show(of):
    field = {"name": "n", "declared_by": "A", "static": True, "type": "char", "value": "x", "ownership": "weak",
             "declared": {"file": "A.m", "line": 4}}
    inner = {**OBJECT, "fields": [field, {**field, "known": False}]}
    return {"object": {**of, "kept_by": RAW, "immortal": True}, "collection": "map", "collection_count": 3, "capacity": 16,
            "fields": [field, {**field, "type": "object", "object": inner}, {**field, "object": {"address": B}}],
            "items": [{"type": "object", "index": 0, "object": None}, {"key": field, **field}, {"name": "[\"k\"]", **field}],
            "item_count": 9, "outgoing": [{**LINK, "object": BLOCK}], "outgoing_left_out": 2, "incoming_count": 1,
            "incoming": [{"class": "C", "count": 1, "example": {**LINK, "object": OBJECT}}], "incoming_left_out": 1,
            "roots": [{"kind": "register", "register": "rbx", "thread_id": 7, "slot": None}] * 10, **STACKS}


def threads():
    local = {"kind": "local variable", "object": OBJECT}
    frame = {"class": "Main", "method": "run", "source": None, "line": None, "locals": [local] * 10}
    one = {"name": "main", "serial": 1, "object": OBJECT, "retained": 2, "out_of_memory": True, "frames": [frame], "locals": []}
    return {"found": 3, "threads": [one, {**one, "name": None, "frames": []}]}


def retained():
    row = {**OBJECT, "retained_objects": 3}
    part = {**RAW, "retained": 9, "retained_objects": 1}
    below = [row, {**part, "part_of": {"object": BLOCK, "edge": LINK}}, {**part, "part_of": {"root": {"kind": "global", "name": "g"}}}]
    return {"found": 9, "reached": 4, "classes_found": 3, "dominators": below, "dominated": below,
            "classes": [{"class": "A", "count": 1, "size": 2}]}


def find():
    dangling = {"class": "(raw memory)", "path": "_p", "was": None, "why": "w", "count": 2, "from": A, "to": B, "object": RAW,
                "declared": {"file": "a.m", "line": 1}}
    return {"found": 7, "objects": [{**OBJECT, "allocated": 1}, BLOCK, {**RAW, "immortal": True}], "dangling_found": 22,
            "dangling": [dangling] * 12, **STACKS}


def heap(by):
    row = {"class": "A", "group": None, "count": 1234, "size": 5, "retained": 6, "unreachable": 2, "loader": A,
           "namesakes": True, "loader_class": "L"}
    return {"by": by, "classes": [row], "groups": [row, {**row, "group": "g"}], "found": 9, "format": "f", "class_count": 1,
            "thread_count": 2, "heaps": [{"name": None, "count": 1, "size": 2}]}


def collected():
    link = {**LINK, "kind": "field", "to": A}
    ring = {"length": 30, "edges": [link] * 12}
    return {"found": 3, "distinct": 2, "objects": {A: OBJECT}, "knots": [
        {"count": 2, "objects": 40, "edges": 41, "size": 9, "verdict": None, "fingerprint": "f", "rings": [ring]}]}


def cycles():
    one = self_in_block()
    knot = {**one["knots"][0], "count": 3, "leaked": 1, "mistake": "m"}
    return {"objects": one["objects"], "knots": [knot], "seed": A, "memory_circles": 2, "hidden_by_baseline": 1,
            "counts": {"cycles": 4, "possible": 1, "leaked": 2, "held": 1, "entries": 1, "not_searched": 1},
            "written_baseline": {"file": "b", "fingerprints": 2}}


SUM = {"objects": 5, "others": 2, "bytes": 1234}
COUNTS = {"leaks": 9, "cycles": 2, "distinct": 5, "timers": 1, "entries": 6, "not_searched": 2}


def leak(degree, **fields):
    return {"kind": "leak", "degree": degree, "fingerprint": "f", "count": 1, "class": "A", "head": A, "object": OBJECT, **SUM,
            "keeps": [{"class": "A", "count": 1}, {"class": None, "count": 3}], "knot": None, **fields}


def leaks():
    step = {"from": A, "to": B, "kind": "word", "path": "+0x10", "holder": RAW}
    ring = {"length": 60, "edges": [step] * 4}
    return {"counts": COUNTS, "lost": SUM, "unowned": SUM, "timer": SUM, "shared": SUM, "not_shown": SUM, "on_stacks_only": SUM,
            "known": {"leaks": 2, **SUM, "by": [{"library": "l", "class": "c", "versions": "v", "proof": "p", "count": 2, **SUM}] * 2},
            "shared_classes": [{"class": "A", "count": 1}], "hidden_by_class": 1, "hidden": [{"edges": 2}],
            "lost_classes_found": 3, "lost_classes": [{"class": "block f", "count": 1, "size": 2}],
            "miscounted": [{"class": "A", "verdict": "v", "verdict_reason": "r", "count": 2, "example": A, "lost": False}],
            "leaks": [leak("lost", missing_releases=2, count=7, values=["\"v\"", None], examples=[A, B], only_by_leaks=True,
                           unowned={"count": 1}, guessed=True, object=BLOCK),
                      leak("unowned", kind="cycle", ring=ring, pointed_to=True)]}


def leaks_in_rings():
    one = self_in_block()
    return {"objects": one["objects"], "counts": {**COUNTS, "entries": 1}, "hidden_by_baseline": 2, **STACKS,
            "leaks": [leak("timer", kind="cycle", knot=one["knots"][0], mistake="m", equal_is_shown=True)],
            "by_stack": [{"allocated": 1, "count": 2, **SUM}]}


ANSWERS = [self_in_block(), path_answer(PATHS[1][1]), ring_answer(RINGS[0][1]),
           answer("path", JAVA, **path()), answer("path", NATIVE, **path()), answer("show", JAVA, **show(OBJECT)),
           answer("show", NATIVE, **show(BLOCK)), answer("threads", JAVA, **threads()),
           answer("retained", NATIVE, **retained()), answer("retained", JAVA, object={**OBJECT, "reachable": True}, **retained()),
           answer("find", NATIVE, **find()), answer("find", JAVA, found=0, objects=[], known_class="A"),
           answer("find", JAVA, found=0, objects=[], near_class="A"), answer("heap", JAVA, **heap("loader")),
           answer("heap", NATIVE, **heap(None)), answer("cycles", JAVA, **collected()), answer("cycles", NATIVE, **cycles()),
           answer("leaks", NATIVE, **leaks()), answer("leaks", NATIVE, **leaks_in_rings()),
           answer("leaks", NATIVE, counts={**COUNTS, "leaks": 0}), {**answer("find", JAVA), "not_followed": [{"reason": "e", "code": "ended", "count": 1, "lost": True}]}]
for one in ANSWERS:
    line = json.dumps(one, separators=(",", ":"))
    assert len(line) <= 4096, len(line)  # what replay.c reads
    print(line)
    print(line[:-40])
for query in ("retain-cycles", "cycles", "strong-refs", "incoming-refs", "ivar-layout", "block-layout", "allocated", "history",
              "tree", "backtraces"):
    print(json.dumps({"query": query, "object": A, "objects": {A: OBJECT, B: BLOCK}, "edges": [LINK], "captures": [LINK],
                      "levels": [{"class": "A", "ivars": [LINK]}], "incoming": [{"edge": LINK}], "roots": [{"kind": "stack"}],
                      "events": [{"kind": "retain", "stack": 1}], "threads": [{"number": 0, "frames": [BLOCK] * 9}], **STACKS}))
