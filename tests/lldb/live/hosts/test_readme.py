"""What the README and docs/ show is what is printed, and what they tell to type works as they say."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import session

sys.path.insert(0, str(session.SOURCE))
from lldb_commands.reporting import filters  # noqa: E402

README = (session.SOURCE / "README.md").read_text(encoding="utf-8")
PAPERS = "\n".join([README, *(path.read_text(encoding="utf-8")
                              for path in sorted((session.SOURCE / "docs").glob("*.md")))])
PHOTO_BROWSER = {"program": str(session.BUILD / "examples" / "photo_browser"),
                 "stop": "screenShouldBeGone", "frame": 0}
HOLDERS = {"program": str(session.BUILD / "tests" / "lldb" / "programs" / "holders"),
           "stop": "holdersReady", "frame": 1}
# Without what is made of the table of verbs, which has options of the terminal, too.
OPTIONS = (session.SOURCE / "docs" / "commands.md").read_text(encoding="utf-8").split("<!-- options")[0]
# Where the commands were typed whose answers are shown.
ASKED_OF = {"retain-cycles screen": PHOTO_BROWSER, "strong-refs --incoming button": HOLDERS}


def blocks(language):
    """The code blocks of a language, without what indents and encloses them."""
    return [text for spoken, text in re.findall(r"^```(\w*)\n(.*?)^```$", PAPERS, re.M | re.S)
            if spoken == language]


def reports():
    """The output shown for each command at lldb's prompt."""
    shown = {}
    for block in blocks("console"):
        command, newline, output = block.partition("\n")
        if newline and command.startswith("(lldb) "):
            shown[command[len("(lldb) "):]] = output
    return shown


def ask(where, *commands):
    [run] = session.carry_out([{**where, "commands": list(commands)}])
    assert not run["problem"], run["problem"]
    return [answer["output"] + answer["error"] for answer in run["commands"]]


def comparable(report):
    """A report without what is otherwise on another machine: the data of its libraries."""
    text = session.normalised(report)
    if "\nHeld by " in text:
        text = re.sub(r"^searched .*", "", text, flags=re.M)
        text = re.sub(r"^Not searched: .*\n", "", text, flags=re.M)
    return text.strip()


class Reports(unittest.TestCase):
    maxDiff = None

    def test_each_report_is_what_is_printed(self):
        elsewhere = ("loupe fix ", "strong-refs --incoming book", "strong-refs --incoming other")  # test_fix, test_incoming
        shown = {asked: output for asked, output in reports().items() if not asked.startswith(elsewhere)}
        self.assertEqual(set(ASKED_OF), set(shown))
        for command, where in ASKED_OF.items():
            with self.subTest(command):
                [printed] = ask(where, command)
                if "thread-local variables and memory" in printed:
                    self.skipTest("this lldb does not tell where thread-local data is")
                self.assertEqual(comparable(shown[command]), comparable(printed))

    def test_a_line_of_explain_is_what_is_printed(self):
        [shown] = re.findall(r"`(\S+ +ivar, weak +of [^`]+)`", PAPERS)
        [printed] = ask(HOLDERS, "retain-cycles --explain root")
        self.assertIn(re.sub("0x[0-9a-f]+", "A", shown), re.sub("0x[0-9a-f]+", "A", printed))


class Words(unittest.TestCase):
    def test_every_command_is_in_the_table_and_every_option_in_a_help_text(self):
        section = OPTIONS.split("\n\n")[1]
        listed = re.findall(r"^\| `((?:loupe )?[a-z-]+)", section, re.M)
        finished = session.batch(*(f"help {name}" for name in listed), "help loupe")
        self.assertEqual(listed, re.findall(r"\nUsage: ((?:loupe )?[a-z-]+) \[", finished.stdout))
        self.assertEqual([name.split()[1] for name in listed if name.startswith("loupe ")],
                         re.findall(r"^ +(\w+) +-- ", finished.stdout.split("\nThe following")[1],
                                    re.M))
        for option in set(re.findall(r"`(?:[a-z-]+ )?(--[a-z-]+)", section + OPTIONS)):
            self.assertRegex(finished.stdout, rf"[ ,]{option}\b")

    def test_every_command_of_run_is_one(self):
        usage = subprocess.run([str(session.SOURCE / "run"), "help"], capture_output=True,
                               text=True, check=True).stdout
        for name in set(re.findall(r"\./run ([a-z0-9-]+)", PAPERS)):
            self.assertRegex(usage, rf"\n  {name}\b")

    def test_the_filters_are_filters(self):
        [text] = [block for block in blocks("") if " # " in block]
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "filters")
            path.write_text(text, encoding="utf-8")
            self.assertEqual([("Router", "_current", "Screen"), ("Session", "_delegate", None)],
                             [(one.source, one.path, one.target)
                              for one in filters.read(str(path))])


