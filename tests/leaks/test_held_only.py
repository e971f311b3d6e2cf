"""Objects that one thing alone holds, each another one: none is called lost, live and in a core.

usage: test_held_only.py LOUPE PROGRAM GDB; the last may be empty
"""
import json
import subprocess
import sys
import unittest

from waiting import LooksAlike

LOUPE, PROGRAM, GDB = sys.argv[1:]


class HeldOnly(LooksAlike, unittest.TestCase):
    program, gdb = PROGRAM, GDB

    def check(self, target):
        done = subprocess.run([LOUPE, "find", target, "Thing", "--json", "--limit", "0"],
                              stdout=subprocess.PIPE, encoding="utf-8", timeout=1800, check=True)
        objects = {thing["address"]: thing for thing in json.loads(done.stdout)["objects"]}
        held = {address: name for name, address in self.truth()}
        self.assertEqual(set(held), set(objects))
        self.assertEqual({}, {at: name for at, name in held.items()
                              if not objects[at]["reachable"]})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
