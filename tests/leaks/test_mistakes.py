"""Mistakes that everybody makes: each is found, with the right change first in every output, and a
program that makes that change goes on, uses nothing that was freed, and leaves nothing.

usage: test_mistakes.py LOUPE PROGRAM LIBRARY RECORDER [SANITIZED]

LIBRARY is libloupe_leaks, or empty: then nothing is said at exit. RECORDER is libloupe_record, or empty.
SANITIZED is the program with AddressSanitizer.
"""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import typing
import unittest

import test_outputs_agree as outputs
from waiting import snapshots_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from lldb_commands.render.style import Style  # noqa: E402
from lldb_commands.reporting.report import as_text  # noqa: E402

Json = typing.Dict[str, typing.Any]
LOUPE, PROGRAM, LIBRARY, RECORDER, SANITIZED = "", "", "", "", ""
HELD, LET_GO = 0, 1  # what snapshots show
USED_AFTER_FREED = 3


class Mistake(typing.NamedTuple):
    name: str
    of: str  # a class on its ring that no other has
    change: str  # the reference that should not own


MISTAKES = [Mistake(*words) for words in (
    ("feed", "FeedScreen", "FeedScreen._parent"),
    ("children", "SplitController", "ChildController._parentController"),
    ("mail", "MailController", "MessageView._delegate"),
    ("delegate", "PhotoAlbum", "Downloader._delegate"),
    ("observation", "Gauge", "KVOController._observer"),
    ("link", "ClockFace", "DisplayLink._target"),
    ("thread", "Indexer", "WorkThread._target"),
    ("undo", "Drawing", "UndoAction._target"),
    ("timer", "Poller", "NSTimer:target"),
    ("cache", "ThumbCache", "DetailScreen._cache"),
    ("model", "Ledger", "Ledger._observers[]"),
    ("handler", "PhotoScreen", "block:self"),
    ("operation", "Importer", "block:self"),
    ("token", "Inbox", "block:self"),
    ("source", "FileWatcher", "block:self"),
    ("handlers", "StatusBar", "block:self"),
    ("association", "Button", "Decoration._host"),
)]
TOGETHER = Mistake("editor", "EditorController", "Toolbar._delegate,Sheet._owner")
WITHOUT_RING = Mistake("missing_release", "Receipt", "Receipt:release")
# Of a cache's screen the question is why that one stays: it is still in the cache, which is in use.
ASKED_FOR_ITSELF = {("cache", "DetailScreen")}


