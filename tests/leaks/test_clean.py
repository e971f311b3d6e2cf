"""A program that leaks nothing has no leaks, of no kind, also none of its runtime's own memory:
live, in a core, asked from inside, and when it ends.

usage: test_clean.py LOUPE PROGRAM GDB HELPER AT_EXIT KNOWN; what is not there is empty, KNOWN is how
many cells of its own the runtime loses when it starts
"""
import json
import os
import re
import subprocess
import sys
import unittest

from waiting import LooksAlike

LOUPE, PROGRAM, GDB, HELPER, AT_EXIT = sys.argv[1:6]
KNOWN = int(sys.argv[6])
CELL = 24  # bytes of one, as glibc gives them out
# What a baseline of a version had for such a cell that knew memory by its size alone.
OLD_FINGERPRINT = "7d7ca94f6d7fdd52"


class Clean(LooksAlike, unittest.TestCase):
    program, gdb, files = PROGRAM, GDB, ()

    def finish(self):
        super().finish()
        self.assertEqual(0, self.process.returncode)

    def check_answer(self, answer):
        lost = answer["lost"]
        self.assertLessEqual(lost["objects"], KNOWN, answer["leaks"])
        self.assertEqual(CELL * lost["objects"], lost["bytes"])
        self.assertEqual(lost["objects"], sum(leak["count"] for leak in answer["leaks"]))
        self.assertEqual([], answer["miscounted"])

    def leaks(self, target, *options):
        done = subprocess.run([LOUPE, "leaks", target, "--json", *options], stdout=subprocess.PIPE,
                              encoding="utf-8", timeout=60, check=False)
        return done.returncode, json.loads(done.stdout)

    def check(self, target):
        status, answer = self.leaks(target)
        self.assertEqual(1 if answer["leaks"] else 0, status)
        self.check_answer(answer)
        baseline = self.folder / "baseline"
        baseline.write_text(f"{OLD_FINGERPRINT}  # leak of (raw memory)\n")
        status, answer = self.leaks(target, "--baseline", str(baseline))
        self.assertEqual((0, []), (status, answer["leaks"]))

    def run_with(self, library, *arguments, **variables):
        """Another process, with a library of ours in it."""
        return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                              timeout=60, check=True,
                              env={**os.environ, **variables, "LD_PRELOAD": library})

    @unittest.skipUnless(HELPER, "there is no helper")
    def test_inside(self):
        self.check_answer(json.loads(self.run_with(HELPER, "inside").stdout))

    @unittest.skipUnless(AT_EXIT, "there is no library that tells leaks at exit")
    def test_at_exit(self):
        told = self.run_with(AT_EXIT, LOUPE_LEAKS="at-exit").stderr
        counted = re.match(r"No leaks: |(\d+) leaks of 1 kind: \1 objects, ", told)
        assert counted, told
        self.assertLessEqual(int(counted[1] or 0), KNOWN, told)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
