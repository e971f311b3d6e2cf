"""loupe watch: the library that watches objects, loaded and asked by lldb."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import session

sys.path.insert(0, str(session.SUPPORT))
from share import is_whole  # noqa: E402

ALBUM = session.BUILD / "examples" / "album"
RULES = session.SOURCE / "examples" / "album" / "album.loupe-rules"
REBORN = session.BUILD / "tests" / "lldb" / "programs" / "reborn"
AT_PUSH = ("b -[Navigator push:]", "run")


def report_without_chance(line):
    """Addresses are others in each run, and so are times and how many objects were met."""
    names = {}
    text = re.sub("0x[0-9a-f]+", lambda found: names.setdefault(found[0], f"#{len(names)}"), line)
    report = json.loads(text)
    del report["late_ms"], report["cycles"]["stats"]
    return report


@unittest.skipUnless(ALBUM.exists(), "the example is not built here")
class Watch(unittest.TestCase):
    def run_album(self, *lines, arguments=""):
        # Calls of the program take an older LLDB longer than ten seconds where others are at work, too.
        lines = [line.replace("loupe watch", "loupe watch -t 600", 1) for line in lines]
        begin = [f"settings set -- target.run-args {arguments}"] if arguments else []
        return session.batch(*begin, *AT_PUSH, *lines, "kill", program=ALBUM,
                             env=session.environment(LOUPE_WATCH_AFTER="0.2",
                                                     LOUPE_WATCH_LIBRARY=None))

    def test_an_object_is_reported_and_the_process_stops_there(self):
        done = self.run_album("loupe watch --after 0.2 --stop screen", "continue", "loupe watch list")
        text = done.stdout
        self.assertRegex(text, r"0x[0-9a-f]+ should die within 0\.2 s from now on")
        self.assertIn("capture the PhotoScreen (+32) weakly in the block in -[PhotoScreen init]",
                      text + done.stderr)
        self.assertIn("capture self weakly in the block at ", text)  # by debug information
        self.assertRegex(text, r"PhotoScreen 0x[0-9a-f]+ +reported +\d\.\d s +\d\.\d s ago +1 +it was")

    def test_rules_and_their_end(self):
        done = self.run_album(f"loupe watch --rules {RULES}", "loupe watch screen", "loupe watch list",
                              "loupe watch delete screen", "loupe watch list", "loupe watch delete",
                              "loupe watch list")
        self.assertIn("1 rule followed", done.stdout)
        self.assertRegex(done.stdout, r"1 object watched by weak reference, 1 rule followed\n.*\n"
                                      r"PhotoScreen 0x\w+ +waiting +\d\.\d s +in \d\.\d s +\d+ +it")
        self.assertIn("0 objects watched by weak reference, 1 rule followed", done.stdout)
        self.assertIn("0 objects watched by weak reference, 0 rules followed", done.stdout,
                      done.stderr)

    def test_what_dies_is_silent(self):
        done = self.run_album(f"loupe watch --rules {RULES} --stop", "breakpoint disable 1",
                              "continue", arguments="--repaired")
        self.assertNotIn("should have died", done.stdout + done.stderr)
        self.assertIn("exited with status = 0", done.stdout)

    @unittest.skipUnless(is_whole(), "with the long tests")
    def test_rules_give_the_same_report_in_lldb_and_without(self):
        with tempfile.TemporaryDirectory() as folder:
            there, here = pathlib.Path(folder, "lldb"), pathlib.Path(folder, "alone")
            self.run_album(f"loupe watch --rules {RULES}", "breakpoint disable 1",
                           f"expression (int)loupe_watch_report_to(\"{there}\")", "continue")
            environment = {**os.environ, "LOUPE_WATCH": str(RULES), "LOUPE_WATCH_AFTER": "0.2",
                           "LOUPE_WATCH_REPORT": str(here),
                           "LD_PRELOAD": str(session.BUILD / "watch" / "libloupe_watch.so")}
            subprocess.run([ALBUM], env=environment, check=True)
            reports = [[report_without_chance(line) for line in file.read_text().splitlines()]
                       for file in (there, here)]
        self.assertEqual(len(reports[0]), 1)
        self.assertEqual(reports[0], reports[1])

    @unittest.skipUnless(is_whole(), "with the long tests")
    def test_filters_and_a_baseline_keep_it_silent(self):
        reported = self.run_album(f"loupe watch --rules {RULES} --stop", "breakpoint disable 1",
                                  "continue", "retain-cycles --json $arg1").stdout
        fingerprint = re.search(r'"rings":\[\{"fingerprint":"([0-9a-f]{16})"', reported)
        self.assertTrue(fingerprint, reported)
        for option, line in (("--filters", "block -> PhotoScreen  # it ends\n"),
                             ("--baseline", f"# known\n{fingerprint[1]} PhotoScreen._download\n")):
            with tempfile.NamedTemporaryFile("w") as file:
                file.write(line)
                file.flush()
                done = self.run_album(f"loupe watch {option} {file.name} --rules {RULES}",
                                      "breakpoint disable 1", "continue")
            self.assertIn("silent about what ", done.stdout)
            self.assertNotIn("should have died", done.stdout + done.stderr)
        for option, what in (("--filters", "filters"), ("--baseline", "baseline")):
            done = self.run_album(f"loupe watch {option} /nowhere screen")
            self.assertIn(f"the {what} /nowhere cannot be read: No such file", done.stdout + done.stderr)

    @unittest.skipUnless(is_whole(), "with the long tests")
    def test_a_baseline_of_other_rings_hides_nothing(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("0123456789abcdef Another.ring\n")
            file.flush()
            done = self.run_album(f"loupe watch --baseline {file.name} --rules {RULES}",
                                  "breakpoint disable 1", "continue")
        self.assertIn("should have died", done.stdout + done.stderr)

    def test_mistakes_are_named(self):
        done = self.run_album("loupe watch list", "loupe watch --rules /nowhere")
        self.assertIn("nothing is watched: libloupe_watch is not in the process", done.stdout)
        self.assertTrue(re.search("loupe watch: the rules of /nowhere cannot be read: No such file",
                                  done.stderr + done.stdout), done.stderr)


@unittest.skipUnless(REBORN.exists(), "no GNUstep here")
class OnGNUstep(unittest.TestCase):
    def test_one_that_died_is_not_its_successor(self):
        done = session.batch("b is_made", "b is_gone", "run", "up", "loupe watch -t 600 --after 600 screen",
                             "continue", "up", "expression place == (void *)sheet", "loupe watch -t 600 list", "kill",
                             program=REBORN, env=session.environment(LOUPE_WATCH_LIBRARY=None))
        self.assertIn("(bool) $0 = true", done.stdout, done.stderr)
        self.assertRegex(done.stdout, r"\nScreen 0x\w+ +died after \d+\.\d s +it was expected to die within 600 s\n")
        self.assertNotRegex(done.stdout, r"\nSheet 0x")


if __name__ == "__main__":
    unittest.main()
