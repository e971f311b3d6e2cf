"""Objects of C++ that keep each other alive, of many kinds: what `loupe fix` writes for the first fix of each is all that
is done to their source. Each patch compiles without a warning, and what it was about is freed then, with nothing used
after it was freed; the others are refused, and their source stays as it was.

usage: test_cxx.py LOUPE SOURCE COMMAND... (with SOURCE and PROGRAM in it)
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
PATCHED = {"Box", "Model", "Request", "Session", "Widget"}
LEAST_REFUSED = 20
# Freed memory has bytes in it that lead nowhere, also for code that is not built with AddressSanitizer.
SANITIZER = {"ASAN_OPTIONS": "detect_leaks=0:max_free_fill_size=65536"}


def run(*words: typing.Union[str, pathlib.Path]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False,
                          env={**os.environ, **SANITIZER})


class Rings(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tree = self.folder / "tree"
        self.tree.mkdir()
        self.source = self.tree / SOURCE.name
        self.source.write_bytes(SOURCE.read_bytes())
        self.answer = self.folder / "answer.json"

    def build(self, *flags: str) -> pathlib.Path:
        program = self.folder / "program"
        words = {"SOURCE": str(self.source), "PROGRAM": str(program)}
        done = run(*[words.get(word, word) for word in COMMAND], *flags)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return program

    def alive(self, program: pathlib.Path) -> typing.Dict[str, int]:
        done = run(program, "leaky")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return {name: int(count) for name, count in re.findall(r"^(\w+) alive (\d+)$", done.stdout, re.M)}

    def ask(self, program: pathlib.Path) -> Json:
        with subprocess.Popen([str(program), "leaky"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin and process.stdout
            self.assertIn("ready\n", process.stdout)
            self.answer.write_text(run(LOUPE, "leaks", str(process.pid), "--json", "--limit", "0").stdout, encoding="utf-8")
            process.stdin.close()
        found: Json = json.loads(self.answer.read_text(encoding="utf-8"))
        return found

    def fix(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return run(LOUPE, "fix", self.answer, *words, "--source", self.tree)

    def test_each_alone(self) -> None:
        program = self.build()
        before, found = self.alive(program), self.ask(program)
        patched, refused = set(), 0
        for number, entry in enumerate(found["leaks"], 1):
            self.source.write_bytes(SOURCE.read_bytes())
            if not (entry["knot"] or {}).get("fixes"):
                continue
            done = self.fix(f"{number}a", "--apply", "--force")
            if done.returncode:
                self.assertEqual((2, "", SOURCE.read_bytes()), (done.returncode, done.stdout, self.source.read_bytes()))
                self.assertTrue(done.stderr.startswith("loupe: fix: "), done.stderr)
                refused += 1
                continue
            name = entry["class"].split()[0]
            with self.subTest(name):
                self.assertEqual(2, self.fix(f"{number}a", "--apply", "--force").returncode, "a second time")
                after = self.alive(self.build("-Werror", "-fsanitize=address"))
                self.assertEqual({**before, name: 0}, after, self.source.read_text(encoding="utf-8"))
                patched.add(name)
        self.assertEqual(PATCHED, patched)
        self.assertGreaterEqual(refused, LEAST_REFUSED)


if __name__ == "__main__":
    LOUPE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
    COMMAND = sys.argv[3:]
    del sys.argv[1:]
    unittest.main()