class Shell(unittest.TestCase):
    """Lines for a shell, in a directory made as the README has it: lldb is the one to test, the
    line of the chapter on installation is in ~/.lldbinit, and the photo browser is the program."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.here = pathlib.Path(directory.name)
        (self.here / "bin").mkdir()
        lldb = self.here / "bin" / "lldb"
        lldb.write_text(f'#!/bin/sh\nexec "{session.debugger()}" "$@"\n', encoding="utf-8")
        lldb.chmod(0o755)
        for name in ("program", "test_program"):
            (self.here / name).symlink_to(PHOTO_BROWSER["program"])
        (self.here / "loupe").symlink_to(session.SOURCE)
        [line] = re.findall(r"^    (command script import /path/to/loupe/lldb_commands)$", README,
                            re.M)
        (self.here / ".lldbinit").write_text(
            line.replace("/path/to/loupe", str(session.SOURCE)) + "\n", encoding="utf-8")

    def run_lines(self, lines):
        path = f"{self.here / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(["bash", "-e", "-c", lines], cwd=self.here, capture_output=True,
                              text=True, encoding="utf-8", check=False, stdin=subprocess.DEVNULL,
                              timeout=session.TIMEOUT,
                              env=session.environment(HOME=self.here, PATH=path))

    def rings(self):
        answer = json.loads((self.here / "rings.json").read_text(encoding="utf-8"))
        return [len(knot["rings"]) for knot in answer["knots"]]

    def test_a_batch_that_finds_a_cycle_ends_with_1(self):
        [line] = re.findall(r"^    (lldb -b .* \./program)$", PAPERS, re.M)
        done = self.run_lines(line.replace("leak_check_here", PHOTO_BROWSER["stop"])
                              .replace(" self\"", " screen\""))
        self.assertEqual(1, done.returncode, done.stdout + done.stderr)
        self.assertEqual([1], self.rings())

    def test_an_action_reports_the_ring_and_goes_on(self):
        [line] = re.findall(r"^    (breakpoint set .* -C .*)$", PAPERS, re.M)
        action = line.replace("viewDidDisappear:", "show:scale:")
        self.assertNotEqual(line, action)
        done = self.run_lines(f"lldb -b -o '{action}' -o run ./program")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(1, done.stdout.count(" retain cycle through self (PhotoScreen 0x"))
        self.assertIn("exited with status = 0", done.stdout)

    def test_the_steps_of_the_workflow_fail_for_new_rings_only(self):
        [workflow] = [block for block in blocks("yaml") if "lldb -b" in block]
        [step] = re.findall(r"^  run: \|\n((?:    .*\n)+)", workflow, re.M)
        baseline = self.here / "known-cycles.txt"
        baseline.write_text("", encoding="utf-8")
        done = self.run_lines(step)
        self.assertEqual(1, done.returncode, done.stdout + done.stderr)
        self.assertIn("error: retain-cycles: found 1 new leaked retain cycle\n", done.stderr)
        self.assertEqual([1], self.rings())
        recorded = step.replace("--baseline known-cycles.txt",
                                "--baseline known-cycles.txt --write-baseline known-cycles.txt")
        for lines in (recorded, step):
            done = self.run_lines(lines)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertEqual([], self.rings())


if __name__ == "__main__":
    unittest.main()
