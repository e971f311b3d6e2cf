"""A program that is asking itself: what the helper knows of it meanwhile keeps nothing alive for
whoever looks at it from outside, live and in a core.

usage: test_asking.py LOUPE PROGRAM GDB; the last may be empty
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

LOUPE, PROGRAM, GDB = sys.argv[1:]
MADE = 2000  # of each class
ON_STACKS = 10  # a few words of the last ones may have stayed there


class Asking(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)
        self.program = subprocess.Popen([PROGRAM, self.folder / "too_long"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.finish)
        self.assertEqual("ready\n", self.program.stdout.readline())

    def finish(self):
        self.program.communicate()
        self.assertEqual(0, self.program.returncode)

    def reachable(self, target, name):
        done = subprocess.run([LOUPE, "find", target, name, "--json", "--limit", "0"],
                              stdout=subprocess.PIPE, encoding="utf-8", timeout=60, check=True)
        objects = json.loads(done.stdout)["objects"]
        self.assertEqual(MADE, len(objects))
        return sum(thing["reachable"] for thing in objects)

    def check(self, target):
        self.assertLessEqual(self.reachable(target, "Dropped"), ON_STACKS)
        self.assertEqual(MADE, self.reachable(target, "Kept"))

    def test_live(self):
        self.check(str(self.program.pid))

    @unittest.skipUnless(GDB, "gdb is not installed")
    def test_in_a_core(self):
        core = self.folder / "core"
        subprocess.run([GDB, "-nx", "-batch", "-p", str(self.program.pid), "-ex", f"gcore {core}"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        self.check(core)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
