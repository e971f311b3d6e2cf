"""One heap, one answer, whoever asks: what a program is told when it ends, and what an assertion in
its tests says, has the findings that the tool has of a snapshot of that moment: the same
fingerprint, state, first advice and what a gate does.

usage: test_hosts_agree.py LOUPE PROGRAMS AT_EXIT ASSERTING [FIXTURE...]

PROGRAMS is the folder of the fixtures, of which all are looked at unless some are named.
AT_EXIT is the library that reports at the end of a program, ASSERTING one that asserts at the stop
of a fixture that nothing it watches is in a cycle, and keeps what it saw.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import typing
import unittest

import test_outputs_agree as outputs
from test_outputs_agree import ALWAYS, Finding, Json, by_text, decided, findings_in
from waiting import snapshots_of

LOUPE, PROGRAMS, AT_EXIT, ASSERTING, *NAMED = sys.argv[1:]
NAMES = NAMED or [name for name in ALWAYS if pathlib.Path(PROGRAMS, name).exists()]
FAILED = 23
ASSERTED = re.compile(r"^asserting (0x[0-9a-f]+) (\{[^\n]*\})\n+(.*?)^holds ([01])$", re.M | re.S)
outputs.LOUPE = LOUPE


def run(name: str, preloaded: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(pathlib.Path(PROGRAMS, name))], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, timeout=1800, check=False,
                          env={**os.environ, "LD_PRELOAD": preloaded, "LOUPE_TOOL": LOUPE, **environment})


def counted(findings: typing.Iterable[Finding]) -> typing.List[typing.Tuple[str, str, str, bool]]:
    """Of several processes: an address is another one in each."""
    return sorted((each.fingerprint, each.state, re.sub(r"\b0x[0-9a-f]+", "0x", each.advice), each.is_error)
                  for each in findings)


class Hosts(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def test_at_exit_as_in_a_snapshot_of_the_end(self) -> None:
        for name in NAMES:
            with self.subTest(fixture=name):
                self.at_exit(name)

    def at_exit(self, name: str) -> None:
        report, truth = self.folder / f"{name}.txt", str(self.folder / f"{name}.truth")
        made, trouble = snapshots_of([str(pathlib.Path(PROGRAMS, name))], LOUPE, self.folder,
                                     LOUPE_FIXTURE_TRUTH=truth)
        self.assertFalse(trouble)
        wanted = by_text("leaks", made[-1])
        done = run(name, AT_EXIT, LOUPE_LEAKS="at-exit", LOUPE_LEAKS_EXIT=str(FAILED),
                   LOUPE_LEAKS_FILE=str(report), LOUPE_FIXTURE_TRUTH=truth)
        self.assertEqual(counted(findings_in(report.read_text(encoding="utf-8"))), counted(wanted.findings))
        self.assertEqual(done.returncode, FAILED if wanted.status else 0)

    def test_assertions_as_the_tool(self) -> None:
        failed = 0
        for name in NAMES:
            with self.subTest(fixture=name):
                failed += self.asserted(name)
        self.assertTrue(failed)

    def asserted(self, name: str) -> int:
        """How many objects failed."""
        snapshot = self.folder / f"{name}.loupe"
        done = run(name, ASSERTING, LOUPE_TEST_SNAPSHOT=str(snapshot))
        self.assertEqual(done.returncode, 0, done.stderr)
        parts = ASSERTED.findall(done.stderr)
        self.assertTrue(parts)
        for address, inside, said, holds in parts:
            self.agrees(snapshot, address, holds == "1", json.loads(inside), said)
        return sum(holds != "1" for *_, holds in parts)

    def agrees(self, snapshot: pathlib.Path, address: str, holds: bool, inside: Json, said: str) -> None:
        tool = by_text("cycles", snapshot, address)
        self.assertEqual(holds, tool.status == 0, said)
        self.assertEqual(counted(findings_in(said)), counted(tool.findings))
        answer = json.loads(outputs.run("cycles", snapshot, address, "--json", "--max-rings", "2000").stdout)
        self.assertEqual(decided(inside), decided(answer))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
