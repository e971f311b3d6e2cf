"""`--summary`: classes counted in one pass, from files and pipes, with little memory; and what is said where the whole
does not fit.

usage: test_summary.py LOUPE
"""
import gzip
import json
import os
import pathlib
import resource
import subprocess
import struct
import sys
import tempfile
import unittest
from typing import Any, Dict, List, Optional, Tuple

import zstd
from drawn_dump import Dump, by_an_agent, ring

LOUPE = sys.argv[1]
Rows = Dict[str, Tuple[int, int]]


def run(*words: str, given: Optional[bytes] = None, most: int = 0) -> "subprocess.CompletedProcess[bytes]":
    """most: bytes of memory."""
    def limit() -> None:
        if most:
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
    return subprocess.run([LOUPE, *words], input=given, capture_output=True, check=False, preexec_fn=limit, timeout=1800)


def ask(*words: str, given: Optional[bytes] = None, most: int = 0) -> Any:
    done = run(*words, "--json", given=given, most=most)
    return json.loads(done.stdout) if done.stdout else {}


def rows(answer: Any) -> Rows:
    sums: Rows = {}
    for row in answer["classes"]:
        before = sums.get(row["class"], (0, 0))
        sums[row["class"]] = (before[0] + row["count"], before[1] + row["size"])
    return sums


def losses(answer: Any) -> List[str]:
    return sorted(note["reason"] for note in answer["not_followed"] if note["lost"] and "roots" not in note["reason"])


def many(pairs: int) -> bytes:
    """Nodes that each have an array behind them, so that every second object is of one class: sizes are told by their
    places."""
    dump = Dump()
    root = dump.add_class("java/lang/Object")
    node = dump.add_class("demo/Node", [("left", 2), ("right", 2), ("number", 10)], superclass=root, size=24)
    dump.add_class("[B", superclass=root)
    start, parts = 0x80000000, []
    tail = b"\0\0\0\0" + struct.pack(">IB", 24, 8) + bytes(24)
    for place in range(start, start + 64 * pairs, 64):
        at, payload = dump.id(place), dump.id(place + 24)
        parts += [b"\x21", at, b"\0\0\0\0", dump.id(node.id), b"\0\0\0\x14", payload, at, b"\0\0\0\x01",
                  b"\x23", payload, tail]
    dump.raw(b"".join(parts))
    dump.root(start)
    return dump.bytes()


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def save(self, name: str, data: bytes) -> str:
        path = self.folder / name
        path.write_bytes(data)
        return str(path)


