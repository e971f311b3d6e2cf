"""As in CI: rings that are recorded in a file do not fail a run, others do."""
import json
import pathlib
import tempfile
import unittest

import session

TO_THE_STOP = (f"breakpoint set --name {session.READY}", "process launch --stdout /dev/null", "up")


class Baseline(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name) / "known rings.txt"

    def ask(self, options, fixture="self_block"):
        return session.batch(*TO_THE_STOP, f"retain-cycles {options} seed",
                             program=session.fixture(fixture))

    def record(self, fixture):
        finished = self.ask(f'--write-baseline "{self.path}"', fixture)
        self.assertEqual(0, finished.returncode, finished.stderr)
        return self.path.read_text(encoding="utf-8")

    def test_a_recorded_ring_is_hidden_and_counted_in_every_engine(self):
        self.assertRegex(self.record("self_block"),
                         r"\n[0-9a-f]{16}  # Owner\._handler -> block\.self -> \(closed\)\n$")
        for engine in ("memory", "helper"):
            finished = self.ask(f'--engine {engine} --baseline "{self.path}"')
            self.assertEqual(0, finished.returncode, finished.stderr)
            self.assertIn("\nNo new retain cycle reachable from seed (Owner 0x", finished.stdout)
            self.assertIn("\nHidden by the baseline: 1 loop\n", finished.stdout)

    def test_a_ring_that_is_not_recorded_fails_the_run(self):
        self.record("ring_of_3")
        finished = self.ask(f'--baseline "{self.path}"')
        self.assertEqual(1, finished.returncode)
        self.assertIn("\n1 new leaked retain cycle through seed (Owner 0x", finished.stdout)
        self.assertIn("error: retain-cycles: found 1 new leaked retain cycle\n", finished.stderr)

    def test_one_ring_of_a_knot_that_is_not_recorded_fails_the_run(self):
        text = self.record("byref_shared")
        lines = text.splitlines(keepends=True)
        self.assertEqual(3, len(lines), text)
        self.path.write_text("".join(lines[:2]), encoding="utf-8")
        finished = self.ask(f'-j --baseline "{self.path}"', "byref_shared")
        self.assertEqual(1, finished.returncode)
        answer = next(json.loads(line) for line in finished.stdout.splitlines()
                      if line.startswith("{"))
        self.assertEqual({"hidden_rings": 1, "hidden_knots": 0, "hidden_possible": 0,
                          "knots_not_compared": 0,
                          "not_met": 0},
                         answer["baseline"])
        rings = answer["knots"][0]["rings"]
        self.assertEqual([lines[2].split()[0]], [ring["fingerprint"] for ring in rings])

    def test_recording_into_the_file_compared_with_adds_to_it(self):
        before = self.record("ring_of_3").splitlines()
        finished = self.ask(f'--baseline "{self.path}" --write-baseline "{self.path}"')
        self.assertEqual(0, finished.returncode, finished.stderr)
        self.assertIn("\n1 new leaked retain cycle through seed", finished.stdout)
        self.assertIn(f"\nbaseline written to {self.path}: {len(before)} loops\n", finished.stdout)
        after = self.path.read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(before) + 1, len(after))
        self.assertLess(set(before), set(after))

    def test_a_bad_file_is_one_error_line_and_fails_the_run(self):
        for content, reason in ((None, "cannot read the baseline "),
                                ("<<<<<<< HEAD\n", "in line 1: '<<<<<<< HEAD'")):
            if content:
                self.path.write_text(content, encoding="utf-8")
            finished = self.ask(f'--baseline "{self.path}"')
            self.assertEqual(2, finished.returncode)
            lines = [line for line in finished.stderr.splitlines() if "baseline" in line]
            self.assertEqual(1, len(lines), finished.stderr)
            self.assertIn(reason, lines[0])
            self.assertNotIn("retain cycle through", finished.stdout)


if __name__ == "__main__":
    unittest.main()
