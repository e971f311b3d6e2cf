"""Stacks as gdb shows them, thread by thread, at the same stops: in callbacks, signal handlers, on
alternate stacks, in leaf functions, instruction by instruction in malloc(), in all programs that
other tests look at.

usage: test_gdb.py GDB WALK_PROCESS PLACES_FOLDER [FOLDER_OF_FIXTURES...]; 77: skipped
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from share import is_whole, share_of  # noqa: E402

GDB, WALK, PLACES, *FIXTURES = sys.argv[1:]
SCRIPT = pathlib.Path(__file__).with_name("in_gdb.py")


def ask(program, **plan):
    """How many stacks were compared, and what gdb and we disagree about."""
    plan["walk"] = WALK
    done = subprocess.run([GDB, "-nx", "-q", "-batch", "-x", str(SCRIPT), str(program)],
                          env={**os.environ, "PLAN": json.dumps(plan), "LC_ALL": "C"},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=1800,
                          check=False)
    found = re.search(r"COMPARED (\d+)", done.stdout)
    return int(found[1]) if found else 0, done.stdout


class SameFrames(unittest.TestCase):
    def check(self, least, program, **plan):
        count, text = ask(program, **plan)
        self.assertNotIn("DIFFERS", text, f"{program}: {plan}\n{text}")
        self.assertGreaterEqual(count, least, f"{program}: {plan}\n{text}")

    def test_all_kinds_of_places(self):
        for way in ("plain", "fast", "framed"):
            for stop, place in (("loupe_fixture_ready", "callback"), ("loupe_fixture_ready", "handler"),
                                ("loupe_fixture_ready", "alternate"), ("leaf", "callback")):
                with self.subTest(way=way, stop=stop, place=place):
                    self.check(5, f"{PLACES}/{way}", stop=stop, arguments=[place])

    def test_every_instruction_from_a_callback_back_into_the_library(self):
        for way in share_of(("plain", "fast", "framed")):
            with self.subTest(way):
                self.check(300, f"{PLACES}/{way}", stop="loupe_fixture_ready", arguments=["handler"],
                           steps=60)

    def test_every_instruction_in_malloc(self):
        self.check(1200, f"{PLACES}/fast", stop="loupe_fixture_ready", arguments=["malloc"],
                   then=["malloc", "free"], then_steps=120)


class ObjectiveC(unittest.TestCase):
    """Places that Foundation and the runtimes call, by programs compiled in four ways each."""

    def test_places_that_libraries_call(self):
        found, steps = 0, 12
        for runtime, stacks in (("foundation", 9), ("counted", 13)):  # one of them has a second thread
            for program in share_of(sorted(pathlib.Path(PLACES, runtime).glob("*"))):
                with self.subTest(f"{runtime}, {program.name}"):
                    count, text = ask(program, stop="loupe_fixture_ready", stops=20, steps=steps)
                    self.assertNotIn("DIFFERS", text, f"{program}\n{text}")
                    self.assertGreaterEqual(count, stacks * (1 + steps), text)
                    found += 1
        if not found:
            self.skipTest("neither GNUstep nor libobjc2 is installed")


class Fixtures(unittest.TestCase):
    def test_all_of_them(self):
        programs = [path for folder in FIXTURES for path in sorted(pathlib.Path(folder).iterdir())
                    if path.is_file() and os.access(path, os.X_OK) and not path.suffix]
        if not programs:
            self.skipTest("there are none")
        programs = share_of(programs)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = pool.map(lambda path: ask(path, stop="loupe_fixture_ready", steps=6,
                                                then=["free"], then_steps=12), programs)
        stopped = 0
        for path, (count, text) in zip(programs, answers):
            with self.subTest(path.name):
                self.assertNotIn("DIFFERS", text, text)
                if "DID NOT STOP" not in text:  # else it is none of those that wait to be looked at
                    self.assertGreater(count, 6, text)
                    stopped += 1
        self.assertGreater(stopped, 30 if is_whole() else 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
