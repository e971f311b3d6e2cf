"""A program that leaks nothing has no leaks, of no kind, also none of its runtime's own memory:
live, in a core, asked from inside, and when it ends. What rules/known_leaks.def has is no leak of it.

usage: test_clean.py LOUPE PROGRAM GDB HELPER AT_EXIT; what is not there is empty
"""
import json
import os
import subprocess
import sys
import unittest

from waiting import LooksAlike

LOUPE, PROGRAM, GDB, HELPER, AT_EXIT = sys.argv[1:6]


class Clean(LooksAlike, unittest.TestCase):
    program, gdb, files = PROGRAM, GDB, ()

    def finish(self):
        super().finish()
        self.assertEqual(0, self.process.returncode)

    def check_answer(self, answer):
        self.assertEqual([], answer["leaks"])
        self.assertEqual(0, answer["found"])
        for degree in ("leaked", "lost", "unowned", "timer"):
            self.assertEqual({"objects": 0, "others": 0, "bytes": 0}, answer[degree], degree)
        self.assertEqual([], answer["miscounted"])

    def check(self, target):
        done = subprocess.run([LOUPE, "leaks", target, "--json"], stdout=subprocess.PIPE,
                              encoding="utf-8", timeout=1800, check=False)
        self.check_answer(json.loads(done.stdout))
        self.assertEqual(0, done.returncode)

    def run_with(self, library, *arguments, **variables):
        """Another process, with a library of ours in it."""
        return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                              timeout=1800, check=True,
                              env={**os.environ, **variables, "LD_PRELOAD": library})

    @unittest.skipUnless(HELPER, "there is no helper")
    def test_inside(self):
        self.check_answer(json.loads(self.run_with(HELPER, "inside").stdout))

    @unittest.skipUnless(HELPER, "there is no helper")
    def test_inside_where_no_other_thread_runs(self):
        """The answer is whole, so that it can be a gate."""
        answer = json.loads(self.run_with(HELPER, "alone").stdout)
        self.check_answer(answer)
        self.assertEqual("ok", answer["status"], answer["not_followed"])

    @unittest.skipUnless(AT_EXIT, "there is no library that tells leaks at exit")
    def test_at_exit(self):
        told = self.run_with(AT_EXIT, LOUPE_LEAKS="at-exit").stderr
        self.assertRegex(told, r"\ANo leaks found ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
