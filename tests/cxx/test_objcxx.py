"""Rings of Objective-C and C++: each is a retain cycle, whatever GCC's libobjc leaves behind.

usage: test_objcxx.py LOUPE PROGRAM
"""
import json
import subprocess
import sys
import unittest

LOUPE, PROGRAM = sys.argv[1:]
COPIES = 5  # of each kind
KINDS = {"Feed", "Index", "Poller", "Plain"}


class Rings(unittest.TestCase):
    def test_rings_of_both_languages(self):
        process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.communicate, timeout=1800)
        self.assertEqual("ready\n", process.stdout.readline())
        done = subprocess.run([LOUPE, "cycles", str(process.pid), "--json", "-n", "0"],
                              stdout=subprocess.PIPE, encoding="utf-8", timeout=1800, check=False)
        answer = json.loads(done.stdout)
        classes = {address: thing["class"] for address, thing in answer["objects"].items()}
        found = {}
        for knot in answer["knots"]:
            members = {classes[edge["from"]] for ring in knot["rings"] for edge in ring["edges"]}
            self.assertEqual("leaked", knot["verdict"])
            for name in members & KINDS:
                found.setdefault(name, []).append(knot)
        self.assertEqual(KINDS, set(found))
        names = {name: {edge["path"] for ring in found[name][0]["rings"] for edge in ring["edges"]
                        if classes[edge["from"]] == name} for name in KINDS}
        self.assertEqual({"Feed": {"store"}, "Index": {"store"}, "Poller": {"again"},
                          "Plain": {"keeper"}}, names)
        self.assertEqual({"make Feed.store a std::weak_ptr",
                          "make Index.store a std::weak_ptr"},
                         {knot["fixes"][0]["text"] for name in ("Feed", "Index")
                          for knot in found[name]})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
