"""Whole reports of retain-cycles, from hand-written answers."""
import re
import unittest

from answers import (block, cycles, edge, fix, knot, ring, self_in_block, thing)
import reports
from lldb_commands.render.style import Style


def report(answer, style, *arguments, **options):
    """Without known mistakes and costs, which have tests of their own."""
    text = reports.report(answer, style, *arguments, **options)
    text = re.sub("\n+searched .*$", "", text)
    return re.sub("\n  Known mistake: .*(\n    [A-Z].*)?", "", text)


class RetainCyclesReport(unittest.TestCase):
    maxDiff = None

    def check(self, answer, expected, style=Style(), **options):
        self.assertEqual(expected.strip("\n"), report(answer, style, **options))

    def test_known_mistakes_are_named_and_explained_on_demand(self):
        named = reports.report(self_in_block(), Style()).splitlines()[-3]
        self.assertEqual("  Known mistake: A completion handler stays after it has run", named)
        explained = reports.report(self_in_block(), Style(), verbose=True).splitlines()
        self.assertIn("    A handler that is called once can go then",
                      explained[explained.index(named) + 1])

    def test_the_cost_is_the_last_line(self):
        text = reports.report(self_in_block(), Style())
        self.assertEqual("\n\nsearched 14 objects, 21 references in 3 ms, from LLDB",
                         text[text.rindex("\n\n"):])

    def test_block_stored_on_self(self):
        self.check(self_in_block(), """
1 leaked retain cycle through self (PhotoViewController 0x1f00)
Fix: capture self weakly in the block at PhotoViewController.m:42

Retain cycle of 2 objects, leaked: nothing outside the cycle retains it
  ╭─▶ PhotoViewController 0x1f00
  │   _completion  ivar      → block 0x2f00 at PhotoViewController.m:42 in -[PhotoViewController viewDidLoad]
  ╰── self         captured  → PhotoViewController 0x1f00
  Fixes, best first:
    • capture self weakly in the block at PhotoViewController.m:42
    • set PhotoViewController._completion to nil when the block is no longer needed
""", asked="self")

    def test_in_ascii(self):
        self.check(self_in_block(), """
1 leaked retain cycle through PhotoViewController 0x1f00
Fix: capture self weakly in the block at PhotoViewController.m:42

Retain cycle of 2 objects, leaked: nothing outside the cycle retains it
  .-> PhotoViewController 0x1f00
  |   _completion  ivar      -> block 0x2f00 at PhotoViewController.m:42 in -[PhotoViewController viewDidLoad]
  '-- self         captured  -> PhotoViewController 0x1f00
  Fixes, best first:
    * capture self weakly in the block at PhotoViewController.m:42
    * set PhotoViewController._completion to nil when the block is no longer needed
""", style=Style(unicode=False))

    def test_colours_are_only_added_around_the_same_text(self):
        plain = report(self_in_block(), Style(), "self")
        colored = report(self_in_block(), Style(color=True), "self")
        self.assertIn("\x1b[", colored)
        import re
        self.assertEqual(plain, re.sub(r"\n+searched .*$", "", re.sub(r"\x1b\[[0-9;]*m", "", colored)))

    def test_verbose_adds_slots_fingerprints_and_costs(self):
        self.check(self_in_block(), """
1 leaked retain cycle through PhotoViewController 0x1f00
Fix: capture self weakly in the block at /src/PhotoViewController.m:42

Retain cycle of 2 objects, leaked: nothing outside the cycle retains it
  ╭─▶ PhotoViewController 0x1f00
  │   _completion  ivar      → block 0x2f00 at /src/PhotoViewController.m:42 in -[PhotoViewController viewDidLoad]  slot 0x1f08
  ╰── self         captured  → PhotoViewController 0x1f00  slot 0x2f20
  Fixes, best first:
    • capture self weakly in the block at /src/PhotoViewController.m:42
    • set PhotoViewController._completion to nil when the block is no longer needed
  fingerprint of the cycle beef, of the loop f00d

40 reads, 65536 bytes, abi apple
""", verbose=True)

    def test_nothing_found(self):
        self.check(cycles({"0x1f00": thing("PhotoCell")}, []), """
No retain cycle reachable from self (PhotoCell 0x1f00)

What holds it: strong-refs --incoming self
""", asked="self")

    def test_nothing_found_in_an_unfinished_walk_says_so(self):
        answer = cycles({"0x1f00": thing("PhotoCell")}, [], status="incomplete",
                        not_followed=[{"reason": "objects beyond the limit", "count": 7,
                                       "example": "0x9f00", "code": "limit"}])
        self.check(answer, """
No retain cycle found from PhotoCell 0x1f00, but the search is incomplete: objects beyond the limit (raise --limit)

What holds it: strong-refs --incoming 0x1f00
Not followed: objects beyond the limit (7, such as 0x9f00; raise --limit)
""")

    def check_unread(self, expected, **member):
        what = {"reason": "C++ members", "code": "cxx-member"}
        answer = cycles({"0x1f00": thing("PhotoCell")}, [], unread=[{
            **what, "class": None, "name": None, "type": None, "guessed": False, **member}],
            not_followed=[{**what, "count": 1, "example": "0x9f00"}])
        self.assertIn(f"Not followed: C++ members (1, such as 0x9f00{expected})\n",
                      report(answer, Style()) + "\n")

    def test_members_that_were_not_followed_are_named_with_the_reason(self):
        crash = "this lldb may crash over Set<id>"
        self.check_unread("")
        self.check_unread(": a captured C++ object", type="_ZTS3SetIP11objc_objectE")
        self.check_unread(f": a captured C++ object; {crash}", type="_ZTS3Set", why=crash)
        self.check_unread(": _all of Owner, a vector<id>",
                          **{"class": "Owner", "name": "_all",
                             "type": "vector<id, std::allocator<id>>"})
        self.check_unread(": Owner's _all.set: Set<id>: what its pointers point to is not known",
                          **{"class": "Owner", "name": "_all", "type": "All",
                             "why": "_all.set: Set<id>: what its pointers point to is not known"})
        self.check_unread(": all: std::any: no debug info for what it holds",
                          name="all", why="all: std::any: no debug info for what it holds")

    def test_without_a_clock(self):
        answer = cycles({"0x1f00": thing("PhotoCell")}, [],
                        stats={"objects": 1, "edges": 0, "reads": 1, "bytes": 1, "ms": None})
        self.check(answer, """
No retain cycle reachable from PhotoCell 0x1f00

What holds it: strong-refs --incoming 0x1f00
""")

    def test_timer_target_held_by_the_run_loop(self):
        down = edge("0x1f00", "0x3f00", "ivar", "_timer", 16)
        back = edge("0x3f00", "0x1f00", "target", "target", 40)
        objects = {"0x1f00": thing("SlideShow"), "0x3f00": thing("NSTimer", True)}
        answer = cycles(objects, [knot([ring(down, back)], verdict="held",
                                       fixes=[fix(each, do="invalidate-before", about=back)
                                              for each in (down, back)],
                                       counts={"outside": 0, "unexplained": 1})])
        self.check(answer, """
1 held retain cycle through SlideShow 0x1f00
Fix: invalidate the NSTimer before SlideShow is to be freed (not in -dealloc, which the timer prevents), or use a block that captures the target weakly

Retain cycle of 2 objects, held: 1 retain comes from outside the cycle
  ╭─▶ SlideShow 0x1f00
  │   _timer  ivar    → NSTimer 0x3f00
  ╰── target  target  → SlideShow 0x1f00
  1 retain is from something not searched (a variable, a run loop, …). To find it: strong-refs --incoming 0x1f00
  Fix:
    • invalidate the NSTimer before SlideShow is to be freed (not in -dealloc, which the timer prevents), or use a block that captures the target weakly
""")

    def test_holders_that_were_walked_are_named(self):
        down = edge("0x1f00", "0x1f00", "ivar", "_next")
        holder = edge("0x5f00", "0x1f00", "ivar", "_first")
        objects = {"0x1f00": thing("Node"), "0x5f00": thing("List")}
        answer = cycles(objects, [knot([ring(down)], verdict="held", seed=False,
                                       held_by=[holder],
                                       counts={"outside": 3, "unexplained": 0})])
        text = report({**answer, "seed": "0x5f00"}, Style())
        self.assertIn("An object that retains itself, held: 3 retains come from outside the "
                      "cycle\n", text)
        self.assertIn("  Held by _first of List 0x5f00\n  Held by 2 more references", text)

    def test_two_objects_of_a_class_are_one_change(self):
        there = edge("0x1f00", "0x3f00", "ivar", "_next")
        back = edge("0x3f00", "0x1f00", "ivar", "_next")
        answer = cycles({"0x1f00": thing("Page"), "0x3f00": thing("Page")},
                        [knot([ring(there, back)], fixes=[fix(back),
                                                          fix(there, only_holder=True)])])
        self.assertTrue(report(answer, Style()).endswith(
            "  Fix:\n    • make Page._next weak (first give Page another owner: this is its only one)"))

    def test_references_that_must_go_together_are_one_fix(self):
        one = edge("0x1f00", "0x3f00", "ivar", "_delegate")
        two = edge("0x1f00", "0x3f00", "ivar", "_dataSource", 16)
        back = edge("0x3f00", "0x1f00", "ivar", "_table")
        answer = cycles({"0x1f00": thing("Table"), "0x3f00": thing("Screen")},
                        [knot([ring(one, back)], edges=3,
                              fixes=[fix(back), fix(one, only_holder=True, parallel=1,
                                                    **{"with": [two]})])])
        self.assertIn("│   _delegate, _dataSource  ivar  → Screen 0x3f00",
                      report(answer, Style()))
        self.assertTrue(report(answer, Style()).endswith("    • make Screen._table weak\n"
                                                                "      and 1 more with -v"))
        self.assertIn("    • make Table._delegate weak and make Table._dataSource weak (first give "
                      "Screen another owner: this is its only one)\n", report(answer, Style(), verbose=True))

    def test_foundation_classes_go_by_their_public_names(self):
        down = edge("0x1f00", "0x3f00", "ivar", "_items")
        back = edge("0x3f00", "0x1f00", "element", "[2]", 32)
        objects = {"0x1f00": thing("NSKVONotifying_Album"), "0x3f00": thing("__NSArrayM", True)}
        answer = cycles(objects, [knot([ring(down, back)], fixes=[fix(back, do="take-out"),
                                                                 fix(down, do="set-to-nil")])])
        self.check(answer, """
1 leaked retain cycle through Album 0x1f00
Fix: take the Album out of the NSMutableArray 0x3f00, or hold it there weakly

Retain cycle of 2 objects, leaked: nothing outside the cycle retains it
  ╭─▶ Album 0x1f00
  │   _items  ivar     → NSMutableArray 0x3f00
  ╰── [2]     element  → Album 0x1f00
  Fixes, best first:
    • take the Album out of the NSMutableArray 0x3f00, or hold it there weakly
    • set Album._items to nil when it is no longer needed
""")

    def test_manual_code_is_told_not_to_retain(self):
        down = {**edge("0x1f00", "0x3f00", "ivar", "_articles", ownership="assumed"),
                "manual": True}
        stored = edge("0x3f00", "0x4f00", "value", '["today"]')
        back = {**edge("0x4f00", "0x1f00", "ivar", "_feed", ownership="assumed"), "manual": True}
        objects = {"0x1f00": thing("Feed"), "0x3f00": thing("GSMutableDictionary", True),
                   "0x4f00": thing("Article")}
        answer = cycles(objects, [knot([ring(down, stored, back)],
                                       fixes=[fix(back), fix(stored, do="take-out"),
                                              fix(down, do="set-to-nil")])])
        self.assertTrue(report(answer, Style()).endswith("""
  Fixes, best first:
    • hold Article._feed without retaining it
    • remove ["today"] from the NSMutableDictionary 0x3f00, or use a map table with weak values
    • set Feed._articles to nil when it is no longer needed"""))

    def test_variable_with_block_storage(self):
        objects = {"0x1f00": thing("Loader"), "0x2f00": block(7, "load", "/src/load.m"),
                   "0x3f00": {"class": None, "kind": "byref", "size": 48, "variable": "me"}}
        store = edge("0x1f00", "0x2f00", "ivar", "_done")
        capture = edge("0x2f00", "0x3f00", "capture", "me", 32)
        holds = edge("0x3f00", "0x1f00", "byref", "me", 40)
        self.check(cycles(objects, [knot([ring(store, capture, holds)], fixes=[fix(holds)])]), """
1 leaked retain cycle through Loader 0x1f00
Fix: declare the __block variable me __weak, or set it to nil when the block is done

Retain cycle of 3 objects, leaked: nothing outside the cycle retains it
  ╭─▶ Loader 0x1f00
  │   _done  ivar      → block 0x2f00 at load.m:7 in load
  │   me     captured  → __block variable me 0x3f00
  ╰── me     __block   → Loader 0x1f00
  Fix:
    • declare the __block variable me __weak, or set it to nil when the block is done
""")

    def test_object_that_keeps_itself(self):
        loop = edge("0x1f00", "0x1f00", "ivar", "_next")
        self.check(cycles({"0x1f00": thing("Node")}, [knot([ring(loop)], fixes=[fix(loop)])]), """
1 leaked retain cycle through Node 0x1f00
Fix: make Node._next weak

An object that retains itself, leaked: nothing outside the cycle retains it
  ╭─▶ Node 0x1f00
  ╰── _next  ivar  → Node 0x1f00
  Fix:
    • make Node._next weak
""")

    def test_knot_with_more_than_its_ring(self):
        first = ring(edge("0x1f00", "0x3f00", "ivar", "_child"),
                     edge("0x3f00", "0x1f00", "ivar", "_parent"))
        answer = cycles({"0x1f00": thing("Parent"), "0x3f00": thing("Child")},
                        [knot([first], objects=12, edges=19, all_rings=False,
                              fixes=[fix(first["edges"][1], "ring")])])
        self.check(answer, """
1 leaked retain cycle through Parent 0x1f00

Retain cycle of 12 objects and 19 references (shortest loop: 2), leaked: nothing outside the cycle retains it
  ╭─▶ Parent 0x1f00
  │   _child   ivar  → Child 0x3f00
  ╰── _parent  ivar  → Parent 0x1f00
  More loops exist (-n 10 shows up to 10)
  No single fix breaks every loop. This breaks the one shown:
    • make Child._parent weak
""")

    def test_each_ring_that_is_shown_gets_a_change(self):
        stored, back = (edge("0x1f00", "0x3f00", "ivar", "_child"),
                        edge("0x3f00", "0x1f00", "ivar", "_parent"))
        on, over = (edge("0x3f00", "0x4f00", "ivar", "_next"),
                    edge("0x4f00", "0x1f00", "ivar", "_owner"))
        again = edge("0x4f00", "0x3f00", "ivar", "_first")
        rings = [ring(stored, back), ring(stored, on, over), ring(on, again)]
        answer = cycles({"0x1f00": thing("A"), "0x3f00": thing("B"), "0x4f00": thing("C")},
                        [knot(rings, objects=3, edges=5, all_rings=True,
                              fixes=[fix(back, "ring", together=True),
                                     fix(over, "ring", together=True),
                                     fix(again, "ring", together=True),
                                     fix(on, "ring", only_holder=True)])])
        heading = "  These together break every loop:\n"
        shown = [f"    • make {path} weak, if something else keeps the {held}" if held else
                 f"    • make {path} weak" for path, held in
                 (("B._parent", ""), ("C._owner", ""), ("C._first", ""))]
        self.assertTrue(report(answer, Style()).endswith(
            heading + "\n".join(shown) + "\n  Not needed besides: 1 other change (-v shows them)"))
        self.assertIn("\n  Others:\n    • make B._next weak (first give C another owner: this is its only one)",
                      report(answer, Style(), verbose=True))

    def test_an_ivar_that_breaks_the_knot_when_it_is_weak_everywhere(self):
        first = ring(edge("0x1f00", "0x3f00", "ivar", "_child"),
                     edge("0x3f00", "0x1f00", "ivar", "_parent"))
        down, up = first["edges"]
        answer = cycles({"0x1f00": thing("Tree"), "0x3f00": thing("Node")},
                        [knot([first], objects=12, edges=19, all_rings=False,
                              fixes=[fix(up, "ring", everywhere="knot", frees=True),
                                     fix(down, "ring", True, everywhere="ring")])])
        self.assertTrue(report(answer, Style()).endswith(
            "  Fix:\n"
            "    • make Node._parent weak (breaks every loop if weak in all Node)\n"
            "      and 1 more with -v"))
        self.assertIn("    • make Tree._child weak (first give Node another owner: this is its only one) "
                      "(breaks this loop only)", report(answer, Style(), verbose=True))
        up["manual"] = True
        self.assertIn("(breaks every loop if no Node retains it)\n", report(answer, Style()))

    def lines_of_fixes(self, fixes, verbose=False, **rest):
        down = edge("0x1f00", "0x3f00", "ivar", "_child")
        back = edge("0x3f00", "0x1f00", "ivar", "_parent")
        objects = {"0x1f00": thing("Parent"), "0x3f00": thing("Child")}
        text = report(cycles(objects, [knot([ring(down, back)], fixes=fixes(down, back),
                                                   **rest)]), Style(), verbose=verbose)
        return [line.strip() for line in text.split("Parent 0x1f00\n")[-1].splitlines()]

    def test_a_weak_ivar_that_would_lose_its_object_is_no_proposal(self):
        def both(down, back):
            return [fix(back), fix(down, only_holder=True)]
        self.assertEqual(["Fix:", "• make Child._parent weak", "and 1 more with -v"],
                         self.lines_of_fixes(both))
        self.assertIn("• make Parent._child weak (first give Child another owner: this is its only one)",
                      self.lines_of_fixes(both, verbose=True))

    def test_the_first_is_shown_whatever_speaks_against_it(self):
        lines = self.lines_of_fixes(lambda down, back: [fix(down, only_holder=True), fix(back)])
        self.assertEqual(["Fixes, best first:",
                          "• make Parent._child weak (first give Child another owner: this is its only one)",
                          "• make Child._parent weak"], lines)

    def test_what_would_be_freed_while_it_is_in_use(self):
        against = ["only-holder", "frees-at-once"]
        lines = self.lines_of_fixes(lambda down, back: [fix(back), fix(down, against=against)],
                                    verbose=True)
        self.assertIn("• make Parent._child weak; this would free the Child at once", lines)

    def test_what_leaves_it_to_something_kept_says_so(self):
        self.assertEqual(
            ["Fixes, best first:", "• make Parent._child weak",
             "• make Child._parent weak (breaks the loop, but Parent 0x1f00 is kept from elsewhere and still reaches the object)"],
            self.lines_of_fixes(lambda down, back: [fix(down), fix(back, frees=False,
                                                                   kept_by="0x1f00")]))

    def test_no_change_is_enough_where_all_leave_it_to_something_kept(self):
        self.assertEqual(
            ["No single fix frees these objects. This breaks the cycle:",
             "• make Child._parent weak (breaks the loop, but Parent 0x1f00 is kept from elsewhere and still reaches the object)"],
            self.lines_of_fixes(lambda down, back: [fix(back, frees=False, kept_by="0x1f00")]))

    def test_what_there_was_no_time_to_check_says_so(self):
        self.assertEqual(
            ["No single fix frees these objects. This breaks the cycle:",
             "• make Child._parent weak (not checked: something outside the cycle retains other objects of it)"],
            self.lines_of_fixes(lambda down, back: [fix(back, frees=None)]))

    def test_ring_that_need_not_be_the_only_one_to_let_the_object_go(self):
        self.assertEqual(
            ["Fix that frees Parent 0x1f00:", "• make Child._parent weak"],
            self.lines_of_fixes(lambda down, back: [fix(back, "ring", frees=True)]))

    def test_ivar_of_a_system_library_is_proposed_only_if_there_is_nothing_else(self):
        def both(down, back):
            return [fix(back), fix(down, against=["system-ivar"])]
        self.assertEqual(["Fix:", "• make Child._parent weak", "and 1 more with -v"],
                         self.lines_of_fixes(both))
        self.assertEqual(["Fix:", "• make Parent._child weak"],
                         self.lines_of_fixes(lambda down, _: both(down, down)[1:]))

    def test_reference_that_is_probably_not_retained_is_to_be_checked(self):
        self.assertEqual(["Fix:", "• check that Child._parent does not retain the Parent"],
                         self.lines_of_fixes(lambda _, back: [fix(back,
                                                                  against=["unowned-name"])]))

    def first_line(self, knots, **rest):
        answer = cycles({"0x1f00": thing("Node")}, knots, **rest)
        return report(answer, Style()).splitlines()[0].split(": ")[0]

    def test_certain_and_possible_cycles_are_counted_apart(self):
        def loop(certain, seed=False):
            return knot([ring(edge("0x1f00", "0x1f00", "ivar", "_next"))], seed=seed,
                        verdict="unknown", certain=certain)
        self.assertEqual("1 possible retain cycle through Node 0x1f00",
                         self.first_line([loop(False, True)]))
        self.assertEqual("2 possible retain cycles reachable from Node 0x1f00, which is in 1 of them",
                         self.first_line([loop(False, True), loop(False)]))
        self.assertEqual("1 retain cycle and 1 possible reachable from Node 0x1f00, which is in none of them",
                         self.first_line([loop(True), loop(False)]))
        self.assertEqual("1 new retain cycle and 1 possible reachable from Node 0x1f00, which is in none "
                         "of them",
                         self.first_line([loop(True), loop(False)], knots_found=5, possible_found=3,
                                         baseline={"hidden_knots": 3, "hidden_possible": 2}))

    def test_cycles_beyond_those_described_count_in_the_first_line(self):
        one = knot([ring(edge("0x1f00", "0x1f00", "ivar", "_next"))], seed=False)
        self.assertEqual("12000 retain cycles (at least 1 leaked) and 500 possible reachable from "
                         "Node 0x1f00, which is in none of them", self.first_line([one], knots_found=12500,
                                                           possible_found=500))

    def test_fingerprints_of_knot_and_rings_stand_where_a_baseline_is_compared(self):
        one = knot([ring(edge("0x1f00", "0x1f00", "ivar", "_next"))])
        line = "  fingerprint of the cycle beef, of the loop f00d"
        for text in (report(cycles({"0x1f00": thing("Node")}, [one], baseline={}), Style()),
                     report(cycles({"0x1f00": thing("Node")}, [one]), Style(),
                                   verbose=True)):
            self.assertIn(line, text.splitlines())

    def test_a_long_ring_is_folded_in_the_middle_and_verbose_shows_all(self):
        names = [hex(0x1f00 + 32 * number) for number in range(40)]
        links = ring(*(edge(one, other, "ivar", "_next")
                       for one, other in zip(names, names[1:] + names[:1])))
        answer = cycles({name: thing("Link") for name in names}, [knot([links])])
        lines = report(answer, Style()).splitlines()
        self.assertEqual("  ⋮   20 references more, of Link (-v shows them)", lines[16])
        self.assertEqual(12, sum(line.startswith("  │   _next  ivar  → ") for line in lines[:16]))
        self.assertEqual("  ╰── _next  ivar  → Link 0x1f00", lines[24])
        self.assertEqual(8, sum("_next  ivar  → " in line for line in lines[17:]))
        verbose = report(answer, Style(), verbose=True)
        self.assertEqual(40, verbose.count("_next  ivar  → "))
        self.assertNotIn("⋮", verbose)

    def test_what_the_answer_leaves_out_of_a_ring_is_counted(self):
        names = [hex(0x1f00 + 32 * number) for number in range(40)]
        edges = [edge(one, other, "ivar", "_next")
                 for one, other in zip(names, names[1:] + names[:1])]
        links = {**ring(*edges), "length": 1040, "edges_left_out": 1000}
        answer = cycles({name: thing("Link") for name in names}, [knot([links])])
        self.assertIn("  ⋮   1020 references more, of Link and others (-v shows some of them)",
                      report(answer, Style()).splitlines())
        verbose = report(answer, Style(), verbose=True).splitlines()
        self.assertIn("  ⋮   1000 references more", verbose)
        self.assertEqual(40, sum("_next  ivar  → " in line for line in verbose))

    def test_the_hint_for_more_rings_asks_for_more_than_are_shown(self):
        loops = [ring(edge("0x1f00", "0x1f00", "ivar", f"_{number}")) for number in range(10)]
        answer = cycles({"0x1f00": thing("Hub")}, [knot(loops, objects=9, edges=40,
                                                        all_rings=False)])
        self.assertIn("More loops exist (-n 100 shows up to 100)",
                      report(answer, Style()))

    def test_the_most_rings_of_a_knot_are_said_where_there_are_more(self):
        loops = [ring(edge("0x1f00", "0x1f00", "ivar", f"_{number}")) for number in range(4096)]
        answer = cycles({"0x1f00": thing("Hub")}, [knot(loops, objects=9, edges=9000,
                                                        all_rings=False)])
        text = report(answer, Style())
        self.assertIn("More loops exist; at most 4,096 of a cycle are searched for", text)
        self.assertNotIn("(-n ", text)

    def test_several_knots_seed_first_then_others_framework_folded(self):
        far = ring(edge("0x5f00", "0x6f00", "ivar", "_cache"),
                   edge("0x6f00", "0x5f00", "element", "[3]"))
        system = ring(edge("0x7f00", "0x8f00", "ivar", "_env"),
                      edge("0x8f00", "0x7f00", "ivar", "_owner"))
        near = ring(edge("0x1f00", "0x3f00", "ivar", "_child"),
                    edge("0x3f00", "0x1f00", "ivar", "_parent"))
        objects = {"0x1f00": thing("Parent"), "0x3f00": thing("Child"), "0x5f00": thing("Store"),
                   "0x6f00": thing("NSMutableArray", True), "0x7f00": thing("UIGesture", True),
                   "0x8f00": thing("UIGestureEnvironment", True)}
        answer = cycles(objects, [knot([system], seed=False), knot([far], seed=False,
                                                                   verdict="unknown",
                                                                   verdict_reason="no count for Store"),
                                  knot([near])],
                        hidden=[{"filter": "UIView._subviewCache", "edges": 4}])
        self.check(answer, """
3 retain cycles (2 leaked) reachable from self (Parent 0x1f00), which is in 1 of them

1. Retain cycle of 2 objects, leaked: nothing outside the cycle retains it
  ╭─▶ Parent 0x1f00
  │   _child   ivar  → Child 0x3f00
  ╰── _parent  ivar  → Parent 0x1f00

2. Retain cycle of 2 objects, unknown: no count for Store
  ╭─▶ Store 0x5f00
  │   _cache  ivar     → NSMutableArray 0x6f00
  ╰── [3]     element  → Store 0x5f00

Whether it leaked: loupe leaks (searches the whole heap)
Folded: 1 cycle of framework classes alone (-v shows it)
Hidden by filters: 4 references (-v says which)
""", asked="self")

    def cells(self, count, **rest):
        """An answer with as many rings of a cell and its block."""
        objects, knots = {"0x1f00": thing("Grid")}, []
        for number in range(count):
            cell, tap = hex(0x2f00 + 64 * number), hex(0x2f20 + 64 * number)
            objects.update({cell: thing("Cell"), tap: block(9, "load", "/src/Cell.m")})
            knots.append(knot([ring(edge(cell, tap, "ivar", "_tap"),
                                    edge(tap, cell, "capture", "self", 32))], seed=False,
                              **{key: value(number) for key, value in rest.items()}))
        return cycles(objects, knots)

    def test_the_same_bug_in_many_objects_is_shown_once_and_counted(self):
        text = report(self.cells(500), Style())
        self.assertTrue(text.startswith("500 leaked retain cycles reachable from Grid 0x1f00, which is in none of "
                                        "them"))
        self.assertEqual(1, text.count("╭─▶ "))
        self.assertIn("\n  499 more are like it, such as that of Cell 0x2f40 (-v shows them)", text)
        self.assertEqual(500, report(self.cells(500), Style(), verbose=True).count("╭─▶ "))

    def test_knots_of_another_verdict_are_not_alike(self):
        answer = self.cells(3, verdict=lambda number: "held" if number == 1 else "leaked")
        text = report(answer, Style())
        self.assertEqual(2, text.count("╭─▶ "))
        self.assertIn("\n  1 more is like it, such as that of Cell 0x2f80 (-v shows it)", text)

    def test_of_many_different_knots_twenty_are_shown(self):
        answer = self.cells(33, fingerprint=lambda number: f"{number:016x}")
        text = report(answer, Style())
        self.assertEqual(20, text.count("╭─▶ "))
        self.assertIn("\nFolded: 13 more cycles (-v shows them)", text)

    def test_possible_cycle_of_manual_retain_release_code(self):
        down = edge("0x1f00", "0x3f00", "ivar", "_a", ownership="assumed")
        back = edge("0x3f00", "0x1f00", "ivar", "_b")
        answer = cycles({"0x1f00": thing("Old"), "0x3f00": thing("New")},
                        [knot([ring(down, back)], certain=False, verdict="unknown")])
        answer["knots"][0]["certain"] = False
        self.check(answer, """
1 possible retain cycle through Old 0x1f00
Possible only: references marked assumed may not own their objects; the runtime
keeps no record of ownership for them (manual retain/release).

Possible retain cycle of 2 objects, unknown
  ╭─▶ Old 0x1f00
  │   _a  ivar, assumed  → New 0x3f00
  ╰── _b  ivar           → Old 0x1f00

Whether it leaked: loupe leaks (searches the whole heap)
""")

    def possible_by_counts(self, **counts):
        """What a possible ring is said to be by its counts."""
        answer = cycles({"0x1f00": thing("Old"), "0x3f00": thing("New")},
                        [knot([ring(edge("0x1f00", "0x3f00", "ivar", "_a", ownership="assumed"),
                                    edge("0x3f00", "0x1f00", "ivar", "_b", ownership="assumed"))],
                              certain=False, verdict="unknown")], heap_searched=True)
        answer["knots"][0].update(certain=False, counts=counts, verdict_example="0x3f00")
        text = report(answer, Style())
        return text[text.index("→ Old 0x1f00") + len("→ Old 0x1f00"):].strip("\n")

    def test_retain_counts_that_fit_a_possible_cycle(self):
        self.assertEqual(self.possible_by_counts(excess=0, unexplained=0, outside=0, not_counted=0),
                         "  Evidence for: if all of them own, the retain counts add up exactly.")

    def test_retain_counts_that_decide_nothing_are_not_mentioned(self):
        self.assertEqual(self.possible_by_counts(excess=0, unexplained=1), "")
        self.assertEqual(self.possible_by_counts(excess=0, outside=1), "")
        self.assertEqual(self.possible_by_counts(excess=0, not_counted=1), "")

    def test_retain_counts_that_are_too_small_for_a_possible_cycle(self):
        self.assertEqual(self.possible_by_counts(excess=2, unexplained=0),
                         "  Evidence against: 2 more references than retains (e.g. to New 0x3f00), so "
                         "at least 2 of these references own nothing.")

    def test_without_debug_info_offsets_and_symbols_remain(self):
        answer = self_in_block()
        answer["objects"]["0x2f00"]["invoke"] = {
            "address": "0x1000", "file": None, "line": None, "function": None,
            "symbol": "__34-[PhotoViewController viewDidLoad]_block_invoke"}
        for place in (answer["knots"][0]["rings"][0]["edges"][1],
                      answer["knots"][0]["fixes"][0]["edge"]):
            place["name"] = place["path"] = None
        answer["unnamed"] = [{"module": "Photos", "blocks": 1,
                              "what": "a block of Photos, which has no debug info"}]
        self.check(answer, """
1 leaked retain cycle through PhotoViewController 0x1f00
Fix: capture the PhotoViewController (+32) weakly in the block that runs __34-[PhotoViewController viewDidLoad]_block_invoke

Retain cycle of 2 objects, leaked: nothing outside the cycle retains it
  ╭─▶ PhotoViewController 0x1f00
  │   _completion  ivar      → block 0x2f00 that runs __34-[PhotoViewController viewDidLoad]_block_invoke
  ╰── +32          captured  → PhotoViewController 0x1f00
  Fixes, best first:
    • capture the PhotoViewController (+32) weakly in the block that runs __34-[PhotoViewController viewDidLoad]_block_invoke
    • set PhotoViewController._completion to nil when the block is no longer needed

Without names: a block of Photos, which has no debug info
""")

    def test_an_answer_with_nothing_in_it_does_not_break_the_report(self):
        text = report({"loupe": 1, "query": "retain-cycles", "knots": [{}]}, Style())
        self.assertIn("retain cycle", text)


if __name__ == "__main__":
    unittest.main()
