"""Whole reports of strong-refs --incoming, from hand-written answers."""
import unittest

from answers import block, edge, envelope, thing
from reports import report
from lldb_commands.render.style import Style


def root(kind="data", slot="0x7000", to="0x9f00", name="shared", where="static in App.m"):
    return {"kind": kind, "number": 0, "slot": slot, "to": to, "name": name, "where": where}


def holder(held, start=None, way=(), length=None, **rest):
    return {"edge": held, "root": start, "way_length": len(way) if length is None else length,
            "way": list(way), **rest}


def counts(retains=1, found=1, immortal=False, assumed=0, **words):
    known = retains is not None
    return {"retains": retains, "immortal": immortal, "found": found, "assumed": assumed,
            "unexplained": max(retains - found, 0) if known else None,
            "excess": max(found - retains, 0) if known else 0,
            "words": {"given": 0, "data": 0, "stack": 0, "register": 0, **words}}


def answer(holders, objects=None, roots=(), found=None, **rest):
    everything = {"0x1f00": thing("View"), "0x2f00": thing("Window"),
                  "0x9f00": thing("AppDelegate"), **(objects or {})}
    return envelope("incoming-refs", object="0x1f00", objects=everything, holders=holders,
                    holders_found=len(holders) if found is None else found, roots=list(roots),
                    **{"counts": counts(), "not_followed": [], "not_walked": [],
                       "stats": {"objects": 40, "edges": 61, "ms": 3}, **rest})


