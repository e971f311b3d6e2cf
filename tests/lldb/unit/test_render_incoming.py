"""Whole reports of strong-refs --incoming, from hand-written answers."""
import unittest

from answers import block, edge, envelope, thing
from lldb_commands.render.incoming import incoming_refs
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
        self.assertEqual(expected.strip("\n"), incoming_refs(given, Style(), **options))

    def test_a_way_from_a_static_variable(self):
        way = [edge("0x9f00", "0x2f00", "ivar", "_window")]
        self.check(answer([holder(edge("0x2f00", "0x1f00", "ivar", "_root"), root(), way)]), """
view (View 0x1f00) is held by 1 reference: 40 objects and 61 references walked from outside in 3 ms

  _root  ivar  of Window 0x2f00
    from shared (static in App.m) → AppDelegate 0x9f00
      _window → Window 0x2f00

Retain count 1: 1 reference from objects, which explain it
""", asked="view")

    def test_memory_of_c_is_told_with_its_path(self):
        memory = {"class": "(raw memory)", "kind": "raw", "size": 96, "retain_count": None}
        way = [edge("0x6f00", "0x7f00", "word", "+16", 16)]
        self.check(answer([], {"0x6f00": memory, "0x7f00": {**memory, "size": 48}},
                          memory=[holder(edge("0x7f00", "0x1f00", "word", "+8", 8),
                                         root(to="0x6f00", name="cache"), way)],
                          memory_found=3, extent="heap", counts=counts(1, 0),
                          keeps={"objects": 42, "bytes": 3200000}), """
View 0x1f00 is held by no object and maybe by 3 words of memory: 40 objects and 61 references looked at from outside in 3 ms

  +8  word  of 48 bytes of memory 0x7f00
    from cache (static in App.m) → 96 bytes of memory 0x6f00
      +16 → 48 bytes of memory 0x7f00

and 2 more words of memory

Retain count 1: 0 references from objects, 1 unexplained
It alone keeps 41 more blocks of memory alive: 3.2 MB with its own
""")

    def test_a_holder_that_is_lost_is_said_to_be(self):
        for told, expected in (
                ({"lost": True, "ring": None, "unexplained": 1},
                 "which nothing alive leads to: it is lost itself"),
                ({"lost": True, "ring": "certain", "unexplained": 0},
                 "which nothing keeps alive but the object itself: a retain cycle"),
                ({"lost": False, "ring": None, "unexplained": 0}, "which nothing keeps alive")):
            held = [holder(edge("0x2f00", "0x1f00", "ivar", "_root"), **told)]
            self.assertIn(f"\n    {expected}\n",
                          incoming_refs(answer(held, extent="heap"), Style()))

    def test_a_walk_says_what_it_does_not_meet(self):
        walked = {"extent": "walk", "extent_reason": "no allocator was recognised"}
        self.assertIn("\nNot looked at: what no root leads to (no allocator was recognised)",
                      incoming_refs(answer([], **walked), Style()))
        given = {**walked, "not_scanned": [{"what": "beyond-given"}]}
        self.assertNotIn("Not looked at", incoming_refs(answer([], **given), Style()))

    def test_a_holder_that_only_the_object_keeps_is_a_cycle(self):
        held = [holder(edge("0x3f00", "0x1f00", "capture", "self"), ring="certain"),
                holder(edge("0x1f00", "0x1f00", "ivar", "_me"), ring="certain")]
        self.check(answer(held, {"0x3f00": block(12, "-[View load]", "/src/View.m")},
                          counts=counts(2, 2)), """
View 0x1f00 is held by 2 references: 40 objects and 61 references walked from outside in 3 ms

  self  captured  of block 0x3f00 at View.m:12 in -[View load]
    which nothing that was walked keeps alive but the object itself: a retain cycle

  _me  ivar  of View 0x1f00
    which is the object itself

Retain count 2: 2 references from objects, which explain it
""")

    def test_a_holder_without_a_root(self):
        for given, expected in (
                ({"ring": None, "unexplained": 0}, "which nothing that was walked keeps alive"),
                ({"ring": None, "unexplained": 1},
                 "which nothing that was walked keeps alive; 1 of its 3 retains is unexplained, "
                 "so something else may hold it"),
                ({"ring": "possible", "unexplained": None},
                 "which nothing that was walked keeps alive but the object itself: "
                 "a possible retain cycle"),
                ({"ring": "certain", "unexplained": 2},
                 "which nothing that was walked keeps alive but the object itself: a retain "
                 "cycle; 2 of its 3 retains are unexplained, so something else may hold it")):
            held = [holder(edge("0x2f00", "0x1f00", "ivar", "_root"), **given)]
            text = incoming_refs(answer(held, {"0x2f00": {**thing("Window"), "retain_count": 3}}),
                                 Style())
            self.assertEqual("    " + expected, text.splitlines()[3])

    def test_what_is_known_not_to_own_it_stands_apart(self):
        known = [{"edge": edge("0x9f00", "0x1f00", "ivar", "_key", ownership="unretained"),
                  "reason": "an application does not retain its windows"}] * 11
        text = incoming_refs(answer([], not_owned=known, not_owned_found=119, counts=counts(1, 0)),
                             Style())
        self.assertIn("is held by no object", text)
        self.assertIn("""
Known, not owned:
  _key  ivar, unretained  of AppDelegate 0x9f00 and 10 more like it: an application does not retain its windows
""", text)
        self.assertIn("  and 108 more references\n", text)

    def test_the_first_line_has_the_verdict(self):
        for kind, text in (("held", "is held by no object"), ("leaked", "is leaked, held by no object"),
                           ("over-released", "is over-released, held by no object"),
                           ("unknown", "may be leaked, held by no object")):
            given = incoming_refs(answer([], verdict={"kind": kind, "reason": "why"}), Style())
            self.assertTrue(given.startswith(f"View 0x1f00 {text}: "), given)
            self.assertIn(f"\nVerdict: {kind}: why", given)

    def test_what_was_freed_is_not_held(self):
        freed = {**thing("View"), "freed": {"certain": True, "why": "why", "class": None}}
        for holders, text in (([holder(edge("0x2f00", "0x1f00", "ivar", "_a"))],
                               "was freed, and 1 reference still leads to it"),
                              ([], "was freed, and no references still lead to it")):
            given = incoming_refs(answer(holders, {"0x1f00": freed}), Style())
            self.assertTrue(given.startswith(f"View 0x1f00 {text}: "), given)

    def test_references_that_share_a_retain(self):
        held = [holder(edge("0x2f00", "0x1f00", "ivar", name)) for name in ("_a->view", "_b->view")]
        text = incoming_refs(answer(held, counts={**counts(1, 2), "shared": 1, "excess": 0}),
                             Style())
        self.assertIn("Retain count 1: 2 references from objects (1 of them by a pointer shared "
                      "with another), which explain it", text)

    def test_nothing_but_words(self):
        roots = [root(to="0x1f00", name="last", where="global in main.m"),
                 {**root("stack", "0x7ff8", "0x1f00", None,
                         "a word in the frame of main, thread 1"), "may_be_stale": True},
                 root("register", None, "0x1f00", None, "register rdi of thread 1")]
        self.check(answer([], roots=roots, counts=counts(2, 0, data=1, stack=1, register=1),
                          not_walked=["autorelease pools", "thread-local variables"]), """
View 0x1f00 is held by no object: 40 objects and 61 references walked from outside in 3 ms

Possible references from globals, stacks and registers:
  last (global in main.m)
  a word in the frame of main, thread 1 (0x7ff8), which may be stale
  register rdi of thread 1
Retain count 2: 0 references from objects, 2 unexplained, which can be some of the words above
Not looked at: autorelease pools and thread-local variables
""")

    def test_a_verdict_comes_last_with_what_it_rests_on(self):
        verdict = {"kind": "unknown", "reason": "2 of its 2 retains may be owned by memory"}
        search = {"bytes": 9 << 20, "complete": True, "words": 12,
                  "examples": [f"0x{number}000" for number in range(4, 9)]}
        text = incoming_refs(answer([], verdict=verdict, search=search, counts=counts(2, 0)),
                             Style())
        self.assertEqual(["Words in memory that is no object: 0x4000, 0x5000, 0x6000 and 9 more",
                          "Retain count 2: 0 references from objects, 2 unexplained",
                          "Verdict: unknown: 2 of its 2 retains may be owned by memory"],
                         text.splitlines()[-3:])

    def test_words_in_freed_memory_are_told_apart(self):
        for words, expected in ((0, []), (1, ["Words in memory that is no object: 0x4000"])):
            search = {"bytes": 9 << 20, "complete": True, "words": words, "freed": 3,
                      "examples": ["0x4000"][:words]}
            text = incoming_refs(answer([], search=search, counts=counts(1, 0)), Style())
            shown = [line for line in text.splitlines() if line.startswith("Words")]
            self.assertEqual([*expected, "Words in freed memory, which own nothing: 3"], shown)

    def test_counts_that_say_little(self):
        for given, expected in (
                (counts(None, 0), "Retain count unknown: 0 references from objects"),
                (counts(None, 1, True), "Retain count never freed: 1 reference from objects"),
                (counts(1, 3, assumed=3), "Retain count 1: 3 references from objects (3 of them "
                                          "assumed), 2 more than it counts"),
                (counts(4, 1), "Retain count 4: 1 reference from objects, 3 unexplained")):
            self.assertEqual(expected, incoming_refs(answer([], counts=given),
                                                     Style()).splitlines()[-1])

    def test_a_long_way_shows_its_end(self):
        way = [edge(f"{0x100 * n:#x}", f"{0x100 * (n + 1):#x}", "ivar", "_next")
               for n in range(1, 31)]
        text = incoming_refs(answer([holder(edge("0x1f00", "0x1f00", "ivar", "_x"), root(), way,
                                            200)],
                                    {"0x1f00": thing("Node")}), Style())
        self.assertNotIn("_next → object 0x200\n", text)
        held = answer([holder(edge("0x1e00", "0x1f00", "ivar", "_x"), root(), way, 200)])
        lines = incoming_refs(held, Style()).splitlines()
        self.assertIn("      ... 188 steps", lines)
        self.assertEqual(12, sum("_next" in line for line in lines))

    def test_more_holders_than_are_shown(self):
        held = [holder(edge(f"{0x3000 + n:#x}", "0x1f00", "ivar", "_x"), root())
                for n in range(15)]
        text = incoming_refs(answer(held, found=400), Style())
        self.assertIn("\nand 390 more references (-v shows more)\n", text)
        self.assertEqual(10, text.count("_x  ivar"))
        text = incoming_refs(answer(held, found=400), Style(), verbose=True)
        self.assertIn("\nand 385 more references\n", text)

    def test_an_unfinished_walk_says_so(self):
        text = incoming_refs(answer([], status="incomplete"), Style())
        self.assertIn("View 0x1f00 is held by no object found so far: ", text)


if __name__ == "__main__":
    unittest.main()
