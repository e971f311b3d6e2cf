"""What the tests of libloupe_watch share: running a program with it, and what was reported."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from typing import Any, Dict, List, Sequence

LIBRARY = os.environ["LOUPE_WATCH_LIBRARY"]
PROGRAMS = pathlib.Path(os.environ["LOUPE_WATCH_PROGRAMS"])
BOX = os.environ.get("LOUPE_BOX")  # runs programs of a Mac (tests/box)
SOURCES = pathlib.Path(__file__).resolve().parent
Report = Dict[str, Any]


class Run:
    """One run of a program that is watched: its exit code, what it printed, and its reports."""

    def __init__(self, program: str, *arguments: str, rules: str, after: float = 0.1,
                 preload: bool = True, emulator: Sequence[str] = (), **environment: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(folder, "reports")
            settings = {"LOUPE_WATCH": rules, "LOUPE_WATCH_AFTER": str(after), "LC_ALL": "C.UTF-8",
                        "LOUPE_WATCH_REPORT": f"stderr,{lines}", **environment}
            if preload and BOX:
                emulator = (BOX, "--insert", LIBRARY)
            elif preload:
                settings["LD_PRELOAD"] = LIBRARY
            done = subprocess.run([*emulator, str(PROGRAMS / program), *arguments], timeout=1800,
                                  env={**os.environ, **settings}, capture_output=True, text=True,
                                  check=False)
            self.code, self.output, self.text = done.returncode, done.stdout, done.stderr
            self.reports: List[Report] = [json.loads(line) for line in
                                          lines.read_text().splitlines()] if lines.exists() else []

    def events(self) -> List[str]:
        """leak Screen, late Screen: in the order in which they were told."""
        return [f"{report['event']} {report['class']}" for report in self.reports]


class Case(unittest.TestCase):
    maxDiff = None

    def silent(self, run: Run) -> None:
        self.assertEqual((run.code, run.text, run.reports), (0, "", []))

    def ring(self, report: Report) -> List[str]:
        """Class.path of each reference of the ring that a report shows."""
        objects = report["cycles"]["objects"]
        knots = [knot for knot in report["cycles"]["knots"] if knot["contains_seed"]]
        self.assertTrue(knots, report)
        return [f"{objects[edge['from']]['class']}.{edge['path']}"
                for edge in knots[0]["rings"][0]["edges"]]
