"""The shipped rules for GNUstep, on its real AppKit under a virtual display: watched, and in snapshots."""
import os
import shutil
import subprocess
import sys
import unittest

import suspects
import watching

XVFB = shutil.which("Xvfb")


class AppKit(watching.Case):
    @classmethod
    def setUpClass(cls) -> None:
        read, write = os.pipe()
        cls.display = subprocess.Popen(
            [XVFB, "-displayfd", str(write), "-screen", "0", "320x240x24"], pass_fds=[write],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as number:
            cls.number = f":{number.readline().strip()}"

    @classmethod
    def tearDownClass(cls) -> None:
        cls.display.terminate()
        cls.display.wait()

    def run_window(self, mode: str) -> watching.Run:
        run = watching.Run("window", mode, rules="gnustep", DISPLAY=self.number)
        self.assertEqual((run.code, run.output), (0, "done\n"), run.text)
        return run

    def test_windows_that_die_are_silent(self) -> None:
        self.assertEqual(self.run_window("clean").events(), [])
        self.assertEqual(self.run_window("many").events(), [])

    def test_a_window_in_a_ring_is_reported_with_its_views_below(self) -> None:
        run = self.run_window("leaked")
        self.assertEqual(run.events(), ["leak NSWindow"])
        self.assertEqual(run.reports[0]["children"], 2)
        self.assertIn("Panel._owner", self.ring(run.reports[0]))

    def test_a_view_that_outlives_its_window_is_reported_alone(self) -> None:
        self.assertEqual(self.run_window("view").events(), ["leak Panel"])

    def heap(self, mode: str) -> suspects.Heap:
        return suspects.Heap("window", mode, "stay", DISPLAY=self.number)

    def test_in_a_snapshot_windows_and_what_they_lead_to_are_no_suspects(self) -> None:
        for mode in ("clean", "open", "many"):
            self.assertEqual(self.heap(mode).all(), [], mode)

    def test_in_a_snapshot_a_screen_that_left_its_window_is_one_with_its_ring(self) -> None:
        heap = self.heap("screen")
        self.assertEqual(heap.all(), ["leaked Later"])
        ring = heap.answer["leaked"][0]["knots"][0]["rings"][0]["edges"]
        self.assertEqual([edge["path"] for edge in ring], ["view", "_owner"])

    def test_in_a_snapshot_a_view_of_no_window_is_one_with_who_holds_it(self) -> None:
        heap = self.heap("view")
        self.assertEqual(heap.all(), ["held Panel"])
        self.assertEqual(heap.answer["suspects"][0]["path"]["root"]["name"], "kept")


if __name__ == "__main__":
    if not XVFB:
        print("skipped: no Xvfb (package xvfb)")
        sys.exit(77)
    unittest.main()
