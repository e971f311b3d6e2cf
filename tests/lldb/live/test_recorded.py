"""Who allocated what: libloupe_record preloaded, asked live by both engines and on a core."""
import json
import pathlib
import tempfile
import unittest

import session

RECORDER = session.library("record")
PRELOAD = f"settings set target.env-vars LD_PRELOAD={RECORDER}"
START = (f"breakpoint set -n {session.READY}", "process launch --stdout /dev/null", "up")
SOURCE = session.FIXTURES / "self_block" / "main.m"


def line_of(text):
    """Where it stands in the fixture, so that the test moves with it."""
    [line] = [number for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
              if text in line]
    return line


@unittest.skipUnless(RECORDER.exists(), "libloupe_record is not built here")
class Recorded(unittest.TestCase):
    def check_lines(self, text):
        own, block = line_of("[[Owner alloc] init]"), line_of("self.handler = ^")
        self.assertRegex(text, rf"Allocated:\n    Owner 0x\w+ at \S*main.m:{own} in main\n"
                               rf"    block 0x\w+ at \S*main.m:{block} in -\[Owner listen\]")

    def test_reports_say_where_their_objects_were_allocated(self):
        for engine in ("memory", "helper"):
            with self.subTest(engine):
                done = session.batch(PRELOAD, *START, f"retain-cycles --engine {engine} seed",
                                     program=session.fixture("self_block"))
                self.check_lines(done.stdout)

    def test_a_core_says_it_too(self):
        with tempfile.TemporaryDirectory() as directory:
            core = pathlib.Path(directory) / "core"
            session.save_core(core, session.fixture("self_block"), preload=RECORDER)
            done = session.batch("frame select 1", "retain-cycles seed",
                                 program=session.fixture("self_block"), core=core)
            self.check_lines(done.stdout)

    def test_json_has_each_stack_once(self):
        done = session.batch(PRELOAD, *START, "retain-cycles -j seed",
                             program=session.fixture("ring_of_3"))
        [line] = [line for line in done.stdout.splitlines() if line.startswith("{")]
        answer = json.loads(line)
        used = [thing["allocated"] for thing in answer["objects"].values()]
        self.assertEqual(3, len(used))
        self.assertEqual(sorted(map(str, set(used))), sorted(answer["stacks"]))
        self.assertEqual({"state": "on", "blocks_left_out": 0, "stacks_left_out": 0},
                         answer["recorded"])
        for stack in answer["stacks"].values():
            self.assertTrue(stack["whole"])
            self.assertIn("main", [frame["function"] for frame in stack["frames"]])

    def test_without_the_recorder_nothing_is_said(self):
        done = session.batch(*START, "retain-cycles -j seed",
                             program=session.fixture("self_block"))
        self.assertNotIn("allocated", done.stdout)


if __name__ == "__main__":
    unittest.main()
