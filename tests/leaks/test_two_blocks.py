"""Blocks that were written in two places are two leaks, each told by its file and line, in leaks, in find
and to programs; and their allocations are told apart. So are retain cycles through such blocks, which baselines
of before that still hide.

usage: test_two_blocks.py LOUPE PROGRAM RECORDER STRIP
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from waiting import snapshots_of

LOUPE, PROGRAM, RECORDER, STRIP = sys.argv[1:]
SOURCE = (pathlib.Path(__file__).parent / "programs" / "two_blocks.m").read_text().splitlines()


def line_of(mark):
    return next(number for number, line in enumerate(SOURCE, 1) if f"/* {mark} */" in line)


def blocks_of(answer):
    return [leak for leak in answer["leaks"] if leak["kind"] == "leak" and "block" in leak["class"]]


class TwoBlocks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       text=True, env={"LD_PRELOAD": RECORDER})
        assert cls.process.stdout.readline() == "ready\n"

    @classmethod
    def tearDownClass(cls):
        cls.process.communicate("\n", timeout=1800)

    def ask(self, verb, *words):
        return subprocess.run([LOUPE, verb, str(self.process.pid), *words], capture_output=True,
                              text=True, timeout=1800, check=False).stdout

    def test_each_is_a_leak_of_its_own(self):
        answer = json.loads(self.ask("leaks", "--json"))
        leaks = blocks_of(answer)
        self.assertEqual({(line_of("one"), 3), (line_of("other"), 2)},
                         {(leak["invoke"]["line"], leak["count"]) for leak in leaks}, answer)
        self.assertEqual(2, len({leak["fingerprint"] for leak in leaks}))
        made = [json.dumps(answer["stacks"][str(leak["allocated"])]) for leak in leaks]
        self.assertEqual([1, 1], [sum(name in text for text in made)
                                  for name in ("one_handler", "other_handler")], made)

    def test_text_and_table(self):
        text = self.ask("leaks", "--class", "block")
        for mark, count in (("one", 3), ("other", 2)):
            place = f"block at two_blocks.m:{line_of(mark)} in {mark}_handler"
            self.assertIn(f"{count} leaks of {place}, unreachable: ", text)
            self.assertRegex(text, rf"\n +{count} +\d+  {re.escape(place)}\n")
            self.assertEqual(count, self.ask("find", "block").count(f" {place} "))

    def rings(self, *words):
        return [leak for leak in json.loads(self.ask("leaks", "--json", *words))["leaks"] if leak["kind"] == "cycle"]

    def test_so_is_each_ring_through_them(self):
        rings = self.rings()
        self.assertEqual([2, 3], sorted(ring["count"] for ring in rings), rings)
        self.assertEqual(2, len({ring["fingerprint"] for ring in rings}))
        text = self.ask("leaks", "--class", "Gallery")
        for mark in ("one", "other"):
            self.assertIn(f"two_blocks.m:{line_of(f'{mark} ring')} in {mark}_ring", text)

    def test_baselines_hide_rings_of_one_place_or_as_they_did_of_both(self):
        rings = self.rings()
        older = {ring["knot"]["older_fingerprint"] for ring in rings}
        self.assertEqual(1, len(older), rings)
        with tempfile.NamedTemporaryFile("w+") as file:
            for known, left in ((rings[0]["fingerprint"], rings[1:]), (older.pop(), [])):
                file.seek(0)
                file.write(f"{known}  # accepted\n")
                file.flush()
                self.assertEqual([ring["fingerprint"] for ring in left],
                                 [ring["fingerprint"] for ring in self.rings("--baseline", file.name)])


class Stripped(unittest.TestCase):
    def test_by_where_their_functions_stand(self):
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            subprocess.run([STRIP, "-o", folder / "bare", PROGRAM], check=True)
            (folder / "once").mkdir(), (folder / "again").mkdir()
            runs = []
            for run in ("once", "again"):
                [snapshot], trouble = snapshots_of([folder / "bare"], LOUPE, folder / run)
                self.assertFalse(trouble)
                done = subprocess.run([LOUPE, "leaks", snapshot, "--json"], capture_output=True,
                                      timeout=1800, check=False)
                answer = json.loads(done.stdout)
                leaks = blocks_of(answer)
                self.assertEqual([3, 2], [leak["count"] for leak in leaks])
                self.assertRegex(leaks[0]["class"], r"^block bare\+0x[0-9a-f]+$")
                rings = [leak for leak in answer["leaks"] if leak["kind"] == "cycle"]
                self.assertEqual([2, 3], sorted(leak["count"] for leak in rings))
                self.assertEqual(1, len({leak["knot"]["older_fingerprint"] for leak in rings}))
                runs.append([leak["fingerprint"] for leak in leaks] + sorted(leak["fingerprint"] for leak in rings))
            self.assertEqual(*runs)
            self.assertEqual(4, len(set(runs[0])))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