class Classes(Case):
    def test_they_are_those_of_the_whole(self) -> None:
        whole = ring().bytes()
        dumps = {"hotspot": whole, "android": ring(4, "1.0.3").bytes(), "one": ring(8, "1.0.1", False).bytes(),
                 "agent": by_an_agent().bytes(), "agent4": by_an_agent(4).bytes(),
                 "twice": whole + ring().bytes()[31:], "many": many(3000)}
        for name, data in dumps.items():
            path = self.save(name, data)
            full, summary = ask("heap", path), ask("heap", path, "--summary")
            self.assertEqual(rows(full), rows(summary), name)
            self.assertEqual((full["snapshot"]["objects"], full["snapshot"]["bytes"]),
                             (summary["snapshot"]["objects"], summary["snapshot"]["bytes"]), name)
            self.assertEqual({None}, {row["retained"] for row in summary["classes"]})
        first = ask("heap", self.save("twice", dumps["twice"]), "--summary", "--dump", "1")
        self.assertEqual(rows(ask("heap", self.save("one", whole))), rows(first))
        self.assertEqual(2, run("heap", str(self.folder / "twice"), "--summary", "--dump", "3").returncode)

    def test_of_what_is_cut_off_they_are_those_that_are_there(self) -> None:
        for data in (ring().bytes(), ring(4, "1.0.3").bytes(), by_an_agent().bytes()):
            for length in range(31, len(data), 23):
                path = self.save("cut", data[:length])
                full, summary = ask("heap", path), ask("heap", path, "--summary")
                self.assertEqual((rows(full), bool(losses(full))), (rows(summary), bool(losses(summary))), length)

    def test_many_that_alternate(self) -> None:
        """More than are looked at one by one: sizes are told by some of them, of each class."""
        path = self.save("many", many(600000))
        full, summary = ask("heap", path), ask("heap", path, "--summary")
        self.assertEqual((600000, 600000 * 24), rows(full)["demo.Node"])
        self.assertEqual(rows(full), rows(summary))

    def test_through_pipes_packed_or_not(self) -> None:
        data = many(20000)
        expected = rows(ask("heap", self.save("plain", data)))
        no_room = str(self.folder / "none")
        os.environ["TMPDIR"] = no_room  # no file is made
        self.addCleanup(os.environ.pop, "TMPDIR")
        packed = [data, gzip.compress(data), gzip.compress(data[:9999]) + gzip.compress(data[9999:]) + bytes(99)]
        packed += [zstd.compress(data)] if zstd.compress else []
        for given in packed:
            summary = ask("heap", "-", "--summary", given=given)
            self.assertEqual((expected, "ok"), (rows(summary), summary["status"]))
        for given in (packed[1][:-40], packed[1][:5000], packed[1] + b"x"):
            summary = ask("heap", "-", "--summary", given=given)
            self.assertEqual("incomplete", summary["status"])
            self.assertTrue([note for note in losses(summary) if note.startswith("packed")], losses(summary))

    def test_suspects_are_the_largest(self) -> None:
        path = self.save("many", many(3000))
        answer = ask("suspects", path, "--summary", "--share", "30%")
        self.assertEqual([("class", "byte[]", 3000, 62), ("class", "demo.Node", 3000, 37)],
                         [(row["kind"], row["class"], row["count"], row["share"]) for row in answer["suspects"]])
        text = run("suspects", path, "--summary", "--share", "50%").stdout.decode().splitlines()
        self.assertEqual(["Counted by class in one pass: references, roots and retained sizes are not known", "",
                          "Classes with 50 % of the bytes or more:", "  3,000 × byte[], 120.0 kB, 62 %"], text[1:])

    def test_what_it_does_not_go_with(self) -> None:
        path = self.save("ring", ring().bytes())
        for words in (["--by", "package"], ["--sort", "retained"]):
            self.assertEqual(2, run("heap", path, "--summary", *words).returncode)
        self.assertEqual(2, run("suspects", path, "--summary", "--fail-if-found").returncode)
        for data in (b"", b"nothing", b"\x7fELF" + bytes(90), gzip.compress(b"nothing")):
            self.assertEqual((2, b""), (run("heap", self.save("bad", data), "--summary").returncode,
                                        run("heap", self.save("bad", data), "--summary").stdout))
        self.assertEqual(2, run("heap", str(self.folder), "--summary").returncode)
        one = rows(ask("heap", path, "--summary", "--class", "demo.*", "--sort", "count", "--limit", "1"))
        self.assertEqual(["demo.Node"], list(one))


class TooLarge(Case):
    """A dump of some 90 MB where 60 may be had: its file does not fit either."""
    path: str

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = folder.name + "/large"
        pathlib.Path(cls.path).write_bytes(many(1000000))

    def test_its_classes_are_counted(self) -> None:
        for most in (60 << 20, 220 << 20):
            answer = ask("heap", self.path, most=most)
            self.assertEqual((True, "incomplete"), (answer["summary"], answer["status"]), most)
            self.assertEqual((1000000, 24000000), rows(answer)["demo.Node"])
            [note] = [note for note in answer["not_followed"] if note["lost"]]
            self.assertEqual(("memory", "heap that does not fit"), (note["code"], note["reason"].split(":")[0]))
            done = run("suspects", self.path, most=most)
            self.assertEqual(2, done.returncode)
            self.assertIn("incomplete: heap that does not fit", done.stdout.decode())

    def test_what_needs_all_of_it_says_so(self) -> None:
        done = run("path", self.path, "0x80000000", most=220 << 20)
        self.assertEqual((2, b""), (done.returncode, done.stdout))
        self.assertIn("does not fit", done.stderr.decode())

    def test_rows(self) -> None:
        done = run("report", self.path, "--jobs", "1", most=220 << 20)
        self.assertEqual(2, done.returncode)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(["heap", "class", "class", "class", "error"], [row["row"] for row in found])
        self.assertEqual((2000003, None, "incomplete"),
                         (found[0]["objects"], found[0]["reachable_bytes"], found[0]["status"]))
        self.assertEqual("memory", found[-1]["code"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
