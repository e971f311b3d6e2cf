"""Whole reports of block-layout, ivar-layout and strong-refs, from hand-written answers."""
import unittest

from answers import block, edge, envelope, thing
from reports import report
from lldb_commands.render.style import Style


def capture(offset, size, kind, name=None, type_name=None, value=None, evidence=(), **rest):
    return {"offset": offset, "size": size, "name": name, "type": type_name, "kind": kind,
            "value": value, "class": None, "evidence": list(evidence), "byref": None, **rest}


def block_answer(captures, size, **rest):
    heap = {"address": "0x2f00", "storage": "heap", "isa": "0x7ff0", "descriptor": "0x9000",
            "reserved": 0, "flags": "0xc3000002",
            "flag_names": ["NEEDS_FREE", "HAS_COPY_DISPOSE"], "retain_count": 1, "size": size,
            "invoke": {"address": "0x1000", "symbol": "__16-[Cell load]_block_invoke",
                       "file": "/src/Cell.m", "line": 12, "function": "-[Cell load]"},
            "signature": "v16@?0i8", "prototype": "void (^)(int count)", "owns_captures": True}
    return envelope("block-layout", block={**heap, **rest.pop("block", {})},
                    layout=rest.pop("layout", {"encoding": "0x110", "ops": [
                        {"op": "strong", "count": 1}, {"op": "byref", "count": 1}]}),
                    captures=captures, conflicts=rest.pop("conflicts", []),
                    symbol={"name": "__copy_helper_block_e8_32s40r48w", "used": True}, **rest)


class BlockLayoutReport(unittest.TestCase):
    maxDiff = None

    def check(self, answer, expected, **options):
        self.assertEqual(expected.strip("\n"), report(answer, Style(), **options))

    def test_every_kind_of_capture(self):
        inner = capture(24, 4, "data", "count", "int", "0x7", ["debug-info"], shown="7")
        captures = [
            capture(32, 8, "strong", "self", "Cell *", "0x1f00", ["symbol", "layout"],
                    **{"class": "Cell"}),
            capture(40, 8, "byref", "count", "__block int", "0x3f00", ["symbol", "layout"],
                    byref={"address": "0x3f00", "flags": "0x20000000", "kind": "data",
                           "variable": inner}),
            capture(48, 8, "weak", "owner", "Owner *", "0x0", ["symbol"]),
            capture(56, 4, "data", "n", "int", "0x2a", ["debug-info"]),
        ]
        self.check(block_answer(captures, 60), """
Block 0x2f00 on the heap, 60 bytes, 1 reference to it
void (^)(int count) at Cell.m:12 in -[Cell load]

  offset   size  name        type         holds   value        evidence
  +0       8     isa         class                0x7ff0
  +8       4     flags       int                  0xc3000002
  +12      4     reserved    int                  0
  +16      8     invoke      code                 0x1000
  +24      8     descriptor  data                 0x9000
  +32      8     self        Cell *       strong  0x1f00 Cell  symbol, layout
  +40      8     count       __block int  byref   0x3f00       symbol, layout
    └ +24  4     count       int          data    7            debug-info
  +48      8     owner       Owner *      weak    nil          symbol
  +56      4     n           int          data    0x2a         debug-info
  60 bytes, all described
Flags: NEEDS_FREE HAS_COPY_DISPOSE
Layout 0x110: 1 strong, 1 byref
Symbol: __copy_helper_block_e8_32s40r48w
""")

    def test_undescribed_bytes_and_conflicts_are_flagged(self):
        captures = [capture(32, 8, "strong", "this", None, "0x1f00", ["layout"])]
        conflicts = [{"offset": 32, "kept": "data", "discarded": "strong",
                      "kept_by": "debug-info", "discarded_by": "layout"}]
        text = report(block_answer(captures, 56, conflicts=conflicts), Style())
        self.assertIn("  Not described: bytes +40 to +56\n", text)
        self.assertIn("Conflict at +32: debug-info says data, layout says strong; taken as data",
                      text)

    def test_stack_block_owns_nothing(self):
        answer = block_answer([capture(32, 8, "strong", "x", "id", "0x1f00", ["layout"])], 40,
                              block={"storage": "stack", "owns_captures": False})
        text = report(answer, Style())
        self.assertIn("Block 0x2f00 on the stack, 40 bytes\n", text)
        self.assertIn("It is on the stack: the function that made it owns what it captured", text)

    def test_global_block_without_captures_or_layout(self):
        answer = block_answer([], 32, block={"storage": "global", "owns_captures": False},
                              layout={"encoding": None, "ops": []})
        text = report(answer, Style())
        self.assertIn("Block 0x2f00 global, 32 bytes\n", text)
        self.assertIn("  32 bytes, all described\nFlags: NEEDS_FREE HAS_COPY_DISPOSE\n"
                      "Layout: the block carries none", text)

    def test_header_of_a_32_bit_block(self):
        answer = block_answer([], 20)
        answer["pointer_size"] = 4
        text = report(answer, Style())
        self.assertRegex(text, r"\+16 +4 +descriptor")
        self.assertIn("20 bytes, all described", text)


