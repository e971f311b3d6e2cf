"""What owns in structs is known by .cxx_destruct, however the program was compiled, with symbols or
without, before anything was destroyed.

usage: test_struct_members.py LOUPE GDB PROGRAM...; GDB may be empty
"""
import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "leaks"))
from waiting import Waits  # noqa: E402

LOUPE, GDB, *PROGRAMS = sys.argv[1:]


class StructMembers(Waits, unittest.TestCase):
    gdb, files = GDB, ()

    def setUp(self):
        """Each program is started by its test."""

    def check(self, target):
        done = subprocess.run([LOUPE, "leaks", target, "--json"], stdout=subprocess.PIPE,
                              encoding="utf-8", timeout=1800, check=False)
        leak, = json.loads(done.stdout)["leaks"]
        knot = leak["knot"]
        self.assertEqual((leak["kind"], knot["certain"], knot["objects"], knot["edges"]),
                         ("cycle", True, 7, 12), json.dumps(leak, indent=1))

    def test_all_builds_and_a_core(self):
        for number, program in enumerate(PROGRAMS):
            with self.subTest(pathlib.Path(program).name):
                self.program = program
                super().setUp()
                self.check(str(self.process.pid))
                if not number and self.gdb:
                    self.check(self.core())
                self.finish()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
