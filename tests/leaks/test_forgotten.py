"""A cycle that breaking alone does not free is told so: somebody forgot a release, too.

usage: test_forgotten.py LOUPE PROGRAM
"""
import os
import subprocess
import sys
import unittest

LOUPE, PROGRAM = sys.argv[1:]

MISSING = ("A release is also missing: 1 retain is unaccounted for, so breaking the cycle alone does "
           "not free all of it")


class Forgotten(unittest.TestCase):
    def ask(self, verb: str, *options: str) -> str:
        with subprocess.Popen([PROGRAM], stdin=subprocess.DEVNULL) as process:
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
            done = subprocess.run([LOUPE, verb, str(process.pid), *options], capture_output=True, text=True,
                                  check=False)
            process.kill()
        self.assertEqual("", done.stderr)
        return done.stdout

    def check(self, text: str) -> None:
        entries = [entry for entry in text.split("\n\n") if "etain cycle of 2 objects" in entry]
        told = {name: MISSING in entry for entry in entries for name in ("Both", "Forgotten")
                if f" {name} 0x" in entry}
        self.assertEqual({"Both": False, "Forgotten": True}, told, text)

    def test_of_leaks(self) -> None:
        self.check(self.ask("leaks"))

    def test_of_a_page(self) -> None:
        page = self.ask("leaks", "--format", "html")
        self.assertEqual(1, page.count(MISSING))

    def test_of_cycles(self) -> None:
        self.check(self.ask("cycles"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
