"""A program on today's gnustep-base and libobjc2, which stand in a folder of their own.

usage: test_foundation.py LOUPE PROGRAM RECORDER LEAKS
"""
import os
import subprocess
import sys
import unittest

LOUPE, PROGRAM, RECORDER, LEAKS = sys.argv[1:]


def leaks(what):
    process = subprocess.Popen([PROGRAM, what, "stop"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, "LD_PRELOAD": RECORDER})
    try:
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        return subprocess.run([LOUPE, "leaks", str(process.pid)], capture_output=True, text=True,
                              check=False)
    finally:
        process.kill()
        process.wait()


class Foundation(unittest.TestCase):
    def test_a_program_that_leaks_nothing_has_no_leaks(self):
        done = leaks("nothing")
        self.assertEqual(0, done.returncode, done.stdout)
        self.assertTrue(done.stdout.startswith("No leaks found "), done.stdout)

    def test_it_has_none_when_it_ends_either(self):
        """By then the runtime has destroyed its table of weak references."""
        done = subprocess.run([PROGRAM, "nothing"], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False,
                              env={**os.environ, "LD_PRELOAD": LEAKS, "LOUPE_LEAKS": "at-exit",
                                   "LOUPE_LEAKS_EXIT": "9", "LOUPE_TOOL": LOUPE})
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("\nNo leaks found ", "\n" + done.stderr)

    def test_what_the_foundation_allocates_is_the_callers(self):
        done = leaks("string")
        self.assertEqual(1, done.returncode, done.stdout)
        self.assertIn("1 leak\n", done.stdout)
        self.assertIn(" in leak\n", done.stdout)
        self.assertNotIn("GSPlaceholderString", done.stdout)

    def test_what_a_value_knows_without_retaining_it(self):
        done = leaks("value")
        self.assertEqual(1, done.returncode, done.stdout)
        self.assertIn("Leak: Photo ", done.stdout)
        self.assertIn("leaked: a release is missing; pointers to it remain, but none retains it\n",
                      done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
