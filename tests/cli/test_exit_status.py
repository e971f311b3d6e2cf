"""Exit status: 1 is said by gates that found something and by nothing else. Who runs out of memory, of room on a
disk or of time says so in a sentence and ends with 2, also where something was found.
"""
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import unittest
from typing import Callable, Dict, List, Optional

from drawn_dump import BOOLEAN, OBJECT, Dump, with_java_basics

LOUPE = os.environ["LOUPE"]
Done = subprocess.CompletedProcess


def heap(screens: int) -> bytes:
    """Screens of Android that were destroyed, held by a static array, each in a cycle with its listener."""
    dump = Dump(4, "1.0.3")
    basics = with_java_basics(dump)
    activity = dump.add_class("android/app/Activity", [("mDestroyed", BOOLEAN)], superclass=basics["Object"], size=16)
    main = dump.add_class("demo/Main", [("listener", OBJECT)], superclass=activity, size=20)
    listener = dump.add_class("demo/Listener", [("outer", OBJECT)], superclass=basics["Object"], size=16)
    held = [dump.instance(main, 0x1000 + 0x40 * i, [0x1020 + 0x40 * i, 1]) for i in range(screens)]
    for i in range(screens):
        dump.instance(listener, 0x1020 + 0x40 * i, [0x1000 + 0x40 * i])
    dump.array(basics["Object[]"], 0x800, held)
    holder = dump.add_class("demo/Holder", statics=[("held", OBJECT, 0x800)], superclass=basics["Object"])
    dump.root(holder.id, 0x05)
    return dump.bytes()


def limited(name: int, value: int) -> Callable[[], None]:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a full disk is an error of write()
        resource.setrlimit(name, (value, resource.getrlimit(name)[1]))
    return limit


class Case(unittest.TestCase):
    folder: tempfile.TemporaryDirectory  # type: ignore[type-arg]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.here = pathlib.Path(cls.folder.name)
        cls.dump = cls.save("app.hprof", heap(200))
        cls.cut = cls.save("cut.hprof", heap(200) + b"\x01\0\0\0\0\0\0\0\x64cut")  # a record of 100 bytes
        cls.run_tool("snapshot", cls.dump, str(cls.here / "app.loupe"))
        cls.snapshot = str(cls.here / "app.loupe")
        answer = cls.run_tool("cycles", cls.snapshot, "--json").stdout
        cls.answer = cls.save("cycles.json", answer)
        rows = cls.run_tool("report", cls.dump).stdout
        cls.rows = cls.save("rows.ndjson", rows)

    @classmethod
    def save(cls, name: str, data: bytes) -> str:
        (cls.here / name).write_bytes(data)
        return str(cls.here / name)

    @staticmethod
    def run_tool(*words: str, limit: Optional[Callable[[], None]] = None, out: int = subprocess.PIPE) -> Done:
        return subprocess.run([LOUPE, *words], stdout=out, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              preexec_fn=limit, timeout=1800, check=False)

    def lines(self) -> Dict[str, List[str]]:
        """How each verb is asked whose answer needs memory."""
        file, out = self.snapshot, str(self.here / "out.sqlite")
        return {
            "leaks": [file], "cycles": [file, "--fail-if-found"], "path": [file, "0x1000"], "retained": [file],
            "heap": [file], "find": [file, "demo.Main"], "show": [file, "0x1000"], "threads": [file],
            "sql": [file, "select count(*) from objects"], "suspects": [file, "--fail-if-found"],
            "diff": [file, file], "snapshot": [self.dump, out], "functions": [file], "report": [self.dump],
            "compare": [self.rows, self.rows], "draw": [self.answer, "--format", "sarif"], "fix": [self.answer, "--json"]}

    def refused(self, done: Done, line: List[str]) -> str:
        text = done.stderr.decode("utf-8")
        self.assertEqual(2, done.returncode, (line, text, (done.stdout or b'')[:200]))
        self.assertIn("loupe: ", text, line)
        return text


