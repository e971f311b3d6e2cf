"""Where libobjc2's pools had an object once, nothing holds it; where they have it, it is held.

usage: test_pools.py LOUPE PROGRAM GDB; the last may be empty
"""
import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "leaks"))
from waiting import LooksAlike  # noqa: E402

LOUPE, PROGRAM, GDB = sys.argv[1:]


class Pools(LooksAlike, unittest.TestCase):
    program, gdb = PROGRAM, GDB

    def check(self, target):
        done = subprocess.run([LOUPE, "find", target, "Thing", "--json", "--limit", "0"],
                              stdout=subprocess.PIPE, encoding="utf-8", timeout=1800, check=True)
        objects = {thing["address"]: thing for thing in json.loads(done.stdout)["objects"]}
        self.assertEqual(len(self.truth()), 12)
        for name, address in self.truth():
            self.assertEqual(objects[address]["reachable"], name == "held", (name, address))
        done = subprocess.run([LOUPE, "leaks", target, "--json"], stdout=subprocess.PIPE,
                              encoding="utf-8", timeout=1800, check=False)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["lost"]["objects"], 8, answer["leaks"])
        self.assertEqual(sorted((leak["kind"], leak["count"]) for leak in answer["leaks"]),
                         [("cycle", 2), ("leak", 4)])
        self.assertEqual({leak["class"] for leak in answer["leaks"]}, {"Thing"})  # no page


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
