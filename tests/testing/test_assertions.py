"""What the assertions say of a program that makes a mistake, and of one that makes none.

usage: test_assertions.py PROGRAM LOUPE
"""
import os
import subprocess
import sys
import tempfile
import unittest
from typing import Tuple

PROGRAM, LOUPE = sys.argv[1:]


def run(*words: str, **environment: str) -> Tuple[int, str, str]:
    done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=1800, check=False, env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


class Assertions(unittest.TestCase):
    def test_without_a_mistake_all_hold_and_nothing_is_said(self) -> None:
        self.assertEqual(run(), (0, "0 of 3 failed\n", ""))

    def test_each_finds_the_mistake_and_tells_where_it_stands(self) -> None:
        status, out, err = run("mistake")
        self.assertEqual(status, 3)
        with open(os.path.join(os.path.dirname(__file__), "../../examples/assertions/main.m"),
                  encoding="utf-8") as file:
            source = file.read().splitlines()
        # __LINE__ of a call of several lines is its last.
        begins = [number for number, line in enumerate(source) if "LoupeAssert" in line]
        lines = [begin + 1 if source[begin].endswith(");") else source.index("    });", begin) + 1
                 for begin in begins]
        self.assertEqual(len(lines), 3)
        for line, said in zip(lines, ("screen is in, or reaches, 1 retain cycle", " lives: ", " leaks")):
            heads = [text for text in err.splitlines() if said in text and f"main.m:{line}: error: " in text]
            self.assertEqual(len(heads), 1, err)
        self.assertEqual(out.count("failed at main.m:"), 3)
        self.assertEqual(err.count("╭─▶ Screen"), 3, err)  # one each: equal leaks are one entry
        self.assertIn("Fixes, best first:", err)

    def test_nothing_is_left_of_snapshots(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run("mistake", TMPDIR=folder)
            self.assertEqual(os.listdir(folder), [])

    def test_without_the_tool_an_assertion_does_not_hold_in_silence(self) -> None:
        status, _, err = run(LOUPE_TOOL="/nowhere/loupe")
        self.assertEqual(status, 1)
        self.assertIn("cannot be told", err)
        self.assertIn("LOUPE_TOOL", err)
        self.assertEqual(run("mistake", LOUPE_TOOL="/nowhere/loupe")[0], 3)

    def test_a_tool_that_never_stops_talking_is_not_heard_out(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            tool = os.path.join(folder, "loupe")
            with open(tool, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\n[ "$1" != diff ] && exec "{LOUPE}" "$@"\nexec yes\n')
            os.chmod(tool, 0o700)
            status, _, err = run(LOUPE_TOOL=tool)
        self.assertEqual(status, 1)
        self.assertIn("cannot be told", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