def _read(terminal: int) -> bytes:
    """Nothing at its end, which is an error there."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


def answer(verb: str, *words: typing.Union[str, pathlib.Path]) -> Json:
    done = subprocess.run([LOUPE, verb, "--json", "--limit", "0", *words], capture_output=True,
                          text=True, timeout=1700, check=False)
    found: Json = json.loads(done.stdout)
    return found


def knots_of(found: Json) -> typing.List[Json]:
    knots = found["knots"] if "knots" in found else [leak.get("knot") for leak in found["leaks"]]
    return [knot for knot in knots if knot]


def class_of(found: Json, address: str) -> str:
    of = found["objects"].get(address, {})
    return "block" if of.get("kind") == "block" else str(of.get("class"))


def reference(found: Json, ring: Json, edge: Json) -> str:
    """As the program has it: of a member of a collection, by who has that."""
    owner = class_of(found, edge["from"])
    if edge["kind"] == "capture":
        return "block:self"
    if edge["kind"] == "target":
        return "NSTimer:target" if "Timer" in owner else f"{owner}:target"
    if edge["kind"] in ("element", "value"):
        has = next(each for each in ring["edges"] if each["to"] == edge["from"])
        return f"{class_of(found, has['from'])}.{has['path']}[]"
    return f"{owner}.{edge['path']}"


def knot_with(found: Json, mistake: Mistake) -> Json:
    knots = [knot for knot in knots_of(found)
             if any(class_of(found, edge["from"]) == mistake.of
                    for ring in knot["rings"] for edge in ring["edges"])]
    assert len(knots) == 1, (mistake, knots)
    return knots[0]


def order_of(found: Json, knot: Json) -> typing.List[typing.List[str]]:
    """The references of the first ring, and what its fixes change, as they come."""
    ring = knot["rings"][0]
    return [[reference(found, ring, edge) for edge in ring["edges"]],
            [reference(found, ring, fix["edge"]) for fix in knot["fixes"]]]


def not_counted(snapshots: typing.List[pathlib.Path], classes: typing.List[str]) -> Json:
    """Objects that count in a way of their own, of the knots that objects of these classes are in."""
    found = answer("cycles", snapshots[LET_GO])
    return {of: knot["counts"]["not_counted"] for knot in knots_of(found)
            for edge in knot["rings"][0]["edges"]
            for of in [class_of(found, edge["from"])] if of in classes}


def missing_releases(snapshots: typing.List[pathlib.Path], classes: typing.List[str]) -> Json:
    return {leak["class"]: (leak["degree"], leak["missing_releases"])
            for leak in answer("leaks", snapshots[LET_GO])["leaks"]
            if leak["kind"] == "leak" and leak["class"] in classes}


def without_places(text: str) -> str:
    """That a program says of itself at exit, which knows its lines."""
    return re.sub(r"0x[0-9a-f]+|capture .* in the block .*", "", text)


def follow(mistake: Mistake, change: str) -> int:
    return subprocess.run([PROGRAM, mistake.name, change], capture_output=True, timeout=1700,
                          check=False).returncode


def under_sanitizer(mistake: Mistake, change: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([SANITIZED, mistake.name, change], capture_output=True, text=True,
                          timeout=1700, check=False,
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0:exitcode=9"})


class Mistakes(outputs.OfFixture):
    maxDiff = None
    folder: tempfile.TemporaryDirectory  # type: ignore[type-arg]
    snapshots: typing.List[pathlib.Path]
    planted: typing.List[Mistake]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        outputs.LOUPE, outputs.FOLDER = LOUPE, pathlib.Path(cls.folder.name)
        cls.snapshots, trouble = snapshots_of([PROGRAM], LOUPE, outputs.FOLDER)
        assert not trouble and len(cls.snapshots) == 2, trouble
        classes = {each["class"] for each in answer("heap", cls.snapshots[HELD])["classes"]}
        cls.planted = [mistake for mistake in MISTAKES if mistake.of in classes]
        assert len(cls.planted) > 10, classes

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def whole(self) -> typing.List[Json]:
        return [answer("cycles", self.snapshots[HELD]), answer("cycles", self.snapshots[LET_GO]),
                answer("leaks", self.snapshots[LET_GO])]

    def check_first(self, found: Json, mistake: Mistake) -> None:
        knot = knot_with(found, mistake)
        fix = knot["fixes"][0]
        self.assertEqual(reference(found, knot["rings"][0], fix["edge"]), mistake.change)
        self.assertEqual(fix["against"], [])

    def test_the_first_change_is_the_right_one(self) -> None:
        for found in self.whole():
            for mistake in self.planted:
                with self.subTest(mistake.name, query=found["query"]):
                    self.check_first(found, mistake)

    def test_whoever_of_the_ring_is_asked_about(self) -> None:
        found = answer("cycles", self.snapshots[HELD])
        for mistake in self.planted:
            for edge in knot_with(found, mistake)["rings"][0]["edges"]:
                asked = class_of(found, edge["from"])
                if (mistake.name, asked) in ASKED_FOR_ITSELF:
                    continue
                with self.subTest(mistake.name, asked=asked):
                    self.check_first(answer("cycles", self.snapshots[HELD], edge["from"]), mistake)

    def test_a_missing_release_is_found(self) -> None:
        leaks = [leak for leak in answer("leaks", self.snapshots[LET_GO])["leaks"]
                 if leak["class"] == WITHOUT_RING.of]
        self.assertEqual([(leak["kind"], leak["degree"]) for leak in leaks], [("leak", "lost")])

    def test_a_program_that_follows_the_advice_goes_on(self) -> None:
        ends = {mistake: follow(mistake, mistake.change)
                for mistake in [*self.planted, WITHOUT_RING]}
        for mistake, end in ends.items():
            with self.subTest(mistake.name):
                self.assertEqual(follow(mistake, "nothing"), 1, "it is no mistake")
                self.assertEqual(end, 0)
        crashes = sum(end not in (0, 1) for end in ends.values())
        print(f"first fixes tried {len(ends)}, rings gone {list(ends.values()).count(0)}, "
              f"crashes {crashes}")

    def test_nothing_is_used_after_it_was_freed(self) -> None:
        """By one who looks at each access, and frees memory for good."""
        if not SANITIZED:
            self.skipTest("it was not built with AddressSanitizer")
        changes = {mistake: mistake.change for mistake in [*self.planted, WITHOUT_RING, TOGETHER]}
        reports = 0
        for mistake, change in changes.items():
            done = under_sanitizer(mistake, change)
            reports += "AddressSanitizer" in done.stderr
            with self.subTest(mistake.name):
                self.assertEqual((0, ""), (done.returncode, done.stderr))
        print(f"first fixes tried with AddressSanitizer {len(changes)}, reports {reports}")
        album = next(each for each in MISTAKES if each.name == "delegate")
        wrong = under_sanitizer(album, "PhotoAlbum._downloader")
        self.assertIn("AddressSanitizer", wrong.stderr, "it sees nothing")

    def test_rings_that_need_several_changes(self) -> None:
        for found in self.whole():
            with self.subTest(query=found["query"]):
                knot = knot_with(found, TOGETHER)
                self.assertEqual(len(knot["rings"]), 2)
                needed = [reference(found, ring, fix["edge"])
                          for ring, fix in zip(knot["rings"], knot["fixes"]) if fix["together"]]
                self.assertEqual(set(needed), set(TOGETHER.change.split(",")))
                text = as_text({**found, "query": "cycles", "knots": [knot]}, Style(), "", False)
                self.assertIn("\n  These together break every loop:\n    ", text)
        for change, end in ((TOGETHER.change, 0), (TOGETHER.change.split(",", 1)[0], 1)):
            self.assertEqual(follow(TOGETHER, change), end)

    def test_each_ring_that_is_left_is_shown(self) -> None:
        for verb, snapshot in (("cycles", HELD), ("leaks", LET_GO)):
            done = subprocess.run([LOUPE, verb, self.snapshots[snapshot], "--limit", "0"],
                                  capture_output=True, text=True, timeout=1700, check=False)
            entries = re.split(r"^\d+\. ", done.stdout, flags=re.M)[1:]
            entry = next(entry for entry in entries if "Toolbar" in entry)
            self.assertIn("another loop of the same cycle:", entry)
            together = entry.partition("These together break every loop:\n")[2].splitlines()[:2]
            self.assertEqual(sorted(line.split()[2] for line in together),
                             ["Sheet._owner", "Toolbar._delegate"])

    def test_two_runs_say_the_same(self) -> None:
        folder = outputs.FOLDER / "again"
        folder.mkdir()
        again, trouble = snapshots_of([PROGRAM], LOUPE, folder)
        self.assertFalse(trouble)
        for verb, state in (("cycles", HELD), ("cycles", LET_GO), ("leaks", LET_GO)):
            texts = []
            for snapshots in (self.snapshots, again):
                done = subprocess.run([LOUPE, verb, snapshots[state], "--limit", "0"],
                                      capture_output=True, text=True, timeout=1700, check=False)
                entries = re.split(r"^Unreachable, ", done.stdout, flags=re.M)[0]
                texts.append(re.sub(r"0x[0-9a-f]+", "", entries))
            with self.subTest(verb, state=state):
                self.assertEqual(*texts)
        both = [str(snapshots[HELD]) for snapshots in (self.snapshots, again)]
        same = answer("diff", *both, "--runs")
        self.assertEqual([], [each["class"] for each in same["classes"] if each["class"] in
                              {mistake.of for mistake in self.planted}])
        leaked = answer("diff", both[0], str(again[LET_GO]), "--runs")
        self.assertGreater(len(leaked["new_leaks"]) + len(leaked["more_leaks"]), len(self.planted) // 2)
        text = subprocess.run([LOUPE, "diff", both[0], str(again[LET_GO]), "--runs"], capture_output=True, text=True,
                              timeout=1700, check=True).stdout
        self.assertEqual([each["fingerprint"] for key in ("more_leaks", "more_knots") for each in leaked[key][:10]],
                         re.findall(r"^  ([0-9a-f]{16})  \d", text, re.M), "the text is read from the answer")

    def test_recording_counts_weakens_no_verdict(self) -> None:
        """The -retain that libloupe_record gives a class is none of the class's own."""
        if not RECORDER:
            self.skipTest("there is no libloupe_record")
        folder = outputs.FOLDER / "recorded"
        folder.mkdir()
        classes = [mistake.of for mistake in [*self.planted, WITHOUT_RING]]
        recorded, trouble = snapshots_of([PROGRAM], LOUPE, folder, LD_PRELOAD=RECORDER,
                                         LOUPE_RECORD=",".join(classes))
        self.assertFalse(trouble)
        for ask in (not_counted, missing_releases):
            self.assertEqual(ask(self.snapshots, classes), ask(recorded, classes))
        self.assertEqual(missing_releases(recorded, classes), {WITHOUT_RING.of: ("lost", 1)})

    def test_every_verb_orders_one_ring_the_same_way(self) -> None:
        """References from the first, and all fixes, whatever was asked and whether it is in use."""
        orders = [{mistake.name: order_of(found, knot_with(found, mistake))
                   for mistake in [*self.planted, TOGETHER]} for found in self.whole()]
        for order in orders[1:]:
            self.assertEqual(orders[0], order)

    def text(self, verb: str, state: int, *words: str) -> str:
        return subprocess.run([LOUPE, verb, self.snapshots[state], *words], capture_output=True,
                              text=True, timeout=1700, check=False).stdout

    def look(self, *words: str, **variables: str) -> str:
        plain = {name: value for name, value in os.environ.items()
                 if name not in ("LC_ALL", "LC_CTYPE", "LANG", "LOUPE_GLYPHS", "NO_COLOR")}
        return subprocess.run([LOUPE, *words, self.snapshots[LET_GO]], capture_output=True, check=False,
                              timeout=1700, env={**plain, "TERM": "xterm", **variables}).stdout.decode()

    def test_text_is_drawn_in_ascii_where_the_locale_is(self) -> None:
        for verb in ("leaks", "cycles", "heap", "suspects"):
            drawn = self.look(verb, LANG="C.UTF-8")
            for variables in ({}, {"LANG": "C"}, {"LC_ALL": "POSIX", "LANG": "C.UTF-8"},
                              {"LANG": "C.UTF-8", "LOUPE_GLYPHS": "ascii"}):
                plain = self.look(verb, **variables)
                self.assertTrue(plain.isascii(), plain)
                self.assertEqual(drawn.count("\n"), plain.count("\n"))
            self.assertEqual(drawn, self.look(verb, LANG="C", LOUPE_GLYPHS="unicode"))
        self.assertIn("  .-> ", self.look("leaks"))
        self.assertIn("  ╭─▶ ", self.look("leaks", LANG="C.UTF-8"))
        self.assertEqual(self.look("leaks", "--json"), self.look("leaks", "--json", LANG="C.UTF-8"))

    def test_text_is_coloured_where_that_is_wanted(self) -> None:
        for words, variables, is_coloured in (((), {}, False), (("--color", "always"), {}, True),
                                              (("--color=always",), {"NO_COLOR": "1"}, True),
                                              (("--color", "auto"), {}, False),
                                              (("--color", "never"), {}, False)):
            with self.subTest(words):
                self.assertEqual(is_coloured, "\x1b[" in self.look("leaks", *words, **variables))
        plain, colored = (self.look("leaks", "--color", when) for when in ("never", "always"))
        self.assertEqual(plain, re.sub("\x1b\\[[0-9;]*m", "", colored))
        self.assertRegex(self.in_terminal(), "\x1b\\[1;31m")  # the reference to cut
        self.assertNotIn("\x1b[", self.in_terminal(NO_COLOR="1"))
        self.assertNotIn("\x1b[", self.in_terminal(TERM="dumb"))

    def in_terminal(self, **variables: str) -> str:
        ours, theirs = pty.openpty()
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        with subprocess.Popen([LOUPE, "leaks", self.snapshots[LET_GO]], stdout=theirs,
                              env={**environment, "TERM": "xterm", **variables}) as process:
            os.close(theirs)
            text = b""
            while piece := _read(ours):
                text += piece
            process.wait(1700)
        os.close(ours)
        return text.decode()

    def test_a_heap_has_a_column_for_what_is_unreachable(self) -> None:
        rows = {state: re.search(r"^ +(\d+)( +\d+)? +[\d,]+ +[\d,]+  FeedScreen$", self.text(
            "heap", state, "--class", "FeedScreen"), re.M) for state in (HELD, LET_GO)}
        self.assertEqual([("5", None), ("5", "5")],
                         [(row[1], row[2] and row[2].strip()) for row in rows.values() if row])
        counts = {each["class"]: each["unreachable"] for each in answer("heap", self.snapshots[LET_GO])["classes"]}
        self.assertEqual((5, 3), (counts["FeedScreen"], counts["DetailScreen"]))

    def test_equal_ways_to_a_class_are_one(self) -> None:
        self.assertIn("Path 1 of 1, of 3 objects: 2 references\n",
                      self.text("path", HELD, "--to-class", "DetailScreen"))
        ways = self.text("path", HELD, "--to-class", "FeedScreen")
        self.assertEqual(["Path 1 of 2: a root points to it", "Path 2 of 2, of 4 objects: 2 references"],
                         re.findall("^Path .*$", ways, re.M))
        said = answer("path", self.snapshots[HELD], "--to-class", "FeedScreen")
        self.assertEqual((5, 5, 2, [1, 4]),
                         (said["found"], said["compared"], said["ways"], [path["alike"] for path in said["paths"]]))
        self.assertTrue(all(path["objects"][-1]["retained"] for path in said["paths"]))
        each = answer("path", self.snapshots[HELD], "--to-class", "FeedScreen", "--each")
        self.assertEqual((5, None), (len(each["paths"]), each.get("ways")))

    def test_what_objects_of_a_class_retain(self) -> None:
        said = self.text("retained", HELD, "--class", "Detail*")
        self.assertIn("3 reachable objects of such a class, by what each alone keeps alive:\n", said)
        self.assertEqual(3, said.count("  DetailScreen 0x"))

    def test_names_that_nothing_has(self) -> None:
        self.assertIn("\nDid you mean DetailScreen?\n", self.text("find", HELD, "DetailScren"))
        self.assertIn("\nThing is a known class; it has no instances", self.text("find", HELD, "Thing"))

    def test_a_note_stands_where_it_can_change_a_conclusion(self) -> None:
        kernel = "objects held only by the kernel"
        self.assertNotIn(kernel, self.text("find", HELD, "DetailScreen"))
        self.assertIn(kernel, self.text("find", LET_GO, "DetailScreen"))

    def test_what_is_said_to_be_freed_at_once_is(self) -> None:
        found = answer("cycles", self.snapshots[HELD])
        tried = 0
        for mistake in self.planted:
            knot = knot_with(found, mistake)
            for fix in knot["fixes"]:
                change = reference(found, knot["rings"][0], fix["edge"])
                if "frees-at-once" in fix["against"] and fix["edge"]["kind"] == "ivar":
                    tried += 1
                    with self.subTest(mistake.name, change=change):
                        self.assertIn("; this would free the ", fix["text"])
                        if (mistake.name, change) not in NOT_OF_THE_PROGRAM:
                            self.assertEqual(follow(mistake, change), USED_AFTER_FREED)
        self.assertGreater(tried, 3)

    def test_every_output_says_the_same(self) -> None:
        self.agree("cycles", self.snapshots[HELD])
        self.agree("leaks", self.snapshots[LET_GO])

    def test_in_the_debugger(self) -> None:
        for found in self.whole()[:2]:
            for mistake in self.planted:
                with self.subTest(mistake.name):
                    knot = knot_with(found, mistake)
                    said = as_text({**found, "query": "cycles", "knots": [knot]}, Style(), "", False)
                    # Without names of places, which LLDB has.
                    first = re.search(r"^    \W (.*)$", said, re.M)
                    assert first, said
                    subject = mistake.change.split(".")[-1].split(":")[-1].rstrip("[]")
                    self.assertRegex(first[1], {"self": r"^capture .* by a __block variable in the block",
                                                "target": r"^invalidate the NSTimer",
                                                "_observers": r"^remove the LedgerController from Ledger._observers",
                                                }.get(subject, re.escape(mistake.change)))

    def test_at_exit(self) -> None:
        if not LIBRARY:
            self.skipTest("there is no libloupe_leaks")
        done = subprocess.run([PROGRAM], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=1700, check=False,
                              env={**os.environ, "LD_PRELOAD": LIBRARY, "LOUPE_LEAKS": "at-exit"})
        lines = [without_places(line) for line in done.stderr.splitlines()]
        firsts = [line for before, line in zip(lines, lines[1:])
                  if before.strip().startswith(outputs.HEADINGS)]
        found = answer("leaks", self.snapshots[LET_GO])
        for mistake in self.planted:
            with self.subTest(mistake.name):
                text = without_places(knot_with(found, mistake)["fixes"][0]["text"])
                self.assertTrue(any(text in line for line in firsts), (text, firsts))


# References that are not made by what the program takes as an argument.
NOT_OF_THE_PROGRAM = {("operation", "Importer._operation"), ("token", "Inbox._token"),
                      ("source", "FileWatcher._source")}

if __name__ == "__main__":
    LOUPE, PROGRAM, LIBRARY, RECORDER, SANITIZED = [*sys.argv[1:], ""][:5]
    del sys.argv[1:]
    unittest.main()
