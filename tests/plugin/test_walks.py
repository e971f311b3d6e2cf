"""Walks that end early, and walks around memory that is not there.

usage: test_walks.py (Limits|Holes) with the environment that CMakeLists.txt sets. The programs are
long_walk.m and holes.m.
"""
import json
import os
import re
import subprocess
import tempfile
import unittest

from lldb_runs import answers_in, commands_to_ask, in_lldb, not_followed, options_of, run_lldb

PROGRAMS = os.environ["LOUPE_PROGRAMS"]


class Limits(unittest.TestCase):
    """What ends a walk early is told, and what was found until then is there."""

    LINKS = 600000

    @classmethod
    def setUpClass(cls):
        cls.output = in_lldb(
            "ask_limits.py", LOUPE_LINKS=str(cls.LINKS),
            LOUPE_PROGRAM=os.path.join(PROGRAMS, "long_walk"),
        )  # fmt: skip
        lines = re.findall(r"^([a-z-]+) (\{.*\})$", cls.output, re.M)
        cls.answers = {name: json.loads(answer) for name, answer in lines}

    def check(self, name, status, objects, reasons):
        answer = self.answers[name]
        self.assertEqual((answer["status"], not_followed(answer)), (status, reasons))
        self.assertIn(answer["stats"]["objects"], objects)
        self.assertEqual([knot["objects"] for knot in answer["knots"]], [2])

    def test_walk_without_a_limit_is_whole(self):
        self.check("whole", "ok", [self.LINKS + 2], {})

    def test_limit_of_objects(self):
        self.check("limit", "incomplete", [1000], {"objects beyond the limit": 1})

    def test_limit_of_bytes_keeps_what_was_read(self):
        self.check("bytes", "incomplete", range(3, self.LINKS), {"objects beyond the limit": 1})
        self.assertLessEqual(self.answers["bytes"]["stats"]["bytes"], 1 << 20)
        self.assertGreater(self.answers["bytes"]["stats"]["bytes"], 1 << 19)

    def test_limit_of_bytes_before_anything_is_known_is_an_error(self):
        answer = self.answers["no-bytes"]
        self.assertEqual((answer["status"], answer["error"]["code"]), ("error", "limit"))

    def test_timeout(self):
        answer = self.answers["timeout"]
        self.assertEqual(answer["status"], "incomplete")
        self.assertEqual(not_followed(answer), {"objects left when the search was interrupted": 1})
        self.assertEqual((answer["stats"]["objects"], answer["knots"]), (1, []))

    def test_interruption_by_a_program_that_uses_lldb(self):
        if "progress long -1" in self.output:
            self.skipTest("this lldb tells no program that a walk takes long")
        reasons = {"objects left when the search was interrupted": 1}
        self.check("interrupt", "incomplete", range(3, self.LINKS), reasons)
        self.check("afterwards", "ok", [self.LINKS + 2], {})

    def test_only_a_long_walk_reports_progress(self):
        small, long = (
            int(re.search(rf"^progress {which} (-?\d+)$", self.output, re.M)[1])
            for which in ("small", "long")
        )
        if long < 0:
            self.skipTest("this lldb shows no progress")
        self.assertEqual(small, 0)
        self.assertGreater(long, 10)


class Holes(unittest.TestCase):
    """Pages that are protected or not there cost what is on them and nothing else."""

    PROGRAM = os.path.join(PROGRAMS, "holes")

    def check(self, answer, objects, **reasons):
        self.assertEqual(answer["status"], "ok")
        self.assertEqual(answer["stats"]["objects"], objects)
        self.assertEqual(sorted(knot["objects"] for knot in answer["knots"]), [2, 2])
        paths = sorted(
            sorted(edge["path"] for edge in knot["rings"][0]["edges"]) for knot in answer["knots"]
        )
        self.assertEqual(paths, [["_edge", "_left"], ["_left", "_left"]])
        self.assertEqual(not_followed(answer), reasons)

    def ask(self, commands):
        run = run_lldb(options_of(commands_to_ask() + commands))
        return answers_in(run.stdout)

    def test_live_before_there_are_holes_and_after(self):
        before, after = self.ask([
            f"target create '{self.PROGRAM}'", "breakpoint set --name heap_ready", "run",
            "ask-seed", "continue", "ask-seed",
        ])  # fmt: skip
        self.check(before, objects=6)
        # Seed, first, beyond, edge. Not the objects on pages 2 and 4, nor edge's word on page 2.
        self.check(after, objects=4, **{"unreadable memory": 3})

    def test_core_has_what_is_protected_but_not_what_is_unmapped(self):
        with tempfile.TemporaryDirectory() as work:
            core = os.path.join(work, "core")
            commands = ["set breakpoint pending on", "break heap_ready", "run", "continue",
                        f"gcore {core}", "kill"]  # fmt: skip
            options = [part for command in commands for part in ("-ex", command)]
            subprocess.run(
                [os.environ["LOUPE_GDB"], "-nx", "-batch", *options, self.PROGRAM],
                capture_output=True, check=False,
            )  # fmt: skip
            commands = [f"target create --core '{core}' '{self.PROGRAM}'", "ask-seed"]
            (answer,) = self.ask(commands)
        self.check(answer, objects=5, **{"unreadable memory": 1})


if __name__ == "__main__":
    unittest.main()