class IncomingReport(unittest.TestCase):
    maxDiff = None

    def check(self, given, expected, **options):
        self.assertEqual(expected.strip("\n"), report(given, Style(), **options))

    def test_a_way_from_a_static_variable(self):
        way = [edge("0x9f00", "0x2f00", "ivar", "_window")]
        self.check(answer([holder(edge("0x2f00", "0x1f00", "ivar", "_root"), root(), way)]), """
view (View 0x1f00) is held
Held by 1 reference

  _root  ivar  of Window 0x2f00
    from shared (static in App.m) → AppDelegate 0x9f00
      _window → Window 0x2f00

Retain count 1: all from the 1 reference above
searched 40 objects, 61 references in 3 ms, from LLDB
""", asked="view")

    def test_memory_has_the_name_of_what_it_is_part_of(self):
        memory = {"class": "(raw memory)", "kind": "raw", "size": 48, "retain_count": None, "part_of": {
            "object": {"address": "0x8f00", "class": "Frame", "size": 32},
            "edge": {"from": "0x8f00", "to": "0x7f00", "kind": "unknown", "path": "_bytes"}}}
        self.check(answer([], {"0x7f00": memory}, memory=[holder(edge("0x7f00", "0x1f00", "word", "+8", 8), None, [])],
                          memory_found=1, extent="heap", counts=counts(1, 0)), """
View 0x1f00: no verdict
No object holds it; 1 pointer in non-object memory may

  +8  pointer  of buffer of _bytes in Frame (48 bytes) 0x7f00
    reached by no root that was searched

Retain count 1: 1 retain unaccounted for
searched 40 objects, 61 references in 3 ms, from LLDB
""")

    def test_memory_of_c_is_told_with_its_path(self):
        memory = {"class": "(raw memory)", "kind": "raw", "size": 96, "retain_count": None}
        way = [edge("0x6f00", "0x7f00", "word", "+16", 16)]
        self.check(answer([], {"0x6f00": memory, "0x7f00": {**memory, "size": 48}},
                          memory=[holder(edge("0x7f00", "0x1f00", "word", "+8", 8),
                                         root(to="0x6f00", name="cache"), way)],
                          memory_found=3, extent="heap", counts=counts(1, 0),
                          keeps={"objects": 42, "bytes": 3200000}), """
View 0x1f00: no verdict
No object holds it; 3 pointers in non-object memory may

  +8  pointer  of non-object (48 bytes) 0x7f00
    from cache (static in App.m) → non-object (96 bytes) 0x6f00
      +16 → non-object (48 bytes) 0x7f00

and 2 more pointers in non-object memory

Retain count 1: 1 retain unaccounted for
It alone keeps 41 other allocations alive; 3.2 MB with its own
searched 40 objects, 61 references in 3 ms, from LLDB
""")

    def test_a_holder_that_is_lost_is_said_to_be(self):
        for told, expected in (
                ({"lost": True, "ring": None, "unexplained": 1},
                 "itself unreachable"),
                ({"lost": True, "ring": "certain", "unexplained": 0},
                 "kept alive only by View 0x1f00 itself: a retain cycle"),
                ({"lost": False, "ring": None, "unexplained": 0},
                 "owned by nothing that is alive")):
            held = [holder(edge("0x2f00", "0x1f00", "ivar", "_root"), **told)]
            self.assertIn(f"\n    {expected}\n",
                          report(answer(held, extent="heap"), Style()))

    def test_a_walk_says_what_it_does_not_meet(self):
        walked = {"extent": "walk", "extent_reason": "no allocator was recognised"}
        self.assertIn("\nNot searched: objects that no root reaches (no allocator was recognised)",
                      report(answer([], **walked), Style()))
        given = {**walked, "not_scanned": [{"what": "beyond-given"}]}
        self.assertNotIn("Not searched", report(answer([], **given), Style()))

    def test_a_holder_that_only_the_object_keeps_is_a_cycle(self):
        held = [holder(edge("0x3f00", "0x1f00", "capture", "self"), ring="certain"),
                holder(edge("0x1f00", "0x1f00", "ivar", "_me"), ring="certain")]
        self.check(answer(held, {"0x3f00": block(12, "-[View load]", "/src/View.m")},
                          counts=counts(2, 2)), """
View 0x1f00 is held
Held by 2 references

  self  captured  of block 0x3f00 at View.m:12 in -[View load]
    kept alive only by View 0x1f00 itself: a retain cycle

  _me  ivar  of View 0x1f00
    the object itself

Retain count 2: all from the 2 references above
searched 40 objects, 61 references in 3 ms, from LLDB
""")

    def test_a_holder_without_a_root(self):
        for given, expected in (
                ({"ring": None, "unexplained": 0}, "reached by no root that was searched"),
                ({"ring": None, "unexplained": 1},
                 "reached by no root that was searched; 1 of its 3 retains is unaccounted for, "
                 "so something else may hold it"),
                ({"ring": "possible", "unexplained": None},
                 "kept alive only by View 0x1f00 itself: a possible retain cycle"),
                ({"ring": "certain", "unexplained": 2},
                 "kept alive only by View 0x1f00 itself: a retain cycle; 2 of its 3 retains are "
                 "unaccounted for, so something else may hold it")):
            held = [holder(edge("0x2f00", "0x1f00", "ivar", "_root"), **given)]
            text = report(answer(held, {"0x2f00": {**thing("Window"), "retain_count": 3}}),
                                 Style())
            self.assertEqual("    " + expected, text.splitlines()[4])

    def test_what_is_known_not_to_own_it_stands_apart(self):
        known = [{"edge": edge("0x9f00", "0x1f00", "ivar", "_key", ownership="unretained"),
                  "reason": "an application does not retain its windows"}] * 11
        text = report(answer([], not_owned=known, not_owned_found=119, counts=counts(1, 0)),
                             Style())
        self.assertIn("No object holds it\n", text)
        self.assertIn("""
Non-owning, known:
  _key  ivar, unretained  of AppDelegate 0x9f00 and 10 more like it: an application does not retain its windows
""", text)
        self.assertIn("  and 108 more references\n", text)

    def test_a_static_variable_comes_before_what_owns_nothing(self):
        known = [{"edge": edge("0x9f00", "0x1f00", "ivar", "_hub"), "reason": "its -dealloc never touches it"}] * 15
        text = report(answer([], not_owned=known, not_owned_found=15, counts=counts(1, 0, data=1),
                                    roots=[root(to="0x1f00", name="hub", where="static in main.m")]), Style())
        self.assertIn("""
Also pointed to by globals, stacks, registers (may not own it):
  hub (static in main.m)
Non-owning, known:
  _hub  ivar  of AppDelegate 0x9f00 and 14 more like it: its -dealloc never touches it
""", text)

    def test_the_first_line_has_the_verdict(self):
        missing = "a release is missing: 1 of its 3 retains has no owner"
        for kind, reason, text in (("held", "why", " is held: why"), ("leaked", missing, f" is leaked, {missing}"),
                                   ("over-released", "why", " is over-released: why"),
                                   ("unknown", "why", ", unknown: why")):
            given = report(answer([], verdict={"kind": kind, "reason": reason}), Style())
            self.assertTrue(given.startswith(f"View 0x1f00{text}\nNo object holds it\n"), given)

    def test_what_was_freed_is_not_held(self):
        freed = {**thing("View"), "freed": {"certain": True, "why": "why", "class": None}}
        for holders, text in (([holder(edge("0x2f00", "0x1f00", "ivar", "_a"))], "1 reference to it remains"),
                              ([], "no reference from an object still points there")):
            given = report(answer(holders, {"0x1f00": freed, "0x3f00": {**freed, "class": "Other"}}), Style())
            self.assertTrue(given.startswith(f"View 0x1f00 was freed: why; {text}\n\n"), given)
            self.assertIn("\nOther 0x3f00 was freed: why\n", given)
            self.assertNotIn("Retain count", given)

    def test_references_that_share_a_retain(self):
        held = [holder(edge("0x2f00", "0x1f00", "ivar", name)) for name in ("_a->view", "_b->view")]
        text = report(answer(held, counts={**counts(1, 2), "shared": 1, "excess": 0}),
                             Style())
        self.assertIn("Retain count 1: all from the 2 references (1 of them by a pointer shared "
                      "with another) above", text)

    def test_nothing_but_words(self):
        roots = [root(to="0x1f00", name="last", where="global in main.m"),
                 {**root("stack", "0x7ff8", "0x1f00", None,
                         "stack of main, thread 1"), "may_be_stale": True},
                 root("register", None, "0x1f00", None, "register rdi of thread 1")]
        self.check(answer([], roots=roots, counts=counts(2, 0, data=1, stack=1, register=1),
                          not_walked=["autorelease pools", "thread-local variables"]), """
View 0x1f00: no verdict
No object holds it

Also pointed to by globals, stacks, registers (may not own it):
  last (global in main.m)
  stack of main, thread 1 (0x7ff8), possibly stale
  register rdi of thread 1
Retain count 2: 2 retains unaccounted for (may be some of the pointers above)
Not searched: autorelease pools and thread-local variables
searched 40 objects, 61 references in 3 ms, from LLDB
""")

    def test_what_a_verdict_rests_on_comes_last(self):
        verdict = {"kind": "unknown", "reason": "2 of its 2 retains may be owned by memory"}
        search = {"bytes": 9 << 20, "complete": True, "words": 12,
                  "examples": [f"0x{number}000" for number in range(4, 9)]}
        text = report(answer([], verdict=verdict, search=search, counts=counts(2, 0)),
                             Style())
        self.assertEqual(["Pointers in non-object memory: 0x4000, 0x5000, 0x6000 and 9 more",
                          "Retain count 2: 2 retains unaccounted for"],
                         text.splitlines()[-3:-1])

    def test_words_in_freed_memory_are_told_apart(self):
        for words, expected in ((0, []), (1, ["Pointers in non-object memory: 0x4000"])):
            search = {"bytes": 9 << 20, "complete": True, "words": words, "freed": 3,
                      "examples": ["0x4000"][:words]}
            text = report(answer([], search=search, counts=counts(1, 0)), Style())
            shown = [line for line in text.splitlines() if line.startswith("Pointers")]
            self.assertEqual([*expected, "Pointers in freed memory, which own nothing: 3"], shown)

    def test_counts_that_say_little(self):
        for given, expected in (
                (counts(None, 0), "Retain count unknown"),
                (counts(None, 1, True), "Retain count never freed: 1 reference"),
                (counts(1, 3, assumed=3), "Retain count 1: 3 references (3 of them assumed), 2 more "
                                          "than retains"),
                (counts(4, 1), "Retain count 4: 1 reference, 3 retains unaccounted for")):
            self.assertEqual(expected, report(answer([], counts=given),
                                                     Style()).splitlines()[-2])

    def test_a_long_way_shows_its_end(self):
        way = [edge(f"{0x100 * n:#x}", f"{0x100 * (n + 1):#x}", "ivar", "_next")
               for n in range(1, 31)]
        text = report(answer([holder(edge("0x1f00", "0x1f00", "ivar", "_x"), root(), way,
                                            200)],
                                    {"0x1f00": thing("Node")}), Style())
        self.assertNotIn("_next → object 0x200\n", text)
        held = answer([holder(edge("0x1e00", "0x1f00", "ivar", "_x"), root(), way, 200)])
        lines = report(held, Style()).splitlines()
        self.assertIn("      ... 188 steps", lines)
        self.assertEqual(12, sum("_next" in line for line in lines))

    def test_more_holders_than_are_shown(self):
        held = [holder(edge(f"{0x3000 + n:#x}", "0x1f00", "ivar", "_x"), root())
                for n in range(15)]
        text = report(answer(held, found=400), Style())
        self.assertIn("\nand 390 more references (-v shows more)\n", text)
        self.assertEqual(10, text.count("_x  ivar"))
        text = report(answer(held, found=400), Style(), verbose=True)
        self.assertIn("\nand 385 more references\n", text)

    def test_an_unfinished_walk_says_so(self):
        text = report(answer([], status="incomplete"), Style())
        self.assertIn("View 0x1f00: no verdict\nNo object found so far holds it\n", text)


if __name__ == "__main__":
    unittest.main()
