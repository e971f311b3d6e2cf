"""Leaks that a program is told of when it ends.

usage: test_at_exit.py LIBRARY PROGRAM WAYS GDB
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from typing import Tuple

LIBRARY, PROGRAM, WAYS, GDB = sys.argv[1:]


def run(*command: str, **environment: str) -> Tuple[int, str, str]:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=1800, check=False,
                          env={**os.environ, "LD_PRELOAD": LIBRARY, "LOUPE_LEAKS": "at-exit",
                               **environment})
    return done.returncode, done.stdout, done.stderr


class At_Exit(unittest.TestCase):
    def test_what_leaks_is_told_behind_the_programs_own_output(self) -> None:
        status, out, err = run(PROGRAM)
        self.assertEqual(0, status)
        self.assertTrue(out.endswith("ready\n"), out)
        self.assertIn("1 leak (1 cycle)\n  unreachable: 3 objects", err)
        self.assertIn("at ring.m:29 in make_ring", err)
        self.assertNotIn("incomplete", err)

    def test_text_looks_as_the_program_is_told(self) -> None:
        self.assertIn("\u256d\u2500\u25b6 ", run(PROGRAM, LOUPE_GLYPHS="unicode")[2])
        self.assertIn("\u256d\u2500\u25b6 ", run(PROGRAM, LOUPE_GLYPHS="", LC_ALL="C.UTF-8")[2])
        plain = run(PROGRAM, LOUPE_GLYPHS="ascii")[2]
        self.assertTrue(plain.isascii() and "  .-> " in plain, plain)

    def test_the_status_is_that_which_was_asked_for(self) -> None:
        self.assertEqual(23, run(PROGRAM, LOUPE_LEAKS_EXIT="23")[0])
        status, _, err = run(PROGRAM, "sound", LOUPE_LEAKS_EXIT="23")
        self.assertEqual(0, status, err)
        self.assertIn("No leaks found", err)

    def test_nothing_happens_unless_asked(self) -> None:
        self.assertEqual("", run(PROGRAM, LOUPE_LEAKS="")[2].replace(
            "loupe: LOUPE_LEAKS can be at-exit, at-exit-of-objc or at-exit-of-all, nothing else\n", ""))
        environment = {**os.environ, "LD_PRELOAD": LIBRARY}
        environment.pop("LOUPE_LEAKS", None)
        done = subprocess.run([PROGRAM], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env=environment, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_programs_without_the_runtime_are_silent(self) -> None:
        self.assertEqual((3, "hello\n", ""), run("sh", "-c", "echo hello; (true); exit 3"))

    def test_the_report_as_an_answer(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "reports"
            for _ in range(2):
                run(PROGRAM, LOUPE_LEAKS="at-exit-of-objc", LOUPE_LEAKS_FORMAT="json", LOUPE_LEAKS_FILE=str(file))
            said = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        self.assertEqual([("leaks", 1)] * 2, [(one["query"], len(one["leaks"])) for one in said])
        self.assertIn("can be text or json", run(PROGRAM, LOUPE_LEAKS_FORMAT="xml")[2])

    def test_of_objective_c_alone(self) -> None:
        self.assertEqual(("", True), (run("cmake", "--version", LOUPE_LEAKS="at-exit-of-objc")[2],
                                      "1 leak" in run(PROGRAM, LOUPE_LEAKS="at-exit-of-objc")[2]))

    def test_words_that_make_no_sense(self) -> None:
        self.assertIn("LOUPE_LEAKS can be at-exit", run(PROGRAM, LOUPE_LEAKS="always")[2])
        for status in ("x", "-1", "256", ""):
            self.assertIn("has to be a number from 0 to 255", run(PROGRAM, LOUPE_LEAKS_EXIT=status)[2])
        status, _, err = run(PROGRAM, LOUPE_TOOL="/no/such/tool", LOUPE_LEAKS_EXIT="9")
        self.assertEqual(9, status)  # that nobody looked is no success
        self.assertIn("name it in LOUPE_TOOL", err)

    def test_reports_of_several_programs_in_one_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report"
            for _ in range(2):
                self.assertEqual("", run(PROGRAM, LOUPE_LEAKS_FILE=str(report))[2])
            self.assertEqual(2, report.read_text().count("1 leak (1 cycle)"))
            _, _, err = run(PROGRAM, LOUPE_LEAKS_FILE=folder)
            self.assertIn("LOUPE_LEAKS_FILE cannot be written", err)

    def test_each_way_to_end_has_the_reports_that_are_promised(self) -> None:
        ring = "1 leak (1 cycle)\n  unreachable: 2 objects"
        for way, reports, ended in (("return", 1, 0), ("_exit", 0, 0), ("abort", 0, -6),
                                    ("exec", 1, 0), ("fork", 2, 0), ("fork_and_exit", 1, 0),
                                    ("handler", 1, 0), ("last_thread", 1, 0)):
            with self.subTest(way):
                status, _, err = run(WAYS, way)
                self.assertEqual((ended, reports), (status, err.count(ring)), err)
                self.assertNotIn("incomplete", err)

    def test_programs_that_may_open_no_file_are_told_that_nobody_looked(self) -> None:
        for most, reason in ((0, "leak check not run: Too many open files"),
                             (3, "leak check not run: Too many open files"),
                             (4, "loupe did not start: ")):
            with self.subTest(most):
                status, _, err = run(WAYS, f"files={most}", LOUPE_LEAKS_EXIT="9")
                self.assertEqual((9, 1), (status, err.count("\n")), err)
                self.assertIn(reason, err)

    def test_threads_that_run_on_are_stopped(self) -> None:
        for _ in range(3):
            status, _, err = run(WAYS, "threads", LOUPE_LEAKS_EXIT="7")
            self.assertEqual(7, status)
            self.assertRegex(err, r"\b1 leak \(1 cycle\)")
            self.assertIn("Possible retain cycle of 2 objects, unreachable", err)
            # Beside it at most what each of four threads was just getting or giving back.
            counted = re.search(r": (\d+) objects, ", err)
            assert counted
            self.assertLessEqual(int(counted[1]), 2 + 4)
            self.assertNotIn("incomplete", err)

    def test_what_a_thread_is_giving_back_is_no_leak(self) -> None:
        _, _, err = run(WAYS, "giving_back")
        self.assertIn("1 leak (1 cycle)\n  unreachable: 2 objects", err)

    def test_what_the_program_left_on_the_stack_keeps_nothing(self) -> None:
        """But for a few words in frames of the loader, which has called us."""
        _, _, err = run(WAYS, "stale")
        leaks = re.search(r"\b(\d+) leaks of Node, unreachable", err)
        self.assertGreaterEqual(int(leaks[1]) if leaks else 0, 48, err)

    def test_a_thread_in_vfork_has_no_registers_and_keeps_nobody_waiting(self) -> None:
        _, _, err = run(WAYS, "vfork")
        self.assertIn("1 leak (1 cycle)\n  unreachable: 2 objects", err)
        self.assertIn("the registers of 1 threads are not known", err)

    def test_other_threads_stand_still_no_longer_than_they_may(self) -> None:
        _, _, err = run(WAYS, LOUPE_MAX_PAUSE="0.000001")
        self.assertIn("--max-pause", err)
        _, _, err = run(WAYS, LOUPE_MAX_PAUSE="0")
        self.assertNotIn("--max-pause", err)
        self.assertIn("1 leak (1 cycle)\n  unreachable: 2 objects", err)

    def run_under_gdb(self, *commands: str, **environment: str) -> str:
        wanted = {"LD_PRELOAD": LIBRARY, "LOUPE_LEAKS": "at-exit", **environment}
        lines = [f"set environment {name} {value}" for name, value in wanted.items()]
        lines += [*commands, "run", "print $_exitcode"]
        done = subprocess.run([GDB, "-nx", "-batch", *(word for line in lines for word in ("-ex", line)),
                               PROGRAM], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        return done.stdout

    @unittest.skipUnless(GDB, "needs gdb")
    def test_under_a_debugger_it_says_that_other_threads_ran(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report"
            self.run_under_gdb(LOUPE_LEAKS_FILE=str(report))
            text = report.read_text()
            self.assertIn("1 leak (1 cycle)\n  unreachable: 3 objects", text)
            self.assertIn("incomplete: ", text)

    @unittest.skipUnless(GDB, "needs gdb")
    def test_under_a_debugger_too_it_is_no_success_that_nobody_looked(self) -> None:
        no_files = """set exec-wrapper sh -c 'trap "" XFSZ; ulimit -f 0; exec "$@"' sh"""
        text = self.run_under_gdb(no_files, "handle SIGXFSZ nostop", LOUPE_LEAKS_EXIT="9")
        self.assertRegex(text, r"(?m)^loupe: leak check not run: the snapshot .* with room$")
        self.assertIn("$1 = 9\n", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
