"""./run demo --swift: a screen that a closure keeps, named to its line, and a task that never ends; then neither.

usage: test_demo.py SCRIPT BUILD
"""
import subprocess
import sys
import unittest

SCRIPT, BUILD = sys.argv[1:]


class Demo(unittest.TestCase):
    def test_it_names_both_and_then_nothing(self):
        done = subprocess.run([SCRIPT, "--build", BUILD], stdout=subprocess.PIPE, encoding="utf-8", timeout=1800,
                              check=True)
        leaky, repaired = done.stdout.split("--repaired")
        for line in ("3 × An object that retains itself", "onRefresh  captured  → ", "swift_feed.FeedScreen",
                     "capture [weak self] in closure #1 in FeedScreen.bind() at feed.swift:22",
                     "cancel the Task, or finish what it waits for", "closure #1 in Downloads.listen()"):
            self.assertIn(line, leaky)
        self.assertIn("No leaks found", repaired)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
