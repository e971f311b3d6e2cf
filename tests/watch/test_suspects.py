"""Shipped rules asked of a snapshot: screens and views of the double of UIKit that no window leads to."""
import pathlib
import tempfile
import unittest

import suspects
from test_uikit import EVENTS, QUIET, share_of

# In a snapshot nobody knows what was touched last, or that a system keeps it on purpose.
KEPT = {"action": ["held UIControl"], "touch": ["held UIView"], "collapsed-split": ["held PhotoScreen"]}
LEAKED = {**EVENTS, "dismiss-two": 1, "dismiss-navigation": 1, "new-root": 1, "kept-for-later": 1}
HELD = {"singleton": ["held PhotoScreen"], "kept-view": ["held UIView"]}


class Suspects(unittest.TestCase):
    def heap(self, scenario: str, mode: str = "clean", rules: str = "") -> suspects.Heap:
        return suspects.Heap("watch_screens", scenario, mode, "stay", rules=rules)

    def test_screens_that_die_and_such_as_are_shown_are_none(self) -> None:
        for scenario in share_of([*LEAKED, *QUIET]):
            with self.subTest(scenario):
                self.assertEqual(self.heap(scenario).all(), KEPT.get(scenario, []))

    def test_screens_that_leak_are_shown_with_their_ring(self) -> None:
        for scenario, count in share_of(LEAKED.items()):
            with self.subTest(scenario):
                heap = self.heap(scenario, "leaked")
                name = "NSKVONotifying_PhotoScreen" if scenario == "observed" else "PhotoScreen"
                self.assertEqual(heap.all(), [f"leaked {name}"] * count)
                group = heap.answer["leaked"][0]
                self.assertEqual((group["count"], group["rule"]["file"]), (count, "uikit"))
                ring = group["knots"][0]["rings"][0]["edges"]
                self.assertEqual({edge["path"] for edge in ring}, {"_onDone", "self"})
                self.assertIn("  Retain cycle of 2 objects, leaked: nothing outside the cycle retains it\n"
                              f"  ╭─▶ PhotoScreen {group['addresses'][0]}\n", heap.text)
                self.assertIn("it was shown, and no window and no container has it any more (line ",
                              heap.text)

    def test_what_is_held_is_shown_with_who_holds_it(self) -> None:
        for scenario, expected in HELD.items():
            with self.subTest(scenario):
                heap = self.heap(scenario)
                self.assertEqual(heap.all(), expected)
                self.assertEqual(heap.answer["suspects"][0]["path"]["edges"][-1]["path"], "_kept")
                self.assertIn("Store._kept  ◀── look here first", heap.text)

    def test_own_rules_come_first_and_say_so(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            rules = pathlib.Path(folder, "our.loupe-rules")
            rules.write_text("alive PhotoScreen because we keep one\n")
            self.assertEqual(self.heap("singleton", rules=str(rules)).all(), [])
            rules.write_text("part Store._kept because it is shown again\n\n"
                             "leaking PhotoScreen when self is outside UIWindow|Store\n")
            self.assertEqual(self.heap("singleton", rules=str(rules)).all(), [])
            heap = self.heap("pop", "leaked", rules=str(rules))
            self.assertEqual(heap.answer["leaked"][0]["rule"], {"file": "our.loupe-rules", "line": 3})

    def test_files_that_are_no_rules_are_named_by_their_line(self) -> None:
        wrong = {"leaking A when self is outside": "a class after 'outside'",
                 "part A": "CLASS.FIELD", "part A.b to": "a class after 'to'",
                 "\x1b[31mleaking A\n": "'leaking', 'alive'",
                 "leaking A when self is outside " + "x" * 100_000 + " y": "'because'"}
        with tempfile.TemporaryDirectory() as folder:
            for text, expected in wrong.items():
                with self.subTest(text[:30]):
                    rules = pathlib.Path(folder, "wrong.loupe-rules")
                    rules.write_text(text)
                    with self.assertRaises(KeyError):
                        self.heap("pop", rules=str(rules)).all()
                    complaint = self.heap("pop", rules=str(rules)).complaint
                    self.assertIn(f"line 1: expected {expected}", complaint)
                    self.assertNotIn("\x1b", complaint)


if __name__ == "__main__":
    unittest.main()
