"""Words that may be stale, asked about in LLDB: below the stack pointer of a thread that waits, and in a register.
And a retain cycle of which a search from one object cannot tell that it leaked."""
import json
import tempfile
import unittest

import session

PROGRAM = session.BUILD / "tests" / "leaks" / "leftover"
READY = "all_is_there"
UNDECIDED = "Whether it leaked: loupe leaks (searches the whole heap)\n"


@unittest.skipUnless(PROGRAM.exists(), "no GNUstep here, or another processor")
class Leftover(unittest.TestCase):
    def ask(self, *commands, **changes):
        [run] = session.carry_out([{"program": str(PROGRAM), "stop": READY, "frame": 1, "commands": list(commands)}],
                                  env=session.environment(LOUPE_TOOL=session.BUILD / "cli" / "loupe", **changes))
        self.assertEqual("", run["problem"])
        return [result["output"] + result["error"] for result in run["commands"]]

    def test_they_own_nothing(self):
        leaks, *held = self.ask("loupe leaks --json", *(
            f"strong-refs --incoming --engine {engine} -j ~hidden.{name}"
            for engine in ("memory", "helper") for name in ("kept", "below", "in_register")))
        found = json.loads(leaks)
        self.assertEqual({("Observing", "unowned"), ("Ring", "unowned")},
                         {(leak["class"], leak["degree"]) for leak in found["leaks"]})
        self.assertEqual(4, found["on_stacks_only"]["objects"])
        for number, answer in enumerate(map(json.loads, held)):
            self.assertEqual("held" if number % 3 == 0 else "unknown", answer["verdict"]["kind"], answer["verdict"])
            self.assertEqual(number % 3 == 0, bool(answer["holders_found"]))

    def test_a_path_begins_elsewhere(self):
        path, owners, shown = self.ask("loupe path ~hidden.kept", "loupe retained ~hidden.kept",
                                       "loupe path ~hidden.below")
        self.assertIn("\n  ┬ shelf (global in leftover.m)\n", path)
        self.assertIn("Its dominators, nearest first:\n", owners)
        self.assertIn("only from the stack of running code, possibly stale\n", shown)

    def test_the_snapshot_of_the_stop_decides(self):
        """Where there is one; else it is said who would know."""
        before, leaks, after = self.ask("retain-cycles ~hidden.ring", "loupe leaks", "retain-cycles ~hidden.ring")
        self.assertIn("Possible retain cycle of 2 objects, unknown: ", before)
        self.assertIn(UNDECIDED, before)
        self.assertIn(" Possible retain cycle of 2 objects, leaked: only stack or register values point to it ", leaks)
        self.assertIn("Possible retain cycle of 2 objects, leaked: nothing outside the cycle retains it\n", after)
        self.assertNotIn(UNDECIDED, after)

    def test_an_expression_that_was_interpreted_makes_nothing_incomplete(self):
        """LLDB maps memory for it, which is no other stop, after a question has listed all that is mapped."""
        with tempfile.NamedTemporaryFile() as no_plugin:  # which LLDB refuses: the tool reads in its place
            for changes in ({}, {"LOUPE_PLUGIN": no_plugin.name}):
                *_, leaks = self.ask("retain-cycles ~hidden.ring", "expression -l objective-c -- *(id *)&hidden.ring",
                                     "loupe leaks --json", **changes)
                answer = json.loads(leaks[leaks.index("{"):])
                self.assertEqual("ok", answer["status"], answer["not_followed"])


if __name__ == "__main__":
    unittest.main()
