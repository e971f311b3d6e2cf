"""A program with many mistakes of manual retain and release beside each other, and what only looks like one: the first
fix of each leak is written by `loupe fix` alone, compiles without a warning, and with it this leak is gone and no
other is new; in the end none is left, and nothing was used after it was freed.

usage: test_newsroom.py LOUPE SOURCE COMMAND... (with SOURCE and PROGRAM in it)
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import typing
import unittest

Json = typing.Dict[str, typing.Any]
LOUPE, SOURCE, COMMAND = "", pathlib.Path(), [""]
TRIES = 3  # a word that is left somewhere by chance may lead to what leaks
# The classes of which something is left.
LEFT = {"Article", "Command", "Draft", "Font", "Indexer", "Issue", "PageController", "PageView", "Photo", "Section", "Sketch", "Ticker", "Wire", "WireDesk"}
LEAKS = 11


def run(*words: typing.Union[str, pathlib.Path]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, check=False,
                          env={**os.environ, "NSZombieEnabled": "YES"})


class Newsroom(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tree = self.folder / "tree"
        self.tree.mkdir()
        self.source = self.tree / SOURCE.name
        self.source.write_bytes(SOURCE.read_bytes())
        self.answer = self.folder / "answer.json"

    def build(self, name: str) -> pathlib.Path:
        program = self.folder / name
        words = {"SOURCE": str(self.source), "PROGRAM": str(program)}
        done = run(*[words.get(word, word) for word in COMMAND])
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return program

    def left(self, program: pathlib.Path) -> typing.Set[str]:
        done = run(program)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return {line.split()[0] for line in done.stdout.splitlines() if line != "done"}

    def ask(self, program: pathlib.Path) -> Json:
        with subprocess.Popen([str(program), "WAIT"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin and process.stdout
            self.assertIn("done\n", process.stdout)
            self.answer.write_text(run(LOUPE, "leaks", str(process.pid), "--json", "--limit", "0").stdout, encoding="utf-8")
            process.stdin.close()
        found: Json = json.loads(self.answer.read_text(encoding="utf-8"))
        return found

    def fix(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return run(LOUPE, "fix", self.answer, *words, "--source", self.tree)

    def letters(self, number: int, entry: Json) -> typing.List[str]:
        """The first fix, or all that only together are enough."""
        fixes = entry["knot"]["fixes"] if entry.get("knot") else []
        texts = [fix["text"] for fix in fixes if fix.get("together")]
        listed = dict(line.split(None, 1) for line in self.fix().stdout.splitlines() if re.match(rf"{number}[a-z] ", line))
        return [name for name, text in listed.items() if text in texts] or [f"{number}a"]

    def test_each_leak_alone(self) -> None:
        program = self.build("before")
        left = self.left(program)
        self.assertEqual(LEFT, left)
        for _ in range(TRIES):
            found = self.ask(program)
            if len(found["leaks"]) == LEAKS:
                break
        self.assertEqual(LEAKS, len(found["leaks"]))
        for number, entry in enumerate(found["leaks"], 1):
            for letter in self.letters(number, entry):
                done = self.fix(letter, "--apply", "--force")
                self.assertEqual((0, ""), (done.returncode, done.stderr), letter)
                self.assertEqual(2, self.fix(letter, "--apply", "--force").returncode, "a second time")
            after = self.left(self.build(f"patched{number}"))
            self.assertLess(after, left, (number, entry["class"]))
            left = after
        self.assertEqual(set(), left)


if __name__ == "__main__":
    LOUPE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
    COMMAND = sys.argv[3:]
    del sys.argv[1:]
    unittest.main()
