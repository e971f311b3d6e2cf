"""Who allocated what: libloupe_record preloaded, asked live by both engines and on a core."""
import json
import pathlib
import re
import subprocess
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


def tool(*words):
    return subprocess.run([str(session.BUILD / "cli" / "loupe"), *map(str, words)],
                          capture_output=True, text=True, encoding="utf-8", check=False,
                          timeout=session.TIMEOUT)


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

    def test_all_of_a_stack_and_what_else_is_asked_of_a_number(self):
        with tempfile.TemporaryDirectory() as directory:
            known = pathlib.Path(directory) / "known"
            done = session.batch(PRELOAD, *START, "loupe leaks", "loupe allocated #1", "strong-refs --depth 3 seed",
                                 "loupe leaks", f"loupe ignore #1 --because 'it is meant' --baseline {known}",
                                 f"loupe leaks --baseline {known}", program=session.fixture("self_block"))
            _, stack, tree, _, ignored, leaks = re.split(r"^\(lldb\) (?:loupe|strong-refs) .*\n", done.stdout, flags=re.M)[1:]
            line = known.read_text(encoding="utf-8").splitlines()[-1]
        own = line_of("[[Owner alloc] init]")
        self.assertRegex(stack, rf"^Owner 0x\w+ was allocated at main.m:{own} in main\n      #0 (.*\n)*"
                                rf"      #\d at main.m:{own} in main\n")
        self.assertRegex(tree, r"^Owner 0x\w+\n╰─ _handler \(ivar\) → block 0x\w+ at main.m:\d+ in .*\n"
                               r"   ╰─ self \(captured\) → Owner 0x\w+, as above\n")
        self.assertIn(f" is in {known} now: give it as --baseline {known}\n", ignored)
        self.assertRegex(line, r"^[0-9a-f]{16}  # \d{4}-\d\d-\d\d it is meant: .* 2 objects$")
        self.assertTrue(leaks.startswith("No new leaks"), leaks)

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

    def test_whole_heaps_say_it_too(self):
        done = session.batch(PRELOAD, *START, "loupe leaks", "loupe cycles", "loupe find Owner",
                             "loupe path seed", "loupe leaks --group stack",
                             program=session.fixture("self_block"))
        leaks, cycles, find, path, groups = done.stdout.split("(lldb) loupe ")[1:]
        self.check_lines(leaks)
        self.check_lines(cycles)
        own = line_of("[[Owner alloc] init]")
        self.assertRegex(find, rf"(?m)^  0x\w+ .* Owner +at main.m:{own} in main$")
        self.assertRegex(path, rf"\n       allocated at main.m:{own} in main\n")
        self.assertRegex(groups, rf"bytes  allocated\n +1 +2 +\d+  at main.m:{own} in main\n")

    def test_a_terminal_says_it_of_cores_and_saved_files(self):
        own = line_of("[[Owner alloc] init]")
        with tempfile.TemporaryDirectory() as directory:
            core = pathlib.Path(directory) / "core"
            saved = pathlib.Path(directory) / "saved.loupe"
            session.save_core(core, session.fixture("self_block"), preload=RECORDER)
            self.check_lines(tool("leaks", core).stdout)
            tool("snapshot", core, saved)
            core.unlink()
            self.check_lines(tool("leaks", saved).stdout)
            answer = json.loads(tool("leaks", "--json", "--group", "stack", saved).stdout)
            found = json.loads(tool("find", "--json", saved, "Owner").stdout)
        [leak] = answer["leaks"]
        [group] = answer["by_stack"]
        self.assertEqual((leak["allocated"], 1, leak["objects"], leak["bytes"]),
                         (group["allocated"], group["count"], group["objects"], group["bytes"]))
        self.assertEqual({"state": "on", "blocks_left_out": 0, "stacks_left_out": 0},
                         answer["recorded"])
        for said in (answer, found):
            for stack in said["stacks"].values():
                self.assertTrue(stack["whole"])
                [frame] = [frame for frame in stack["frames"] if frame["symbol"] == "main"]
                self.assertEqual(("main.m", False),
                                 (pathlib.Path(frame["file"]).name, frame["foreign"]))
        [instance] = found["objects"]
        frames = found["stacks"][str(instance["allocated"])]["frames"]
        self.assertEqual([own], [frame["line"] for frame in frames if not frame["foreign"]][:1])

    def test_without_a_recorder_there_are_no_groups(self):
        with tempfile.TemporaryDirectory() as directory:
            core = pathlib.Path(directory) / "core"
            session.save_core(core, session.fixture("self_block"))
            done = tool("leaks", "--group", "stack", core)
            self.assertEqual(2, done.returncode)
            self.assertIn("the allocations were not recorded", done.stderr)
            self.assertEqual(2, tool("leaks", "--group", "colour", core).returncode)
            self.assertNotIn("llocated", tool("leaks", core).stdout)

    def test_without_the_recorder_nothing_is_said(self):
        done = session.batch(*START, "retain-cycles -j seed",
                             program=session.fixture("self_block"))
        self.assertNotIn("allocated", done.stdout)


if __name__ == "__main__":
    unittest.main()
