"""Objects that one thing alone holds, each another one: none is called lost, live and in a core.

usage: test_held_only.py LOUPE PROGRAM GDB; the last may be empty
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

LOUPE, PROGRAM, GDB = sys.argv[1:]


class HeldOnly(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)
        self.program = subprocess.Popen([PROGRAM, self.folder / "truth"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.program.communicate)
        self.assertEqual("ready\n", self.program.stdout.readline())
        lines = (line.split() for line in (self.folder / "truth").read_text().splitlines())
        self.held = {address: name for _, address, name in lines}

    def check(self, target):
        done = subprocess.run([LOUPE, "find", target, "Thing", "--json", "--limit", "0"],
                              stdout=subprocess.PIPE, encoding="utf-8", timeout=60, check=True)
        objects = {thing["address"]: thing for thing in json.loads(done.stdout)["objects"]}
        self.assertEqual(set(self.held), set(objects))
        self.assertEqual({}, {at: name for at, name in self.held.items()
                              if not objects[at]["reachable"]})

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