class OutOfMemory(Case):
    @unittest.skipIf(sys.platform == "darwin", "macOS limits no address space")
    def test_no_verb_says_that_it_found_something(self) -> None:
        """Whatever amount is there, the answer is the whole one, or status 2 and a sentence."""
        refusals = 0
        for verb, words in self.lines().items():
            line = [verb, *words]
            whole = self.run_tool(*line)
            for megabytes in (4, 5, 6, 7, 8, 10, 12, 16, 24, 40, 80):
                done = self.run_tool(*line, limit=limited(resource.RLIMIT_AS, megabytes << 20))
                text = done.stderr.decode("utf-8")
                if "error while loading shared libraries" in text or done.returncode < 0 and not done.stdout + done.stderr:
                    continue  # there was not enough for the loader, and no line of Loupe's ran
                if done.returncode != whole.returncode or whole.returncode == 2:
                    self.refused(done, line)
                    refusals += 1
        self.assertGreater(refusals, 0)

    @unittest.skipIf(sys.platform == "darwin", "macOS limits no address space")
    def test_of_a_native_heap_either(self) -> None:
        """Step by step from where the loader has enough: each allocation may be the one that fails."""
        heap_file = str(pathlib.Path(__file__).parent / "older" / "stale.loupe")
        found = json.loads(self.run_tool("cycles", heap_file, "--json").stdout)
        address = next(iter(found["objects"]))
        names = self.save("app.names", b"thread\t1\t1\n")
        for words in (["leaks"], ["cycles", "--fail-if-found"], ["suspects"], ["heap"], ["retained"],
                      ["path", address], ["show", address], ["find", "*"], ["heap", "--names", names]):
            line = [words[0], heap_file, *words[1:]]
            whole = self.run_tool(*line)
            for kilobytes in range(7000, 9400, 48):
                done = self.run_tool(*line, limit=limited(resource.RLIMIT_AS, kilobytes << 10))
                if done.returncode == 127 or b"error while loading shared libraries" in done.stderr:
                    continue  # the loader's
                if done.returncode != whole.returncode:
                    self.assertRegex(self.refused(done, line), "out of memory|no room for it in the address space")

    def test_every_verb_is_asked(self) -> None:
        table = json.loads(self.run_tool("verbs", "--json").stdout)
        verbs = {verb["name"] for verb in table["verbs"] if verb["terminal"] and verb["needs"] == "file"}
        self.assertEqual(verbs, set(self.lines()))


class FullDisk(Case):
    def test_of_the_output(self) -> None:
        if not os.path.exists("/dev/full"):
            self.skipTest("this system has no /dev/full")
        for verb, words in self.lines().items():
            if verb in ("snapshot", "functions"):  # nothing is printed
                continue
            with open("/dev/full", "wb") as full:
                done = self.run_tool(verb, *words, out=full.fileno())
            self.refused(done, [verb, *words])

    def test_of_a_file(self) -> None:
        full = limited(resource.RLIMIT_FSIZE, 64)
        for line in (["leaks", self.snapshot, "--write-baseline", str(self.here / "known")],
                     *(["snapshot", self.dump, str(self.here / f"new.{form}")]
                       for form in ("loupe", "hprof", "sqlite", "html", "dot")),
                     *([verb, self.snapshot, *more, "-o", str(self.here / "answer")]
                       for verb, more in (("cycles", ["--fail-if-found"]), ("suspects", ["--fail-if-found"]), ("heap", []))),
                     ["cycles", self.snapshot, "--fail-if-found", "--html", str(self.here / "page.html")],
                     ["draw", self.answer, "-o", str(self.here / "page.html")]):
            self.refused(self.run_tool(*line, limit=full), line)
        self.assertEqual([], [path.name for path in self.here.iterdir() if path.suffix in (".html", ".dot")])

    def test_what_was_there_stays(self) -> None:
        """Half an answer takes the place of none."""
        older = self.here / "older.txt"
        for more in ([], ["--json"]):
            older.write_text("an older answer")
            line = ["heap", self.snapshot, *more, "-o", str(older)]
            self.refused(self.run_tool(*line, limit=limited(resource.RLIMIT_FSIZE, 64)), line)
            self.assertEqual("an older answer", older.read_text())
            self.assertEqual([], list(self.here.glob("*.part-*")))
            self.assertEqual((0, b""), (self.run_tool(*line).returncode, self.run_tool(*line).stdout))
            self.assertEqual(self.run_tool(*line[:-2]).stdout, older.read_bytes())


class Devices(Case):
    """A file that is made beside another and takes its place never takes that of a device or a pipe."""

    def test_a_pipe_stays_one(self) -> None:
        pipe = self.here / "pipe.loupe"
        os.mkfifo(pipe)
        for line in (["leaks", self.snapshot, "--write-baseline", str(pipe)], ["snapshot", self.dump, str(pipe)]):
            self.refused(self.run_tool(*line), line)
            self.assertTrue(pipe.is_fifo(), line)
        with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
            self.run_tool("heap", self.snapshot, "-o", str(pipe))
            self.assertEqual(self.run_tool("heap", self.snapshot).stdout, reader.communicate()[0])
        self.assertTrue(pipe.is_fifo())
        subprocess.run([LOUPE, "find", self.snapshot, "demo.Main"], env={**os.environ, "LOUPE_HANDLES": str(pipe)},
                       capture_output=True, check=True)
        self.assertTrue(pipe.is_fifo())
        self.assertEqual([], [path.name for path in self.here.iterdir() if ".part-" in path.name])


