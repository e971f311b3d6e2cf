"""No library of Loupe's that is preloaded ends a program on libobjc2, whatever it is asked for."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, WATCH, RECORD, LEAKS, TOOL = sys.argv[1:6]
RULES = """expect self of Screen on close because it was closed
keep   self of Screen on close when style.standard is nil
spare  Screen when style.standard is nil
"""


def run(*arguments: str, library: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    with tempfile.TemporaryDirectory() as folder:
        rules = pathlib.Path(folder, "screens.loupe-rules")
        rules.write_text(RULES)
        asked = {name: value.format(rules=rules) for name, value in environment.items()}
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=1800,
                              check=False, env={**os.environ, "LD_PRELOAD": library, **asked})


class Preloaded(unittest.TestCase):
    maxDiff = None

    def unharmed(self, done: "subprocess.CompletedProcess[str]", output: str = "done\n") -> None:
        self.assertEqual((done.returncode, done.stdout), (0, output), done.stderr)

    def test_rules_are_read_before_the_classes_were_used(self) -> None:
        done = run(library=WATCH, LOUPE_WATCH="{rules}")
        self.unharmed(done)
        self.assertEqual(done.stderr, "")

    def test_shipped_rules(self) -> None:
        for name in ("gnustep", "uikit", "appkit"):
            with self.subTest(name):
                self.unharmed(run(library=WATCH, LOUPE_WATCH=name))

    def test_a_death_is_waited_for_in_a_run_loop_that_nobody_has_used(self) -> None:
        done = run("wait", library=WATCH, LOUPE_WATCH="{rules}", LOUPE_WATCH_AFTER="0.1")
        self.unharmed(done, "died 1, lives 1\n")
        self.assertIn("SmallScreen", done.stderr)

    def test_a_death_is_waited_for_without_rules(self) -> None:
        self.unharmed(run("watch", library=WATCH), "died 1, lives 1\n")

    def test_retains_and_releases_are_recorded(self) -> None:
        self.unharmed(run(library=RECORD, LOUPE_RECORD="Screen,NSObject,NSProxy,NSDate"))

    def test_leaks_are_told_at_the_end(self) -> None:
        done = run(library=LEAKS, LOUPE_LEAKS="at-exit", LOUPE_TOOL=TOOL)
        self.unharmed(done)
        self.assertIn("SmallScreen", done.stderr)

    def test_all_of_them_together(self) -> None:
        done = run(library=f"{RECORD}:{WATCH}:{LEAKS}", LOUPE_WATCH="{rules}",
                   LOUPE_RECORD="Screen", LOUPE_LEAKS="at-exit", LOUPE_TOOL=TOOL)
        self.unharmed(done)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
