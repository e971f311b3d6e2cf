"""Objects that libdispatch alone holds: none is called lost but those of a queue that nobody knows.

usage: test_queues.py LOUPE PROGRAM GDB; the last may be empty
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

LOUPE, PROGRAM, GDB = sys.argv[1:]


def ask(verb, *arguments):
    done = subprocess.run([LOUPE, verb, *arguments, "--json", "--limit", "0"],
                          stdout=subprocess.PIPE, encoding="utf-8", timeout=60, check=False)
    return json.loads(done.stdout)


class Queues(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)
        self.program = subprocess.Popen([PROGRAM, self.folder / "truth"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.program.communicate)
        self.assertEqual("ready\n", self.program.stdout.readline())
        lines = (line.split() for line in (self.folder / "truth").read_text().splitlines())
        self.names = {address: name for name, address in lines}
        self.assertEqual(21, len(self.names))

    def check(self, target):
        objects = {thing["address"]: thing for thing in ask("find", target, "Thing")["objects"]}
        self.assertEqual(set(self.names), set(objects))
        lost = {self.names[at] for at, thing in objects.items() if not thing["reachable"]}
        self.assertEqual({"lost"}, lost)
        # That queue is all that leaks: neither a source nor anything else of libdispatch does.
        self.assertEqual([1], [leak["count"] for leak in ask("leaks", target)["leaks"]])

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
