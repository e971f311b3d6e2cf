"""A program that is asking itself: what the helper knows of it meanwhile keeps nothing alive for
whoever looks at it from outside, live and in a core.

usage: test_asking.py LOUPE PROGRAM GDB; the last may be empty
"""
import json
import subprocess
import sys
import unittest

from waiting import LooksAlike

LOUPE, PROGRAM, GDB = sys.argv[1:]
MADE = 2000  # of each class
ON_STACKS = 10  # a few words of the last ones may have stayed there


class Asking(LooksAlike, unittest.TestCase):
    program, gdb, files = PROGRAM, GDB, ("too_long",)

    def finish(self):
        super().finish()
        self.assertEqual(0, self.process.returncode)

    def reachable(self, target, name):
        done = subprocess.run([LOUPE, "find", target, name, "--json", "--limit", "0"],
                              stdout=subprocess.PIPE, encoding="utf-8", timeout=1800, check=True)
        objects = json.loads(done.stdout)["objects"]
        self.assertEqual(MADE, len(objects))
        return sum(thing["reachable"] for thing in objects)

    def check(self, target):
        self.assertLessEqual(self.reachable(target, "Dropped"), ON_STACKS)
        self.assertEqual(MADE, self.reachable(target, "Kept"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
