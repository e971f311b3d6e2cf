"""One heap, one answer, whoever asks: what a program is told when it ends, and what assertions in
its tests say, has the findings that the tool has of a snapshot of that moment: the same
fingerprint, state, first advice and what a gate does. And what the helper saves of the whole heap
from inside has what the tool saves from outside.

usage: test_hosts_agree.py LOUPE PROGRAMS AT_EXIT ASSERTING [FIXTURE...]

PROGRAMS is the folder of the fixtures, of which all are looked at unless some are named.
AT_EXIT is the library that reports at the end of a program, ASSERTING one that asserts at the stop
of a fixture that nothing it watches is in a cycle, and at its end that nothing leaked, and keeps
what it saw.
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
from test_outputs_agree import VERBS, Finding, Json, by_text, decided, findings_in
from waiting import snapshots_of

LOUPE, PROGRAMS, AT_EXIT, ASSERTING, *NAMED = sys.argv[1:]
outputs.PROGRAMS = pathlib.Path(PROGRAMS)
NAMES = NAMED or outputs.fixtures()
FAILED = 23
ENDED = re.compile(r"^ending\n(.*?)^holds ([01])$", re.M | re.S)
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
        snapshot = self.folder / f"{name}.stop.loupe"
        done = run(name, ASSERTING, LOUPE_TEST_SNAPSHOT=str(self.folder / name))
        self.assertEqual(done.returncode, 0, done.stderr)
        parts = ASSERTED.findall(done.stderr)
        self.assertTrue(parts)
        for address, inside, said, holds in parts:
            self.agrees(snapshot, address, holds == "1", json.loads(inside), said)
        self.at_end(name, done.stderr)
        for moment in ("stop", "end"):
            self.as_from_inside(self.folder / f"{name}.{moment}.loupe")
        return sum(holds != "1" for *_, holds in parts)

    def at_end(self, name: str, said: str) -> None:
        """What is there at the end and was not at the stop; of the fixtures next to nothing was."""
        ended = ENDED.search(said)
        self.assertTrue(ended, said)
        before, end = (by_text("leaks", self.folder / f"{name}.{moment}.loupe") for moment in ("stop", "end"))
        known = {finding.fingerprint for finding in before.findings}
        wanted = [finding for finding in end.findings if finding.fingerprint not in known]
        self.assertEqual(counted(findings_in(ended[1])), counted(wanted), said)
        self.assertEqual(ended[2] == "1", not wanted, said)

    def as_from_inside(self, snapshot: pathlib.Path) -> None:
        for verb in VERBS:
            done = [outputs.run(verb, file, "--json") for file in (snapshot, snapshot.with_suffix(".inside.loupe"))]
            self.assertEqual(*[decided(json.loads(each.stdout)) for each in done])
            self.assertEqual(done[0].returncode, done[1].returncode)

    def agrees(self, snapshot: pathlib.Path, address: str, holds: bool, inside: Json, said: str) -> None:
        tool = by_text("cycles", snapshot, address)
        self.assertEqual(holds, tool.status == 0, said)
        self.assertEqual(counted(findings_in(said)), counted(tool.findings))
        answer = json.loads(outputs.run("cycles", snapshot, address, "--json", "--max-rings", "2000").stdout)
        self.assertEqual(decided(inside), decided(answer))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
