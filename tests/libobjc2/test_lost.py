"""What a program on today's gnustep-base and libobjc2 lost is found, and what it did not is not.

usage: test_lost.py LOUPE PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

LOUPE, PROGRAM = sys.argv[1:]

KINDS = ["error", "exception", "predicate", "sort_descriptor", "progress", "enumerator", "cache",
         "attributed_string", "queue", "undo_manager", "proxy", "pointer_array", "literals"]


def ask(process, *arguments):
    return subprocess.run([LOUPE, arguments[0], str(process.pid), *arguments[1:]], timeout=1700,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


class Lost(unittest.TestCase):
    def run_program(self, what):
        """The process that waits, and what it knows of its objects: pairs of name and address."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        truth = pathlib.Path(folder.name) / "truth"
        process = subprocess.Popen([PROGRAM, truth, what], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate, timeout=1700)
        self.assertEqual("ready\n", process.stdout.readline())
        return process, [tuple(line.split()) for line in truth.read_text().splitlines()]

    def reachable(self, process, name):
        done = ask(process, "find", name, "--json", "--limit", "0")
        self.assertEqual("", done.stderr)
        return {thing["address"]: thing["reachable"] for thing in json.loads(done.stdout)["objects"]}

    def check_observers(self, what):
        process, truth = self.run_program(what)
        reachable = self.reachable(process, "Thing")
        for name, address in truth:
            self.assertEqual({"held": True, "lost": False, "gone": None}[name],
                             reachable.get(address), (name, address))
        leaks = json.loads(ask(process, "leaks", "--json").stdout)
        self.assertEqual(["GSNotificationObserver"], [leak["class"] for leak in leaks["leaks"]])
        return ask(process, "path", dict(truth)["held"]).stdout

    def test_what_a_center_holds_for_a_block_is_not_lost(self):
        path = self.check_observers("observers")
        self.assertIn("↓ observers (element)\n  ├─ GSNotificationObserver ", path)

    def test_what_a_center_of_no_known_version_may_hold_is_not_lost(self):
        path = self.check_observers("moved_table")
        self.assertNotIn("observers (element)", path)
        self.assertIn("(conservative)\n  ├─ GSNotificationObserver ", path)

    def test_what_is_lost_is_not_said_to_be_held(self):
        process, _ = self.run_program("retained_ring")
        said = ask(process, "leaks").stdout
        self.assertIn("Retain cycle of 2 objects, unreachable\n", said)
        self.assertIn("  A release is also missing: 1 retain is unaccounted for, so breaking the cycle alone "
                      "does not free all of it\n", said)
        self.assertNotIn("Held by", said)

    def test_a_ring_through_each_class_of_many_is_found(self):
        process, truth = self.run_program("kinds")
        self.assertEqual(KINDS, [name for name, _ in truth if name != "numbers"])
        reachable = self.reachable(process, "Thing")
        knots = json.loads(ask(process, "cycles", "--json", "--limit", "0").stdout)["knots"]
        rings = [json.dumps(knot["rings"]) for knot in knots]
        found = json.loads(ask(process, "leaks", "--json", "--limit", "0").stdout)["leaks"]
        self.assertEqual([], [leak["class"] for leak in found if leak["kind"] != "cycle"])
        leaks = [json.dumps(leak["ring"]) for leak in found]
        for name, address in truth:
            if name == "numbers":
                continue
            self.assertEqual(1, sum(address in ring for ring in rings), (name, address))
            self.assertEqual(1, sum(address in ring for ring in leaks), (name, address))
            self.assertIs(False, reachable[address], (name, address))
        numbers = self.reachable(process, "NSArray")
        self.assertIs(False, numbers[dict(truth)["numbers"]])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
