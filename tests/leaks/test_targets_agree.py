"""One heap, one answer, wherever it is read: of each fixture at its stop, the running process, a core of it, and
snapshots of both have the same findings in every output of the tool, and in the commands of LLDB with the plugin: the same
fingerprint, degree or verdict, advice and severity, and the same exit status.

usage: test_targets_agree.py LOUPE PROGRAMS WORDS_OF GDB LLDB [FIXTURE...]

PROGRAMS is the folder of the fixtures, of which all are looked at unless some are named. GDB, which writes the cores, and
LLDB may be empty.
"""
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import typing
import unittest

import test_outputs_agree as outputs
from test_outputs_agree import ALWAYS, FOLDERS, Finding, Json, VERBS, by_text, findings_in

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "support"))
from lldb_options import QUICK  # noqa: E402

LOUPE, PROGRAMS, WORDS_OF, GDB, LLDB, *NAMED = sys.argv[1:]
COMMANDS = TESTS.parent / "lldb_commands"
NAMES = NAMED or [name for name in ALWAYS if pathlib.Path(PROGRAMS, name).exists()]
# Debug information names the member of a captured C++ object; who has only its symbols names the variable.
MEMBER = re.compile(r"^(capture \w+)\.[\w.]+ ")
Findings = typing.Dict[str, typing.List[Finding]]


def of_variables(findings: typing.List[Finding]) -> typing.List[Finding]:
    return [dataclasses.replace(each, advice=MEMBER.sub(r"\1 ", each.advice)) for each in findings]


class Targets(outputs.OfFixture):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = outputs.FOLDER = pathlib.Path(scratch.name)

    def test_of_all_fixtures(self) -> None:
        found = 0
        for name in NAMES:
            with self.subTest(fixture=name):
                found += self.fixture(name)
        self.assertTrue(found)

    def fixture(self, name: str) -> int:
        """How many findings there are of it."""
        program = pathlib.Path(PROGRAMS, name)
        with subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "LOUPE_FIXTURE_TRUTH": str(self.folder / "truth")}) as process:
            try:
                assert process.stdout
                while process.stdout.readline() != "ready\n":
                    self.assertIsNone(process.poll())
                return self.waiting(process.pid, program)
            finally:
                process.kill()

    def waiting(self, pid: int, program: pathlib.Path) -> int:
        snapshot = self.saved("live", str(pid))
        wanted: Findings = {verb: by_text(verb, snapshot).findings for verb in VERBS}
        core = self.core(pid)
        for target in (str(pid), *([str(core), str(self.saved("core", str(core)))] if core else [])):
            with self.subTest(target=target):
                self.same({verb: self.agree(verb, pathlib.Path(target)) for verb in VERBS}, wanted)
        for begin in (f"process attach --pid {pid}", *([f"target create --core {core} {program}"] if core else [])):
            with self.subTest(begin=begin):
                self.in_commands(begin, wanted)
        return sum(len(findings) for findings in wanted.values())

    def same(self, found: Findings, wanted: Findings) -> None:
        for verb in VERBS:
            self.assertEqual(sorted(map(str, found[verb])), sorted(map(str, wanted[verb])), verb)

    def run_all(self, *command: object) -> str:
        return subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=1800, check=False).stdout

    def saved(self, name: str, target: str) -> pathlib.Path:
        file = self.folder / f"{name}.loupe"
        said = self.run_all(LOUPE, "snapshot", target, file)
        self.assertTrue(file.exists(), said)
        return file

    def core(self, pid: int) -> typing.Optional[pathlib.Path]:
        core = self.folder / "core"
        if GDB:
            self.run_all(GDB, "-nx", "-batch", "-p", pid, "-ex", f"generate-core-file {core}")
            self.assertTrue(core.exists())
        return core if GDB else None

    def in_commands(self, begin: str, wanted: Findings) -> None:
        """What the commands print, and the snapshot that they make."""
        if not LLDB:
            return
        file = self.folder / "lldb.loupe"
        file.unlink(missing_ok=True)
        lines = (f"command script import {COMMANDS}", begin, *(f"loupe {verb} --limit 0" for verb in VERBS),
                 f"loupe snapshot {file}", "process detach")
        said = self.run_all(LLDB, "-b", "--no-lldbinit", *QUICK, *[part for line in lines for part in ("-o", line)])
        parts = dict(zip(VERBS, said.split("(lldb) loupe ")[1:]))
        plain = {verb: of_variables(findings) for verb, findings in wanted.items()}
        self.same({verb: of_variables(findings_in(FOLDERS.sub("", text))) for verb, text in parts.items()}, plain)
        self.assertTrue(file.exists(), said)
        self.same({verb: of_variables(by_text(verb, file).findings) for verb in VERBS}, plain)

    def by_server(self, verb: str, file: pathlib.Path, entries: typing.List[Json]) -> None:
        if not str(file).isdigit():  # a server reads files
            super().by_server(verb, file, entries)


if __name__ == "__main__":
    outputs.LOUPE, outputs.WORDS_OF = LOUPE, WORDS_OF
    unittest.main(argv=sys.argv[:1])
