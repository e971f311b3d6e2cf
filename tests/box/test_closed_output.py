"""No library that is inserted on a Mac ends a program because nobody reads what it says.

usage: test_closed_output.py BOX PROGRAM WATCH RECORD STALLS
"""
import os
import subprocess
import sys
import unittest

BOX, PROGRAM, WATCH, RECORD, STALLS = sys.argv[1:]


def run(library: str, **environment: str) -> int:
    """The exit status of the program, whose standard error nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run([BOX, PROGRAM, "--insert", library], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=writer, timeout=1800, check=False,
                              env={**os.environ, **environment}).returncode
    finally:
        os.close(writer)


def said(library: str, **environment: str) -> str:
    return subprocess.run([BOX, PROGRAM, "--insert", library], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=1800,
                          check=True, env={**os.environ, **environment}).stderr


class Closed_Output(unittest.TestCase):
    def test_the_program_ends_as_it_does_alone(self) -> None:
        for library, name, value in ((WATCH, "LOUPE_WATCH", "/no/such/rules"),
                                     (RECORD, "LOUPE_RECORD_LIMIT", "much"),
                                     (RECORD, "LOUPE_RECORD", "NoSuchClass"),
                                     (STALLS, "LOUPE_STALLS", "soon")):
            with self.subTest(name):
                self.assertIn("loupe: ", said(library, **{name: value}))
                self.assertEqual(0, run(library, **{name: value}))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
