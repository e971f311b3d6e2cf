"""A program of manual retain and release on GNUstep: each of its mistakes is found, what is proposed first
is what somebody who knows the program would change, every output says so, and with that change nothing
is left and nothing is used after it was freed.

usage: test_newsroom.py LOUPE PROGRAM LIBRARY

LIBRARY is libloupe_leaks, or empty: then nothing is said at exit.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import typing
import unittest

import test_mistakes
import test_outputs_agree as outputs
from test_mistakes import Json, answer, class_of
from waiting import snapshots_of

LOUPE, PROGRAM, LIBRARY = "", "", ""
IN_USE, LET_GO = 0, 1  # what snapshots show
TRIES = 3  # where the program is in memory is chance, and so is a number that looks like a pointer


class Mistake(typing.NamedTuple):
    name: str
    of: str  # the class of what leaks, or one on its ring; and what is known of it
    known: typing.Optional[str]
    change: str
    first: str  # the first fix, as text

    def is_ring(self) -> bool:
        return self.known is not None


MISSING = "add the missing release"
MISTAKES = [
    Mistake("issue", "Issue", "What a collection holds keeps the collection's owner", "Article.issue",
            "hold Article.issue without retaining it (newsroom.m:LINE) (breaks every loop if no Article retains it)"),
    Mistake("window", "PageController", "A delegate is kept", "PageView.delegate",
            "hold PageView.delegate without retaining it (newsroom.m:LINE)"),
    Mistake("ticker", "Ticker", "A repeating timer keeps its target", "invalidate timer",
            "invalidate the NSTimer before Ticker is to be freed (not in -dealloc, which the timer prevents), or "
            "use a block that captures the target weakly"),
    Mistake("wire", "WireDesk", "A collection of observers keeps them", "remove from observers",
            "remove the WireDesk from Wire.observers before it is to be freed (not in -dealloc, which "
            "Wire.observers prevents), or hold it there weakly (newsroom.m:LINE)"),
    Mistake("bureau", "Reporter", "A collection of observers keeps them", "remove from listeners",
            "remove the Reporter from Dispatch.listeners before it is to be freed (not in -dealloc, which "
            "Dispatch.listeners prevents), or hold it there weakly (newsroom.m:LINE) (breaks every loop if each "
            "Reporter is removed)"),
    Mistake("sections", "Section", "What a dictionary holds keeps the dictionary's owner", "Section.outer",
            "hold Section.outer without retaining it (newsroom.m:LINE)"),
    Mistake("indexer", "Indexer", "A thread keeps its target", "end thread",
            "end the NSThread before Indexer is to be freed, or give it another target"),
    Mistake("sketch", "Sketch", "The undo manager's actions keep what owns the manager", "remove actions",
            "send -removeAllActions to Sketch.undo before Sketch is to be freed (not in -dealloc, which the "
            "actions prevent) (newsroom.m:LINE)"),
    Mistake("command", "Command", "An invocation keeps its target and arguments", "release invocation",
            "release the NSInvocation before Command is to be freed (not in -dealloc, which the invocation "
            "prevents), or do not have it retain its arguments"),
    Mistake("editor", "Draft", None, "release Draft", MISSING),
    Mistake("roll", "Photo", None, "release Photo", MISSING),
    Mistake("caption", "Font", None, "release Font", MISSING),
]
WITH_BLOCKS = [Mistake("tapped", "Tapped", None, "release Tapped", MISSING),
               Mistake("printer", "block", None, "release blocks", MISSING)]
NONE_AT_ALL = ["folder", "saver"]
WAYS_OF_BLOCKS = ("newsroom_blocks.m:49 in -[Printer print]", "newsroom_blocks.m:58 in -[Printer preview]")


def without_lines(text: str) -> str:
    return re.sub(r"newsroom\.m:\d+", "newsroom.m:LINE", text)


def go_on_with(name: str, change: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([PROGRAM, name, change], capture_output=True, text=True, timeout=1700, check=False,
                          env={**os.environ, "NSZombieEnabled": "YES"})


class Newsroom(outputs.OfFixture):
    maxDiff = None
    folder: tempfile.TemporaryDirectory  # type: ignore[type-arg]
    snapshots: typing.List[pathlib.Path]
    planted: typing.List[Mistake]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        outputs.LOUPE, outputs.FOLDER = LOUPE, pathlib.Path(cls.folder.name)
        for _ in range(TRIES):
            cls.snapshots, trouble = snapshots_of([PROGRAM], LOUPE, outputs.FOLDER)
            assert not trouble and len(cls.snapshots) == 2, trouble
            classes = {each["class"] for each in answer("heap", cls.snapshots[IN_USE])["classes"]}
            cls.planted = MISTAKES + (WITH_BLOCKS if "Tapped" in classes else [])
            if len(answer("leaks", cls.snapshots[LET_GO])["leaks"]) == len(cls.wanted()):
                break

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    @classmethod
    def wanted(cls) -> typing.List[str]:
        """The first fix of each leak."""
        return sorted(mistake.first for mistake in cls.planted for _ in range(1 + (mistake.name == "printer")))

    def leaks_of(self, found: Json, mistake: Mistake) -> typing.List[Json]:
        if not mistake.is_ring():
            return [leak for leak in found["leaks"]
                    if leak["kind"] == "leak" and leak["class"].split()[0] == mistake.of]
        return [leak for leak in found["leaks"] if leak["knot"] and any(
            class_of(found, edge["from"]) == mistake.of
            for ring in leak["knot"]["rings"] for edge in ring["edges"])]

    def text(self, verb: str, state: int, *words: str) -> str:
        return subprocess.run([LOUPE, verb, self.snapshots[state], "--limit", "0", *words], capture_output=True,
                              text=True, timeout=1700, check=False).stdout

    def firsts(self, text: str) -> typing.List[str]:
        """The first fix of each entry."""
        lines = text.splitlines()
        return [without_lines(lines[at + 1].strip(" •*")) for at, line in enumerate(lines)
                if line.strip().startswith(outputs.HEADINGS) and not line.startswith("Fix")]

    def test_each_is_found(self) -> None:
        """And nothing else: what is kept by nobody is a mistake that was planted."""
        found = answer("leaks", self.snapshots[LET_GO])
        entries = 0
        for mistake in self.planted:
            with self.subTest(mistake.name):
                leaks = self.leaks_of(found, mistake)
                self.assertEqual(2 if mistake.name == "printer" else 1, len(leaks),
                                 leaks or self.text("path", LET_GO, "--to-class", mistake.of))
                entries += len(leaks)
                for leak in leaks:
                    self.assertEqual("timer" if mistake.name == "ticker" else "lost", leak["degree"])
                    self.assertEqual(mistake.known, leak.get("mistake") if mistake.is_ring() else None)
                    self.assertEqual(mistake.is_ring(), not leak["missing_releases"])
        self.assertEqual(entries, len(found["leaks"]), [leak["class"] for leak in found["leaks"]])

    def test_what_is_in_use_is_no_leak(self) -> None:
        found = answer("leaks", self.snapshots[IN_USE])
        self.assertEqual({"Draft", "block"} if len(self.planted) > len(MISTAKES) else {"Draft"},
                         {leak["class"].split()[0] for leak in found["leaks"]})

    def test_the_first_fix(self) -> None:
        firsts = self.firsts(self.text("leaks", LET_GO))
        self.assertEqual(self.wanted(), sorted(firsts))
        rings = [mistake.first for mistake in self.planted if mistake.is_ring()]
        for state in (IN_USE, LET_GO):
            self.assertEqual(sorted(rings), sorted(self.firsts(self.text("cycles", state))))

    def test_of_one_object_the_mistake_is_named_too(self) -> None:
        for mistake in (one for one in self.planted if one.name in ("window", "bureau")):
            address = answer("find", self.snapshots[LET_GO], mistake.of)["objects"][0]["address"]
            for verb in ("retain-cycles", "cycles"):
                said = subprocess.run([LOUPE, verb, self.snapshots[LET_GO], address], capture_output=True, text=True,
                                      timeout=1700, check=False)
                self.assertIn(f"\n  Known mistake: {mistake.known}\n", said.stdout, said.stderr)

    def test_every_output_says_the_same(self) -> None:
        self.agree("cycles", self.snapshots[IN_USE])
        self.agree("leaks", self.snapshots[LET_GO])

    def test_at_exit(self) -> None:
        if not LIBRARY:
            self.skipTest("there is no libloupe_leaks")
        for _ in range(TRIES):
            done = subprocess.run([PROGRAM], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1700,
                                  check=False, env={**os.environ, "LD_PRELOAD": LIBRARY, "LOUPE_LEAKS": "at-exit"})
            firsts, wanted = collections.Counter(self.firsts(done.stderr)), collections.Counter(self.wanted())
            if firsts == wanted:
                break
        self.assertFalse(firsts - wanted, done.stderr)
        self.assertLessEqual((wanted - firsts).total(), 1, done.stderr)  # chance hides no more of them

    def test_blocks_of_two_places(self) -> None:
        if len(self.planted) == len(MISTAKES):
            self.skipTest("there is no libBlocksRuntime")
        text = self.text("leaks", LET_GO, "--class", "block")
        for way in WAYS_OF_BLOCKS:
            self.assertIn(way, text)

    def test_known_leaks_are_beside_it(self) -> None:
        """What libobjc leaves is in one line, and nowhere else."""
        text = self.text("leaks", LET_GO)
        self.assertRegex(text, r"\n\d+ known leaks of .*libobjc")
        self.assertNotIn("(list of subclasses)", text)
        self.assertNotIn("(name of an added method)", text)

    def test_with_the_first_fix_it_goes_on(self) -> None:
        tried = {}
        for mistake in self.planted:
            with self.subTest(mistake.name):
                self.assertEqual((1, ""), self.end_of(mistake.name, "-"), "it is no mistake")
                tried[mistake.name] = self.end_of(mistake.name, mistake.change)
                self.assertEqual((0, ""), tried[mistake.name])
        for name in NONE_AT_ALL:
            self.assertEqual((0, ""), self.end_of(name, "-"))
        print(f"first fixes tried {len(tried)}, gone {list(tried.values()).count((0, ''))}")

    def end_of(self, name: str, change: str) -> typing.Tuple[int, str]:
        done = go_on_with(name, change)
        return done.returncode, done.stderr


if __name__ == "__main__":
    LOUPE, PROGRAM, LIBRARY = sys.argv[1:]
    test_mistakes.LOUPE = LOUPE
    del sys.argv[1:]
    unittest.main()