class IvarLayoutReport(unittest.TestCase):
    maxDiff = None

    def test_hierarchy_most_derived_first(self):
        def ivar(name, offset, ownership, type_name, value=None, fields=None, size=8):
            return {"name": name, "offset": offset, "size": size, "type": type_name,
                    "ownership": ownership, "value": value, "fields": fields}
        fields = [{"path": "_box.item", "offset": 24, "size": 8, "type": "id",
                   "ownership": "strong", "value": "0x3f00", "class": "Item"},
                  {"path": "_box.n", "offset": 32, "size": 4, "type": "int",
                   "ownership": "none", "value": None}]
        answer = envelope("ivar-layout", **{"class": {
            "name": "Cell", "address": "0x9000", "superclass": "NSObject", "instance_size": 40,
            "arc": True}}, levels=[
                {"class": "Cell", "instance_start": 8, "instance_size": 40,
                 "strong_layout": "01 11", "weak_layout": "11",
                 "ivars": [ivar("_view", 8, "strong", 'View *', "0x2f00"),
                           ivar("_delegate", 16, "weak", "id", "0x0"),
                           ivar("_box", 24, "none", "struct Box", None, fields, 16)]},
                {"class": "NSObject", "instance_start": 0, "instance_size": 8,
                 "strong_layout": None, "weak_layout": None,
                 "ivars": [ivar("isa", 0, "none", "Class")]}],
            not_followed=[])
        self.assertEqual("""
Cell : NSObject, 40 bytes, ARC

Cell, bytes 8 to 40
  strong layout 01 11: words 0 and 2
  weak layout 11: word 1
  offset   size  name       type        ownership  value
  +8       8     _view      View *      strong     0x2f00
  +16      8     _delegate  id          weak       nil
  +24      16    _box       struct Box  none
    └ +24  8     _box.item  id          strong     0x3f00 Item
    └ +32  4     _box.n     int         none

NSObject, bytes 0 to 8
  offset  size  name  type   ownership
  +0      8     isa   Class  none
""".strip("\n"), report(answer, Style()))

    def test_layout_strings_in_words(self):
        for encoding, expected in (("01", "word 0"), ("01 11", "words 0 and 2"),
                                   ("21 11", "words 2 and 4"), ("03 11", "words 0 to 2 and 4"),
                                   ("0f 05", "words 0 to 19"),
                                   ("f0 f0 a1", "word 40"), ("f0", "no words"),
                                   ("zz", "not readable")):
            with self.subTest(encoding):
                level = {"class": "Cell", "instance_start": 8, "instance_size": 400,
                         "strong_layout": encoding, "ivars": []}
                text = report(envelope("ivar-layout", **{"class": {"name": "Cell"}}, levels=[level]))
                self.assertEqual(f"  strong layout {encoding}: {expected}", text.split("\n")[3])


class StrongRefsReport(unittest.TestCase):
    def answer(self, edges):
        return envelope("strong-refs", object="0x1f00", edges=edges, objects={
            "0x1f00": thing("Cell"), "0x2f00": block(12, "-[Cell load]", "/src/Cell.m"),
            "0x3f00": thing("View")}, not_followed=[
                {"reason": "unreadable memory", "count": 1, "example": "0x10"}])

    def test_each_reference_has_a_line(self):
        text = report(self.answer([edge("0x1f00", "0x2f00", "ivar", "_handler"),
                                        edge("0x1f00", "0x3f00", "ivar", "_view", 16),
                                        edge("0x1f00", "0x3f00", "association", "kViewKey", 0)]),
                           Style(), "self")
        self.assertEqual("""
self (Cell 0x1f00) holds 2 objects strongly, by 3 references
  _handler  ivar        → block 0x2f00 at Cell.m:12 in -[Cell load]
  _view     ivar        → View 0x3f00
  kViewKey  associated  → View 0x3f00
Not followed: unreadable memory (1, such as 0x10)
""".strip("\n"), text)

    def test_nothing_held(self):
        self.assertEqual("Cell 0x1f00 holds nothing strongly\n"
                         "Not followed: unreadable memory (1, such as 0x10)",
                         report(self.answer([]), Style()))


if __name__ == "__main__":
    unittest.main()
