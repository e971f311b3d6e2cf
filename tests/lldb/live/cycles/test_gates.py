"""In scripts: what fails and when, JSON and files of failures, the summary of a session."""
import json
import pathlib
import re
import tempfile
import unittest

import session

PROGRAMS = session.BUILD / "tests" / "lldb" / "programs"
LAUNCH = "process launch --stdout /dev/null -- 30"
STOP = f"breakpoint set -n {session.READY}"


class Gates(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.file = self.directory / "it"
        self.file.write_text("an older answer", encoding="utf-8")

    def ask(self, *commands, program=session.fixture("self_block"), stop=session.READY, frame=1):
        [run] = session.carry_out([{"program": str(program), "stop": stop, "frame": frame,
                                    "commands": list(commands)}])
        self.assertEqual("", run["problem"])
        return run["commands"]

    def test_an_incomplete_walk_is_no_pass(self):
        known = self.directory / "known"
        [_, *asked] = self.ask(
            f"retain-cycles --write-baseline {known} list",
            "retain-cycles --limit 5 --fail-if-found list",
            f"retain-cycles --limit 5 --baseline {known} list",
            "retain-cycles --limit 5 --fail-if-found --allow-incomplete list",
            "retain-cycles --limit 5 list", program=PROGRAMS / "long_list", stop="listReady",
            frame=0)
        self.assertEqual([False, False, True, True], [result["ok"] for result in asked])
        for result, none in zip(asked, ("No retain cycle", "No new retain cycle")):
            self.assertIn(f"{none} found from list", result["output"])
            self.assertEqual("error: retain-cycles: found none so far, but the search is incomplete "
                             "(objects beyond the limit): raise --limit, or pass "
                             "--allow-incomplete\n", result["error"])

    def test_out_of_memory_is_no_pass_and_no_answer(self):
        """Of the tool, of lldb's Python, and where the system ends the tool."""
        tool = self.directory / "loupe"
        tool.write_text(f"""#!/bin/sh
case "$1" in
  leaks) echo "loupe: leaks: out of memory" >&2; exit 2;;
  find) echo "1 instance found"; kill -KILL $$;;
  heap) echo "1 object"; kill -SEGV $$;;
esac
exec {session.BUILD / "cli" / "loupe"} "$@"
""", encoding="utf-8")
        tool.chmod(0o755)
        environ = "__import__('os').environ"
        show = "__import__('lldb_commands.heap_commands', fromlist=['Show']).Show"
        told = self.ask(f"!{environ}.__setitem__('LOUPE_TOOL', {str(tool)!r})",
                        "loupe leaks --json --fail-if-found", "loupe find Owner", "loupe heap",
                        f"!setattr({show}, 'run', lambda *asked: bytearray(1 << 62))", "loupe show seed",
                        f"!delattr({show}, 'run')", f"!{environ}.pop('LOUPE_TOOL')")
        leaks, find, heap, _, show = told[1:6]
        for result in (leaks, find, heap, show):
            self.assertFalse(result["ok"])
        self.assertEqual(("internal", "out of memory", "no-memory"),
                         tuple(json.loads(leaks["output"])["error"][key] for key in ("code", "message", "detail")))
        self.assertEqual("error: loupe leaks: out of memory\n", leaks["error"])
        self.assertEqual(("", "error: loupe find: loupe was killed before it had an answer: the system "
                              "does that when memory runs out\n"), (find["output"], find["error"]))
        self.assertEqual(("", "error: loupe heap: loupe was ended by signal 11\n"), (heap["output"], heap["error"]))
        self.assertEqual("error: loupe show: out of memory\n", show["error"])

    def test_a_baseline_that_is_not_there_yet_is_made(self):
        known = self.directory / "known"
        both = f"--baseline {known} --write-baseline {known}"
        first, second, compared = self.ask(f"retain-cycles {both} seed",
                                           f"retain-cycles {both} seed",
                                           f"retain-cycles --baseline {known} seed")
        self.assertTrue(first["ok"], first["error"])
        self.assertIn("1 new leaked retain cycle through seed", first["output"])
        self.assertIn(f"baseline written to {known}: 1 loop", first["output"])
        self.assertTrue(second["ok"] and compared["ok"])
        self.assertIn("No new retain cycle", compared["output"])
        [missing, other] = self.ask(f"retain-cycles --baseline {known}.no seed",
                                    f"retain-cycles --baseline {known}.no --write-baseline "
                                    f"{known} seed")
        for result in (missing, other):
            self.assertIn(f"--write-baseline {known}.no records what there is now", result["error"])

    def test_failures_are_json_with_j(self):
        lines = ["retain-cycles -j nothing_here", "retain-cycles -j 0x10", "block-layout -j seed",
                 "strong-refs -j --bogus seed", "strong-refs --bogus -j seed",
                 "strong-refs nothing_here -j", "retain-cycles -j --baseline /nowhere seed"]
        codes = ["command", None, None, "usage", "usage", "command", "command"]
        for line, code, result in zip(lines, codes, self.ask(*lines)):
            with self.subTest(line):
                self.assertFalse(result["ok"])
                self.assertRegex(result["error"], r"^error: [a-z-]+: [^\n]+\n$")
                answer = json.loads(result["output"])
                self.assertEqual((1, line.split()[0], "error"),
                                 (answer["loupe"], answer["query"], answer["status"]))
                self.assertEqual({"code", "message", "address", "detail"}, set(answer["error"]))
                self.assertEqual(code or answer["error"]["code"], answer["error"]["code"])
                self.assertNotEqual("internal", answer["error"]["code"])

    def test_no_older_answer_stays_behind_a_failure(self):
        pictures = [self.directory / name for name in ("picture.dot", "picture.html")]
        for line, begin in ((f"retain-cycles -o {self.file} nothing_here", "error: retain-cycles: "),
                            (f"retain-cycles -j -o {self.file} nothing_here", '{"loupe":1,'),
                            (f"retain-cycles --bogus -o {self.file} seed", "error: retain-cycles: "),
                            (f"retain-cycles -o{self.file} --dot {pictures[0]} --html {pictures[1]} 0x10",
                             "error: retain-cycles: ")):
            for file in (self.file, pictures[0]):
                file.write_text("an older answer", encoding="utf-8")
            with self.subTest(line):
                [result] = self.ask(line)
                self.assertFalse(result["ok"])
                self.assertEqual("", result["output"])
                text = self.file.read_text(encoding="utf-8")
                self.assertTrue(text.startswith(begin), text)
                self.assertEqual(1, text.count("\n"))
        self.assertEqual([False, False], [picture.exists() for picture in pictures])


class Summaries(unittest.TestCase):
    ACTION = ("breakpoint set --name '-[Cell show]'",
              "breakpoint command add -F lldb_commands.breakpoints.report_cycles 1")

    def test_a_breakpoint_function_is_silent_and_the_summary_fails_at_the_end(self):
        finished = session.batch(*self.ACTION, LAUNCH, "loupe summary",
                                 "loupe summary --fail-if-found", "version",
                                 program=PROGRAMS / "cells")
        text = finished.stdout
        self.assertEqual(1, finished.returncode)
        self.assertIn("exited with status = 0", text)
        self.assertEqual(2, len(re.findall(r"^1 (?:leaked |held )?retain cycle through self", text, re.M)), text[-3000:])
        self.assertNotIn("retain-cycles -q", text)
        self.assertRegex(text, r"\n60 questions about cycles: \d+ with retain cycles\n  Cell\.")
        self.assertRegex(finished.stderr, r"error: loupe summary: found \d retain cycles? by \d+ of "
                                          "60 questions")
        self.assertNotIn("(lldb) version", text)

    def test_json_of_a_session_with_all_sorts_of_questions(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory, "summary.json")
            finished = session.batch(STOP, "run", "up", "retain-cycles seed",
                                     "retain-cycles --limit 1 seed",
                                     f'command script import "{session.COMMANDS}"',
                                     "retain-cycles -q seed", f"loupe summary -j -o {file}",
                                     "loupe summary -j", program=session.fixture("self_block"))
            answer = json.loads(file.read_text(encoding="utf-8"))
            self.assertIn(file.read_text(encoding="utf-8"), finished.stdout)
        self.assertEqual((1, "summary", 3, 2, 1, 0, 1),
                         (answer["loupe"], answer["query"], *(answer[key] for key in (
                             "questions", "with_cycles", "incomplete", "failed", "retain_cycles"))))
        [cycle] = answer["cycles"]
        self.assertEqual(("seed", 2, "leaked", True, "Owner._handler -> block.self -> (closed)"),
                         tuple(cycle[key] for key in ("asked", "count", "verdict", "certain", "path")))

    def test_what_passes_and_what_does_not(self):
        cut = "retain-cycles --limit 1 seed"
        for program, questions, status in (
                ("self_block_weak", (), 2),
                ("self_block_weak", ("retain-cycles seed",), 0),
                ("self_block", ("retain-cycles seed",), 1),
                ("self_block", ("retain-cycles seed", cut), 2),
                ("self_block_weak", ("retain-cycles seed", cut), 2)):
            with self.subTest(questions):
                finished = session.batch(STOP, "run", "up", *questions,
                                         "loupe summary --fail-if-found",
                                         program=session.fixture(program))
                self.assertEqual(status, finished.returncode, finished.stderr)


if __name__ == "__main__":
    unittest.main()
