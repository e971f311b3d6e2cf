"""The stacks of a native heap's threads: the functions that a thread is in, whose part of the stack has which
objects, and what these keep; of a process, of its snapshot and of a core the same.

usage: test_threads.py LOUPE PROGRAM GDB
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import typing
import unittest

from waiting import Waits

LOUPE, PROGRAM, GDB = sys.argv[1:]
KEPT = 4000 * 1000  # bytes, of what the variable of one function leads to
Json = typing.Dict[str, typing.Any]


def run(*words: str) -> str:
    return subprocess.run([LOUPE, *words], capture_output=True, text=True, timeout=1700, check=False).stdout


def importer_of(answer: Json) -> Json:
    found = [thread for thread in answer["threads"]
             if any(frame["method"] == "-[Worker import:]" for frame in thread["frames"])]
    assert len(found) == 1, answer
    return found[0]


class Threads(Waits, unittest.TestCase):
    program, gdb, files = PROGRAM, GDB, ()

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)
        self.process = subprocess.Popen([PROGRAM, "thread"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.finish)
        self.assertEqual("ready\n", self.process.stdout.readline())

    def check(self, target: str) -> Json:
        importer = importer_of(json.loads(run("threads", target, "--json")))
        methods = [frame["method"] for frame in importer["frames"]]
        at = methods.index("-[Worker import:]")
        self.assertEqual([at], [i for i, frame in enumerate(importer["frames"]) if
                                any(local["object"]["retained"] > KEPT for local in frame["locals"])], importer)
        batch = [local for local in importer["frames"][at]["locals"] if local["object"]["retained"] > KEPT]
        self.assertEqual([("stack", "GSMutableArray")], [(local["kind"], local["object"]["class"]) for local in batch])
        self.assertTrue(any("sleep" in method for method in methods[:at]), methods)  # who is called comes first
        self.assertIn("start_thread", methods[at:])
        self.assertRegex(importer["frames"][at]["source"], r"/owners\.m$")
        self.assertFalse([frame for frame in importer["frames"]  # they are of no help
                          if frame["method"] == "start_thread" and frame["source"]])
        self.assertGreater(importer["retained"], KEPT)
        return importer

    def test_of_a_process(self) -> None:
        self.assertEqual("importer", self.check(str(self.process.pid))["name"])

    def test_of_its_snapshot(self) -> None:
        saved = str(self.folder / "a.loupe")
        run("snapshot", str(self.process.pid), saved)
        importer = self.check(saved)
        self.assertEqual("importer", importer["name"])
        text = run("threads", saved)
        self.assertRegex(text, r'\nThread "importer": its variables keep \S+ MB\n(?:    .*\n)*'
                               r"    at -\[Worker import:\] \(owners\.m:\d+\)\n(?: {8}.*\n)*"
                               r" {8}NSMutableArray 0x[0-9a-f]+ 4000 items, keeps \S+ MB\n")
        address = next(local["object"]["address"] for frame in importer["frames"] for local in frame["locals"]
                       if local["object"]["retained"] > KEPT)
        self.assertRegex(run("path", saved, address),
                         re.escape('of thread ') + r'\d+ "importer" in -\[Worker import:\] \(0x')

    def test_of_a_core(self) -> None:
        self.assertIsNone(self.check(str(self.core()))["name"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
