"""The shipped rules for UIKit on a double of it: every event and every exemption."""
import pathlib
import sys
import tempfile
import unittest
from typing import List

import watching

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from share import share_of  # noqa: E402

# What each takes away, as screens that leak by a ring of their own.
EVENTS = {
    "pop": 1, "pop-to": 2, "pop-to-root": 2, "swipe": 1, "dismiss": 1, "dismiss-itself": 1,
    "set-controllers": 1, "tabs": 1, "turn-page": 1, "split": 1, "child": 1, "observed": 1,
    "set-controllers-at-once": 1, "tabs-animated": 1, "swipe-twice": 1,
}
QUIET = ("swipe-half-way", "switch-tab", "pushed-again", "reused-view", "action", "touch", "spared",
         "collapsed-split", "alert", "cells")


class UIKit(watching.Case):
    def run_screen(self, scenario: str, mode: str = "clean", **more: str) -> watching.Run:
        run = watching.Run("watch_screens", scenario, mode, rules="uikit", **more)
        self.assertEqual((run.code, run.output), (0, "done\n"), run.text)
        return run

    def leaks(self, run: watching.Run) -> List[str]:
        return [f"{report['class']}: {report['reason']}" for report in run.reports]

    def test_screens_that_die_are_silent(self) -> None:
        for scenario in share_of([*EVENTS, "dismiss-two", "dismiss-navigation", "new-root"]):
            with self.subTest(scenario):
                self.silent(self.run_screen(scenario))

    def test_screens_that_leak_are_reported_once_with_their_ring(self) -> None:
        for scenario, count in share_of(EVENTS.items()):
            with self.subTest(scenario):
                run = self.run_screen(scenario, "leaked")
                self.assertEqual(run.events(), ["leak PhotoScreen"] * count, run.text)
                for report in run.reports:
                    self.assertIn("PhotoScreen._onDone", self.ring(report)[0]
                                  + self.ring(report)[1])
                    self.assertEqual(report["children"], 2)  # its view, and the subview of that
                self.assertIn("capture ", run.text)
                self.assertIn(" weakly in the block in -[PhotoScreen viewDidLoad]", run.text)

    def test_what_is_found_late_is_counted_with_its_screen(self) -> None:
        run = self.run_screen("pop-slowly", "leaked")
        self.assertEqual([report["children"] for report in run.reports], [2], run.text)

    def test_what_was_below_others_is_found(self) -> None:
        run = self.run_screen("dismiss-two", "leaked")
        self.assertEqual(run.events(), ["leak PhotoScreen"], run.text)
        run = self.run_screen("dismiss-navigation", "leaked")
        self.assertEqual(run.events(), ["leak PhotoScreen"], run.text)
        self.assertEqual(run.reports[0]["reason"],
                         "part of a UINavigationController: it was dismissed")
        run = self.run_screen("new-root", "leaked")
        self.assertEqual(self.leaks(run), ["PhotoScreen: part of a UINavigationController: the "
                                           "window got another root"], run.text)

    def test_what_is_used_again_and_what_the_system_keeps_is_silent(self) -> None:
        for scenario in share_of(QUIET):
            with self.subTest(scenario):
                self.silent(self.run_screen(scenario))

    def test_a_screen_in_no_ring_is_told_who_holds_it(self) -> None:
        run = self.run_screen("singleton")
        self.assertEqual(run.events(), ["leak PhotoScreen"])
        self.assertIn("Not in a retain cycle\n  Held by _kept (ivar) of Store 0x", run.text)

    def test_a_view_that_outlives_its_screen_is_reported_alone(self) -> None:
        run = self.run_screen("kept-view")
        self.assertEqual(self.leaks(run),
                         ["UIView: part of a PhotoScreen: it was taken off its container"])

    def test_what_was_last_is_due_when_another_takes_its_place(self) -> None:
        run = self.run_screen("touch-elsewhere")
        self.assertEqual(self.leaks(run),
                         ["UIView: part of a PhotoScreen: it was taken off its container"])
        run = self.run_screen("collapsed-split-twice")
        self.assertEqual(run.events(), ["leak PhotoScreen"])

        run = self.run_screen("action-elsewhere")
        self.assertEqual(self.leaks(run),
                         ["UIControl: part of a ActionScreen: it was taken off its container"])

    def test_an_alert_that_something_keeps_is_told_like_any_controller(self) -> None:
        run = self.run_screen("kept-alert")
        self.assertEqual(self.leaks(run), ["UIAlertController: it was dismissed"])
        self.assertIn("Held by _kept (ivar) of Store 0x", run.text)

    def test_a_web_view_that_lives_on_is_told_alone_and_spared_by_a_line(self) -> None:
        run = self.run_screen("web-view")
        self.assertEqual(self.leaks(run), ["UIWebView: part of a PhotoScreen: it was taken off its container"])
        self.silent_with("web-view", "spare UIWebView because its thread lets it go later")

    def test_cells_that_are_used_again_elsewhere_are_told_alone_and_spared_by_a_line(self) -> None:
        run = self.run_screen("shared-cells")
        self.assertEqual(self.leaks(run),
                         ["UITableViewCell: part of a PhotoScreen: it was taken off its container"])
        self.silent_with("shared-cells", "spare UITableViewCell because all tables share them")

    def test_a_screen_says_itself_that_it_stays(self) -> None:
        self.assertEqual(self.run_screen("will-not-die").events(), ["leak PhotoScreen"])
        self.silent_with("will-not-die", "spare UIViewController when willDealloc is false")
        self.silent_with("will-not-die", "spare PhotoScreen when stays is true")

    def test_other_objects_are_to_go_with_a_screen_where_a_line_says_so(self) -> None:
        self.silent(self.run_screen("kept-model"))
        run = self.run_with("kept-model", "along model of PhotoScreen because it is the screen's alone")
        self.assertEqual(self.leaks(run), ["NSObject: part of a PhotoScreen: it was taken off its container"])

    def test_a_ring_of_any_length_is_found(self) -> None:
        run = self.run_screen("long-ring")
        self.assertEqual(run.events(), ["leak PhotoScreen"])
        self.assertEqual(len(self.ring(run.reports[0])), 26)

    def run_with(self, scenario: str, line: str) -> watching.Run:
        """With a line more than the shipped rules."""
        with tempfile.NamedTemporaryFile("w", suffix=".loupe-rules") as file:
            file.write(f"{line}\n")
            file.flush()
            return watching.Run("watch_screens", scenario, "clean", rules=f"uikit:{file.name}")

    def silent_with(self, scenario: str, line: str) -> None:
        run = self.run_with(scenario, line)
        self.assertEqual((run.code, run.output, run.text), (0, "done\n", ""))

    def test_a_late_death_takes_the_report_back(self) -> None:
        run = self.run_screen("late-free")
        self.assertEqual(run.events(), ["leak PhotoScreen", "late PhotoScreen"])
        self.assertIn(" s late: not a leak", run.text)

    def test_a_screen_shown_again_takes_the_report_back(self) -> None:
        run = self.run_screen("pushed-again-late")
        self.assertEqual(run.events(), ["leak PhotoScreen", "again PhotoScreen"])


if __name__ == "__main__":
    unittest.main()
