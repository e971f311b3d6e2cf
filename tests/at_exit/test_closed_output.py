"""No library that is preloaded ends a program because nobody reads what it says.

usage: test_closed_output.py PROGRAM LEAKS WATCH RECORD STALLS
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Optional

PROGRAM, LEAKS, WATCH, RECORD, STALLS = sys.argv[1:]


def run(library: Optional[str], **environment: str) -> int:
    """The exit status of the program, whose standard error nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run([PROGRAM], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=writer,
                              timeout=600, check=False, restore_signals=True,
                              env={**os.environ, **({"LD_PRELOAD": library} if library else {}), **environment}).returncode
    finally:
        os.close(writer)


class Closed_Output(unittest.TestCase):
    def test_the_program_ends_as_it_does_alone(self) -> None:
        self.assertEqual(0, run(None))
        with tempfile.TemporaryDirectory() as folder:
            missing = str(pathlib.Path(folder) / "missing")
            self.assertEqual(0, run(WATCH, LOUPE_WATCH=missing))
            self.assertEqual(0, run(RECORD, LOUPE_RECORD="NoSuchClass"))
            self.assertEqual(0, run(RECORD, LOUPE_RECORD_LIMIT="much"))
            self.assertEqual(0, run(STALLS, LOUPE_STALLS="soon"))
            self.assertEqual(0, run(LEAKS, LOUPE_LEAKS="always"))
            self.assertEqual(0, run(LEAKS, LOUPE_LEAKS="at-exit"))
            # That nobody could be told is no success where leaks are to fail.
            self.assertEqual(9, run(LEAKS, LOUPE_LEAKS="at-exit", LOUPE_LEAKS_EXIT="9"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
