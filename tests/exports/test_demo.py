"""The demo's heap in every format: a dump for other tools, read back, answers as the core does, and no
file has texts of the program's data. Skipped without gdb, which saves the core.

usage: test_demo.py LOUPE PHOTO_BROWSER GDB RECORDER
"""
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import typing
import unittest

LOUPE, PROGRAM, GDB, RECORDER = sys.argv[1:5]
FOLDER = pathlib.Path()
SECRET = b"Slide show"  # the title of a screen
OTHERS = ("heap.loupe", "heap.hprof", "heap.sqlite", "heap.html", "heap.dot", "heap.csv")


def ask(*words: str) -> str:
    done = subprocess.run([LOUPE, *words], stdin=subprocess.DEVNULL, capture_output=True,
                          encoding="utf-8", timeout=1800, check=False)
    if done.returncode > 1:  # 1: it found what was asked for
        raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
    return done.stdout


def forget_source(value: typing.Any) -> None:
    """Of a core debug info says where blocks were written, and what they capture; so does advice."""
    for each in value if isinstance(value, list) else ():
        forget_source(each)
    if isinstance(value, dict):
        value.pop("invoke", None)
        if "breaks" in value:
            value.pop("text", None)
        if value.get("kind") == "capture":
            value.update(name=None, path=None)
        for each in value.values():
            forget_source(each)


def answer(verb: str, file: pathlib.Path, *words: str) -> typing.Dict[str, typing.Any]:
    text = ask(verb, str(file), *words, "--json")
    found: typing.Dict[str, typing.Any] = json.loads(text)
    found.get("stats", {}).pop("ms", None)
    forget_source(found)
    return found


def save_core(core: pathlib.Path, *first: str) -> None:
    commands = ["set confirm off", "set startup-with-shell off", "set debuginfod enabled off",
                *first, "break screenShouldBeGone", "run", f"generate-core-file {core}", "kill"]
    words = [word for command in commands for word in ("-ex", command)]
    done = subprocess.run([GDB, "-nx", "-batch", *words, PROGRAM], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=1800, check=False)
    if not core.exists():
        raise AssertionError(done.stdout + done.stderr)


class TestDemo(unittest.TestCase):
    core = pathlib.Path()

    @classmethod
    def setUpClass(cls) -> None:
        cls.core = FOLDER / "core"
        save_core(cls.core)

    def test_a_dump_answers_as_the_core_does(self) -> None:
        screen = re.search(r"PhotoScreen (0x[0-9a-f]+)", ask("leaks", str(self.core)))
        assert screen
        for name in ("heap.hprof", "heap.hprof.gz"):
            dump = FOLDER / name
            ask("snapshot", str(self.core), str(dump))
            for verb, *words in (["leaks"], ["cycles"], ["retained"], ["heap"], ["find", "*"],
                                 ["retained", screen[1]], ["path", screen[1]]):
                self.assertEqual(answer(verb, dump, *words), answer(verb, self.core, *words), verb)
            (leak,) = [each for each in answer("leaks", dump)["leaks"]
                       if each["class"] == "PhotoScreen"]
            self.assertEqual(leak["fingerprint"], answer("leaks", self.core)["leaks"][0]["fingerprint"])

    def test_a_database_knows_who_allocated_what_leaks(self) -> None:
        core, out = FOLDER / "recorded", FOLDER / "recorded.sqlite"
        save_core(core, f"set environment LD_PRELOAD {RECORDER}")
        ask("snapshot", str(core), str(out))
        page = pathlib.Path(__file__).parents[2] / "docs/exports.md"
        [query] = re.findall(r"-- 10\..*\n((?:.|\n)*?;)\n", page.read_text(encoding="utf-8"))
        with sqlite3.connect(out) as database:
            rows = database.execute(query).fetchall()
            self.assertEqual([], database.execute("PRAGMA foreign_key_check").fetchall())
        self.assertEqual([("main", "main.m", 1)] * 3,
                         [(function, pathlib.Path(file).name, count)
                          for function, file, _, count, _ in rows])

    def test_files_without_texts_of_the_program_s_data(self) -> None:
        self.assertIn(SECRET, self.core.read_bytes())
        ask("snapshot", str(self.core), str(FOLDER / "whole.loupe"))
        self.assertIn(SECRET, (FOLDER / "whole.loupe").read_bytes())
        for options, names in (([], ("heap.sqlite", "heap.csv")), (["--redact"], OTHERS)):
            for name in names:
                ask("snapshot", str(self.core), str(FOLDER / name), *options)
                file = FOLDER / name
                for part in file.iterdir() if file.is_dir() else [file]:
                    self.assertNotIn(SECRET, part.read_bytes(), part)
                    self.assertNotIn(SECRET.decode().encode("utf-16-le"), part.read_bytes(), part)


if __name__ == "__main__":
    if not GDB:
        print("skipped: gdb, which saves the core, is not installed")
        sys.exit(77)
    del sys.argv[1:5]
    with tempfile.TemporaryDirectory() as made:
        FOLDER = pathlib.Path(made)
        unittest.main()
