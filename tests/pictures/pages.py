"""Pages for the tests in a browser: answers and heaps drawn by the test, some of them hostile."""
import pathlib
import subprocess
import sys
from typing import Any, Dict, List

import tool
from answers import cycles, edge, fix, knot, ring, self_in_block, thing

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "heap_dumps"), str(TESTS / "support")]

from drawn_dump import INT, OBJECT, Dump  # noqa: E402
from share import is_whole  # noqa: E402

Json = Dict[str, Any]

HOSTILE = [
    "</script><script>window.owned = 1; alert(1)</script>",
    "<!--<script>", "]]>", "<img src=x onerror=alert(1)>", "'\"><svg onload=alert(1)>",
    "a\u202egnp.exe\u2066\u200b\ufeff\u2028\u2029", "\x00\x1b[2J\x07\r\n", "\ud800", "&lt;b&gt;&#60;",
    "${alert(1)}`'\"\\", "javascript:alert(1)", "__proto__", "constructor", "W" * 300,
    "\U000e0041\U0001f600 \u00e9\u4e2d\u05d0\u0627", "X" * (10_000_000 if is_whole() else 1_000_000),
]


def held_ring() -> Json:
    """A timer's ring that a run loop holds, beside a leaked one of two objects."""
    answer = self_in_block()
    there = edge("0x3f00", "0x4f00", "ivar", "_timer")
    back = edge("0x4f00", "0x3f00", "target", "target")
    answer["objects"].update({"0x3f00": thing("Clock"), "0x4f00": thing("__NSCFTimer"),
                              "0x5f00": thing("RunLoop")})
    answer["knots"].append({**knot([ring(there, back)], "held", seed=False, held_by=[
        edge("0x5f00", "0x4f00", "ivar", "_timers")], counts={"outside": 1},
        fixes=[fix(back, frees=True)]), "fingerprint": "cafe"})
    return answer


DIFF = ["--- a/Clock.m", "+++ b/Clock.m", "@@ -1 +1 @@", "-\t<b>old</b>", "+\t<b>new</b>"]


def patched_ring() -> Json:
    """With the patch of its fix, as `loupe fix` has it."""
    answer = held_ring()
    answer["knots"][1]["fixes"][0].update({"diff": "\n".join(DIFF) + "\n", "compiler": "Compiled."})
    return answer


def long_ring(count: int) -> Json:
    """A list that ends where it begins, of so many nodes, with an odd one in it."""
    names = [hex(0x10000 + 16 * i) for i in range(count)]
    links = [edge(one, other, "ivar", "_next")
             for one, other in zip(names, names[1:] + names[:1])]
    links[count // 2]["path"] = "_odd"
    return {**cycles({name: thing("Node") for name in names},
                     [knot([ring(*links)], seed=False, fixes=[fix(links[count // 2])])]),
            "seed": names[0]}


def hostile_answer() -> Json:
    """Every odd text wherever a text of the target can be."""
    knots: List[Json] = []
    objects: Json = {}
    for number, text in enumerate(HOSTILE):
        one, two = hex(0x1000 * (2 * number + 1)), hex(0x1000 * (2 * number + 2))
        there, back = edge(one, two, "ivar", text), edge(two, one, "capture", text, 32)
        objects[one] = {**thing(text), "value": text}
        objects[two] = {"class": text, "kind": "block", "size": 40, "retain_count": 1,
                        "invoke": {"file": "/tmp/" + text, "line": 3, "function": text,
                                   "symbol": text}}
        knots.append({**knot([ring(there, back)], seed=False,
                             fixes=[{**fix(back), "text": text, "diff": f"--- {text}\n+{text}\n", "compiler": text}]),
                      "fingerprint": f"{number:x}{text[:2000]}", "verdict_reason": text})
    return cycles(objects, knots, not_followed=[{"reason": text[:3000], "count": 1, "example": text[:3000],
                                                 "code": "x"} for text in HOSTILE])


def heap(path: pathlib.Path, names: List[str], count: int = 3000) -> pathlib.Path:
    """A cache that keeps most of a heap, and some other classes with the names."""
    dump = Dump()
    node = dump.add_class("demo/Node", fields=[("next", OBJECT), ("number", INT)], size=32)
    cache = dump.add_class("demo/ImageCache", fields=[("entries", OBJECT)], size=24)
    nodes = dump.add_class("[Ldemo/Node;")
    ends = [dump.instance(node, 0x100000 + 32 * i, [0x100000 + 32 * (i + 1) if i % 10 != 9 else 0, i])
            for i in range(count)]
    array = dump.array(nodes, 0x50000, ends[::10])
    dump.root(dump.instance(cache, 0x40000, [array]), 0x01, 0x1)
    ring_of = dump.add_class("demo/Pair", fields=[("other", OBJECT)], size=16)
    dump.instance(ring_of, 0x60000, [0x60010])
    dump.instance(ring_of, 0x60010, [0x60000])
    dump.root(0x60000)
    for number, name in enumerate(names):
        odd = dump.add_class(name, size=16)
        dump.root(dump.instance(odd, 0x200000 + 16 * number, []))
    path.write_bytes(dump.header() + dump.outside + dump.body())
    return path


def heap_page(folder: pathlib.Path, name: str, names: List[str], count: int = 3000) -> pathlib.Path:
    dump, page = heap(folder / f"{name}.hprof", names, count), folder / f"{name}.html"
    done = tool.run("snapshot", str(dump), str(page))
    assert done.returncode == 0, done
    return page


def answer_page(folder: pathlib.Path, name: str, answer: Json, *options: str) -> pathlib.Path:
    page = folder / f"{name}.html"
    page.write_text(tool.drawn(answer, "html", *options), encoding="utf-8")
    return page
