"""loupe history: who retained and released an object, while the program runs."""
import json
import pathlib
import sys
import tempfile
import unittest

import session

sys.path.insert(0, str(session.SUPPORT))
from share import share_of  # noqa: E402

PROGRAMS = {"Apple's layouts": session.BUILD / "tests" / "lldb" / "programs" / "history",
            "GCC's runtime": session.BUILD / "tests" / "lldb" / "programs" / "history_gnustep",
            "libobjc2": session.BUILD / "tests" / "libobjc2" / "history"}
SOURCE = session.SOURCE / "tests" / "lldb" / "programs" / "history.m"
START = ("breakpoint set -n historyBegins", "breakpoint set -n historyGoesOn",
         "process launch --stdout /dev/null -- to-its-end", "up", "loupe history thing")


def line_of(text):
    [line] = [number for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
              if text in line]
    return line


class History(unittest.TestCase):
    def each(self):
        """Every program that was built here."""
        built = dict(share_of((name, path) for name, path in PROGRAMS.items() if path.exists()))
        self.assertTrue(built)
        for name, path in built.items():
            with self.subTest(name):
                yield path

    def test_the_guilty_line_is_marked(self):
        for program in self.each():
            done = session.batch(*START, "continue", "loupe history", program=program)
            self.assertIn("retain count 1 when it began, 2 now", done.stdout, done.stderr)
            self.assertRegex(done.stdout, rf"\+3  retained at \S*history.m:{line_of('_kept = [')} "
                                          r"in -\[Keeper keep:\], 3 times\n")
            self.assertRegex(done.stdout, rf"-3  released at \S*history.m:{line_of('[_kept rel')} "
                                          r"in -\[Keeper drop\], 3 times\n")
            self.assertRegex(done.stdout, rf"\+1  retained at \S*history.m:"
                                          rf"{line_of('    [thing retain]')} in -\[Keeper take:\]"
                                          "  <- no matching release\n")
            self.assertIn("4 retains, 3 releases: 1 retain without a release", done.stdout)

    def test_it_ends_by_itself_when_the_object_is_freed(self):
        for program in self.each():
            done = session.batch(*START, "continue", "continue", "loupe history", "watchpoint list",
                                 "continue", program=program)
            self.assertIn("retain count 1 when it began, freed", done.stdout, done.stderr)
            self.assertIn("4 retains, 5 releases", done.stdout)
            self.assertIn("No watchpoints currently set", done.stdout)
            self.assertIn("exited with status = 0", done.stdout)

    def watch(self, program, argument):
        done = session.batch(*START[:2], f"process launch --stdout /dev/null -- {argument}",
                             *START[3:], "continue", "loupe history", program=program)
        return done.stdout

    def test_counts_that_move_to_a_side_table_are_followed(self):
        said = self.watch(PROGRAMS["Apple's layouts"], "many")  # others count in one word
        self.assertIn("retain count 1 when it began, 1 now", said)
        self.assertIn("300 retains, 300 releases\n", said)

    def test_autoreleases_and_weak_stores_are_seen(self):
        for program in self.each():
            said = self.watch(program, "lent")
            self.assertIn("1 retain, 1 release\n", said)
            if program != PROGRAMS["GCC's runtime"]:  # whose -autorelease has no symbol
                self.assertEqual(1, said.count("autoreleased at"))
                self.assertRegex(said, r"stored weakly at \S*history.m:"
                                       rf"{line_of('objc_initWeak(&weakly')} in -\[Keeper point:\]")

    def test_it_can_be_ended(self):
        for program in self.each():
            done = session.batch(*START, "loupe history --stop", "watchpoint list", "continue",
                                 "loupe history", program=program)
            self.assertIn("No watchpoints currently set", done.stdout)
            self.assertNotIn("retained", done.stdout)

    def test_a_second_history_of_one_object_is_refused(self):
        for program in self.each():
            done = session.batch(*START, "loupe history thing", program=program)
            self.assertIn("is watched already", done.stderr)

    def test_without_any_it_says_how_to_begin(self):
        for program in self.each():
            done = session.batch("breakpoint set -n historyBegins",
                                 "process launch --stdout /dev/null", "loupe history",
                                 program=program)
            self.assertIn("loupe history EXPR begins", done.stderr)


RECORDER = session.library("record")
RECORDS = f"settings set target.env-vars LD_PRELOAD={RECORDER} LOUPE_RECORD=Thing"


@unittest.skipUnless(RECORDER.exists(), "libloupe_record is not built here")
class Recorded(unittest.TestCase):
    """libloupe_record saw the objects of a class from their beginning on."""

    def each(self):
        built = [path for path in PROGRAMS.values() if path.exists()]
        self.assertTrue(built)
        return built

    def check(self, text):
        self.assertIn("retain count 1 when it was allocated, 2 now", text)
        self.assertRegex(text, rf"\+3  retained at \S*history.m:{line_of('_kept = [')} "
                               r"in -\[Keeper keep:\], 3 times\n")
        self.assertRegex(text, rf"\+1  retained at \S*history.m:{line_of('    [thing retain]')} "
                               r"in -\[Keeper take:\]  <- no matching release\n")
        self.assertIn("4 retains, 3 releases: 1 retain and the allocation without a release", text)
        self.assertRegex(text, r"\+1  allocated at \S+:\d+ in ")

    def test_the_guilty_line_is_known_at_once(self):
        for program in self.each():
            with self.subTest(program=program.name):
                done = session.batch(RECORDS, "breakpoint set -n historyGoesOn",
                                     "process launch --stdout /dev/null", "up",
                                     "loupe history thing", program=program)
                self.check(done.stdout)

    def test_and_on_a_core(self):
        for program in self.each():
            with self.subTest(program=program.name), tempfile.TemporaryDirectory() as directory:
                core = pathlib.Path(directory) / "core"
                session.save_core(core, program, "historyGoesOn", preload=RECORDER,
                                  environment={"LOUPE_RECORD": "Thing"})
                done = session.batch("frame select 1", "loupe history thing", program=program,
                                     core=core)
                self.check(done.stdout)

    def test_of_an_object_that_was_freed(self):
        for program in self.each():
            with self.subTest(program=program.name):
                done = session.batch(RECORDS, "breakpoint set -n historyGoesOn",
                                     "process launch --stdout /dev/null -- to-its-end", "continue",
                                     "up", "loupe history --json thing", program=program)
                [line] = [line for line in done.stdout.splitlines() if line.startswith("{")]
                answer = json.loads(line)
                self.assertEqual("ok", answer["status"])
                [told] = answer["histories"]
                self.assertEqual(("allocated", 1, None, "freed"),
                                 tuple(told[key] for key in ("since", "before", "now", "ended")))
                changes = {kind: sum(group["change"] for group in told["groups"]
                                     if group["kind"] == kind) for kind in ("retain", "release")}
                self.assertEqual({"retain": 4, "release": 5}, changes)
                for group in told["groups"]:
                    self.assertTrue(answer["stacks"][str(group["stack"])]["frames"])

    def test_objects_of_other_classes_have_none(self):
        for program in self.each():
            with self.subTest(program=program.name), tempfile.TemporaryDirectory() as directory:
                core = pathlib.Path(directory) / "core"
                session.save_core(core, program, "historyGoesOn", preload=RECORDER,
                                  environment={"LOUPE_RECORD": "Thing"})
                done = session.batch("frame select 1", "loupe history keeper", program=program,
                                     core=core)
                self.assertIn("no retain of this object was recorded", done.stderr)


if __name__ == "__main__":
    unittest.main()