class Beside(Case):
    def test_an_answer_and_a_page_of_it(self) -> None:
        """-o is of what would be printed, whatever is drawn beside."""
        answer, page = str(self.here / "answer.json"), str(self.here / "page.html")
        done = self.run_tool("cycles", self.snapshot, "--json", "--html", page, "-o", answer)
        self.assertEqual((0, b""), (done.returncode, done.stdout))
        with open(answer, encoding="utf-8") as file:
            self.assertEqual("cycles", json.load(file)["query"])


    def test_a_failure_is_an_answer(self) -> None:
        """In JSON: whoever reads the file of -o takes no older answer for this one's."""
        answer = self.here / "answer.json"
        for line in (["leaks", str(self.here / "none")], ["path", self.snapshot, "0x1"],
                     ["sql", self.snapshot, "select * from nowhere"], ["leaks", self.snapshot, "--nonsense"],
                     ["path", self.snapshot], ["heap", self.snapshot, "another"],
                     ["heap", self.snapshot, "--names", str(self.here / "none")]):
            answer.write_text("an older answer")
            done = self.run_tool(*line, "--json", "-o", str(answer))
            self.assertEqual((2, b""), (done.returncode, done.stdout), done.stderr)
            error = json.loads(answer.read_text())
            self.assertEqual("error", error["status"])
            self.assertIn(error["error"]["message"], done.stderr.decode("utf-8"), "the same is said in text")

    def test_verbs_of_other_files_answer_their_failures_too(self) -> None:
        none = str(self.here / "none")
        for line in (["fix", none], ["fix", self.answer, "1a", "more"], ["fix", self.answer, "--nonsense"], ["fix"],
                     ["compare", none, self.rows], ["compare", self.rows], ["compare", self.rows, self.rows, "--grown", "x"],
                     ["compare", self.snapshot, self.rows]):
            done = self.run_tool(*line, "--json")
            self.assertEqual(2, done.returncode, line)
            error = json.loads(done.stdout)
            self.assertEqual((line[0], "error"), (error["query"], error["status"]), line)
            self.assertIn(f"loupe: {line[0]}: {error['error']['message']}", done.stderr.decode("utf-8"))

    def test_a_refusal_names_the_file_and_the_verb_that_was_typed(self) -> None:
        text = self.save("garbage", b"no heap, and no answer\n")
        for verb, path, said in (("fix", text, "unknown file format"), ("fix", str(self.here), "Is a directory"),
                                 ("draw", text, "is not JSON"), ("draw", str(self.here), "Is a directory"),
                                 ("compare", str(self.here), "Is a directory")):
            done = self.run_tool(verb, path, *([self.rows] if verb == "compare" else []))
            self.assertEqual(2, done.returncode)
            self.assertRegex(done.stderr.decode("utf-8"), rf"^loupe: {verb}: {path}(:| is not JSON).*\n$", said)
            self.assertIn(said, done.stderr.decode("utf-8"))
        asked = json.loads(self.run_tool("fix", text, "--json").stdout)
        self.assertIn("unknown file format", json.dumps(asked))


class Both(Case):
    """2 wins over 1."""

    def test_an_answer_that_found_something_and_is_incomplete(self) -> None:
        found = self.run_tool("suspects", self.dump, "--fail-if-found")
        self.assertEqual(1, found.returncode, found.stderr)
        cut = self.run_tool("suspects", self.cut, "--fail-if-found")
        self.assertEqual(2, cut.returncode, cut.stderr)
        self.assertIn(b"demo.Main", cut.stdout)
        self.assertEqual(1, self.run_tool("suspects", self.cut, "--fail-if-found", "--allow-incomplete").returncode)

    def test_time(self) -> None:
        for verb, words in self.lines().items():
            if verb in ("compare", "draw", "fix"):
                continue
            done = self.run_tool(verb, *words, "--timeout", "0.000001")
            if verb != "snapshot":  # may be done before a clock is asked
                self.assertIn(done.returncode, (0, 2), (verb, done.stderr))

    def test_a_file_that_cannot_be_read_among_others(self) -> None:
        done = self.run_tool("report", self.dump, str(self.here / "none"), "--fail-if-found")
        self.assertEqual(2, done.returncode)
        self.assertEqual(1, self.run_tool("report", self.dump, "--fail-if-found").returncode)


if __name__ == "__main__":
    unittest.main()
