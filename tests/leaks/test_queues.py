"""Objects that libdispatch alone holds: none is called lost but those of a queue that nobody knows.

usage: test_queues.py LOUPE PROGRAM GDB; the last may be empty
"""
import json
import subprocess
import sys
import unittest

from waiting import LooksAlike

LOUPE, PROGRAM, GDB = sys.argv[1:]


def ask(verb, *arguments):
    done = subprocess.run([LOUPE, verb, *arguments, "--json", "--limit", "0"],
                          stdout=subprocess.PIPE, encoding="utf-8", timeout=1800, check=False)
    return json.loads(done.stdout)


class Queues(LooksAlike, unittest.TestCase):
    program, gdb = PROGRAM, GDB

    def check(self, target):
        objects = {thing["address"]: thing for thing in ask("find", target, "Thing")["objects"]}
        names = {address: name for name, address in self.truth()}
        self.assertEqual(21, len(names))
        self.assertEqual(set(names), set(objects))
        lost = {names[at] for at, thing in objects.items() if not thing["reachable"]}
        self.assertEqual({"lost"}, lost)
        # That queue is all that leaks: neither a source nor anything else of libdispatch does.
        self.assertEqual([1], [leak["count"] for leak in ask("leaks", target)["leaks"]])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
