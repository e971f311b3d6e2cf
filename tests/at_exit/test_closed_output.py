"""No library that is preloaded ends a program because nobody reads what it says, or keeps it waiting for
somebody who does.

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
                              timeout=1800, check=False, restore_signals=True,
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
            self.assertEqual(0, run(LEAKS, LOUPE_LEAKS="at-exit", LOUPE_LEAKS_FILE="/dev/stderr"))
            # That nobody could be told is no success where leaks are to fail.
            self.assertEqual(9, run(LEAKS, LOUPE_LEAKS="at-exit", LOUPE_LEAKS_EXIT="9"))


def told(library: str, **environment: str) -> str:
    """What is said while the program runs to its end."""
    done = subprocess.run([PROGRAM], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, timeout=1800, check=True,
                          env={**os.environ, "LD_PRELOAD": library, **environment})
    return done.stderr


class Pipes_That_Nobody_Opened(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.pipe = str(self.folder / "pipe")
        os.mkfifo(self.pipe)
        self.rules = str(self.folder / "rules")
        pathlib.Path(self.rules).write_text("")

    def test_reports_of_watch(self) -> None:
        for files in (self.pipe, f"{self.pipe},stderr", f"{self.folder / 'lines'},{self.pipe}"):
            said = told(WATCH, LOUPE_WATCH=self.rules, LOUPE_WATCH_REPORT=files)
            self.assertEqual(1, said.count("LOUPE_WATCH_REPORT="), said)
            self.assertIn("it is not a regular file", said)

    def test_what_watch_reads(self) -> None:
        for report in ("stderr", str(self.folder / "lines")):
            for name in ("LOUPE_WATCH", "LOUPE_WATCH_BASELINE", "LOUPE_WATCH_FILTERS"):
                said = told(WATCH, **{"LOUPE_WATCH": self.rules, "LOUPE_WATCH_REPORT": report, name: self.pipe})
                self.assertEqual((1, 1), (said.count("\n"), said.count("it is not a regular file")), said)
        self.assertFalse((self.folder / "lines").read_text())

    def test_leaks_at_the_end(self) -> None:
        for name in ("LOUPE_LEAKS_FILE", "LOUPE_LEAKS_BASELINE", "LOUPE_LEAKS_FILTERS"):
            said = told(LEAKS, LOUPE_LEAKS="at-exit", **{name: self.pipe})
            self.assertEqual((1, 1), (said.count(name), said.count("it is not a regular file")), said)

    def test_a_pipe_with_a_reader_is_refused_as_well(self) -> None:
        reader = os.open(self.pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.assertIn("it is not a regular file", told(LEAKS, LOUPE_LEAKS="at-exit", LOUPE_LEAKS_FILE=self.pipe))

    def test_what_the_program_was_given_is_written_to(self) -> None:
        for file in ("/dev/stderr", "/proc/self/fd/2"):
            self.assertIn("1 leak (1 cycle)", told(LEAKS, LOUPE_LEAKS="at-exit", LOUPE_LEAKS_FILE=file))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
