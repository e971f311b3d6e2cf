"""Answers of a copy of a watched process, whole and damaged, for fuzz_watch_words.c."""
import json
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(TESTS / "lldb" / "unit")]

from answers import cycles, edge, envelope, fix, knot, ring, self_in_block, thing  # noqa: E402

KINDS = ("ivar", "capture", "byref", "association", "element", "value", "key", "target", "user-info",
         "block", "of another kind")


def of_kind(kind):
    one, other = edge("0x1f00", "0x2f00", "ivar", "_next"), edge("0x2f00", "0x1f00", kind, "a[1].b")
    objects = {"0x1f00": thing("Screen"), "0x2f00": thing("NSKVONotifying_\u202eTimer\x1b[2J")}
    fixes = [fix(other, "ring", True, kept_by="0x1f00"), fix(one), fix(other, everywhere="knot")]
    return cycles(objects, [knot([ring(one, other)], "held", seed=True, fixes=fixes,
                                 counts={"outside": 1, "unexplained": 2}, held_by=[one] * 5)])


def long_ring():
    names = [hex(0x1000 * i) for i in range(1, 40)]
    links = [edge(one, other, "ivar", None) for one, other in zip(names, names[1:] + names[:1])]
    return cycles({name: thing("Link") for name in names},
                  [knot([{**ring(*links), "edges_left_out": 9}], certain=False)])


def incoming():
    step = edge("0x2f00", "0x1f00", "element", "[3]")
    root = {"kind": "data", "slot": "0x4040", "image": "/usr/lib/libfoo.so", "to": "0x2f00"}
    return envelope("incoming-refs", object="0x1f00", objects={"0x1f00": thing("A"), "0x2f00": thing("B")},
                    holders=[{"edge": step, "root": root, "way": [step]}, {"edge": step}], holders_found=9,
                    roots=[root] * 5, verdict={"kind": "held", "reason": "1 reference"})


def line(answer, *more):
    text = "\n".join(json.dumps(one, separators=(",", ":")) for one in (answer, *more))
    return text.replace("\\", "\\\\").replace("\n", "\\x0a")


for answer in [self_in_block(), long_ring(), *map(of_kind, KINDS)]:
    print(line(answer))
    print(line(answer)[:-60])
print(line(cycles({}, []), incoming()))
print(line(cycles({}, [], status="incomplete"), incoming())[:-100])
print(line(envelope("retain-cycles", status="error", error={"message": "no", "detail": "freed"})))
print('{"knots":' + "[" * 200)
print('{"objects":{"\\\\u00')
