"""One heap, one answer, wherever it is read: of each fixture at its stop, the running process, a core of it, and
snapshots of both have the same findings in every output of the tool, in the commands of LLDB, also where it loads no
plugin, and in what the helper saves that is loaded into the process: the same fingerprint, degree or verdict, advice and severity, and gates that
end with the same status.

usage: test_targets_agree.py LOUPE PROGRAMS WORDS_OF GDB LLDB [FIXTURE...]

PROGRAMS is the folder of the fixtures, of which all are looked at unless some are named. GDB, which writes the cores, and
LLDB may be empty.
"""
import html
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
from test_outputs_agree import FOLDERS, Finding, Json, Text, VERBS, by_text, decided, findings_in

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "support"))
from lldb_options import QUICK  # noqa: E402

LOUPE, PROGRAMS, WORDS_OF, GDB, LLDB, *NAMED = sys.argv[1:]
COMMANDS = TESTS.parent / "lldb_commands"
outputs.PROGRAMS = pathlib.Path(PROGRAMS)
NAMES = NAMED or outputs.fixtures()
# What members of C++ own only LLDB knows, by their types: there the tool has to see the same in the heap that LLDB saves.
BY_MEMBERS = ("cxx_ivar", "cxx_lambda", "cxx_members")
# What a command ended with, whose failure would end LLDB.
GATE = ("script _ = lldb.SBCommandReturnObject(); lldb.debugger.GetCommandInterpreter().HandleCommand({!r}, _); "
        "print('gate', _.Succeeded())")
RINGS = 2000  # more than any fixture has
FORMS = ("gitlab", "markdown")
Findings = typing.Dict[str, typing.List[Finding]]


def leave_open(answer: typing.Dict[str, typing.Any], whole: typing.Dict[str, typing.Any]) -> None:
    """What a search from one object did not decide, and says so, the whole heap may have."""
    is_open = {knot["fingerprint"] for knot in answer["knots"] if knot["verdict"] == "unknown"}
    for knot in [*answer["knots"], *whole["knots"]]:
        if knot["fingerprint"] in is_open:
            knot["verdict"] = knot["degree"] = "unknown"


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
        wanted = {verb: by_text(verb, snapshot) for verb in VERBS}
        findings: Findings = {verb: text.findings for verb, text in wanted.items()}
        core, is_by_members = self.core(pid), program.name in BY_MEMBERS
        for target in (str(pid), *([str(core), str(self.saved("core", str(core)))] if core else [])):
            with self.subTest(target=target):
                self.same({verb: self.agree(verb, pathlib.Path(target)) for verb in VERBS}, findings)
        for plugin in ({}, {"LOUPE_PLUGIN": "/nowhere"}) if LLDB and core else ():
            with self.subTest(begin="core", **plugin):
                self.in_commands(f"target create --core {core} {program}", (), wanted, is_by_members, **plugin)
        if LLDB:
            with self.subTest(begin="live"):
                self.in_commands(f"process attach --pid {pid}", self.by_helper(), wanted, is_by_members)
        return sum(len(text.findings) for text in wanted.values())

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

    def in_commands(self, begin: str, more: typing.Sequence[str], wanted: typing.Dict[str, Text],
                    is_by_members: bool, **environment: str) -> None:
        """What the commands print, the reports that they write, the snapshots that they and the helper make, and what
        gates end with: one after the other, and LLDB, which ends at the first that fails."""
        for file in self.folder.glob("lldb.*"):
            file.unlink()
        done = self.in_lldb_at(begin, more, **environment)
        self.assertTrue(self.file("heap", "loupe").exists(), done.stdout)
        seen = {verb: by_text(verb, self.file("heap", "loupe")) for verb in VERBS}
        if not is_by_members:
            self.same({verb: text.findings for verb, text in seen.items()},
                      {verb: text.findings for verb, text in wanted.items()})
        parts = dict(zip(VERBS, done.stdout.split("(lldb) loupe ")[1:]))
        self.same({verb: findings_in(FOLDERS.sub("", text)) for verb, text in parts.items()},
                  {verb: text.findings for verb, text in seen.items()})
        for verb in VERBS:
            self.as_reported(verb, seen[verb].findings)
        if more:
            self.as_decided(self.file("inside", "loupe"), self.folder / "live.loupe")
        ended = [seen[verb].status for verb in ("cycles", "leaks")] + \
            self.as_asked_of_one(self.file("heap", "loupe"), 2 if more else 1)
        self.assertEqual(re.findall(r"^gate (\w+)$", done.stdout, re.M), [str(status == 0) for status in ended], done.stdout)
        self.assertEqual(done.returncode, next(filter(None, ended), 0), done.stdout)

    def as_asked_of_one(self, heap: pathlib.Path, engines: int) -> typing.List[int]:
        """What engines say of an object that leaks is what the tool says of it; what a gate ends with."""
        ended = []
        for address in self.leaked():
            tool = outputs.run("cycles", heap, address, "--json", "--max-rings", str(RINGS))
            ended.append(tool.returncode)
            said = list(self.folder.glob("lldb.object*.json"))
            self.assertEqual(len(said), engines)
            for file in said:
                with self.subTest(file=file.name):
                    answer, whole = json.loads(file.read_text(encoding="utf-8")), json.loads(tool.stdout)
                    if not answer.get("heap_searched"):
                        leave_open(answer, whole)
                    self.assertEqual(decided(answer), decided(whole))
        return ended

    def leaked(self) -> typing.List[str]:
        """The first object of the fixture that leaks, if one does."""
        lines = (self.folder / "truth").read_text(encoding="utf-8").splitlines()
        return [line.split()[1] for line in lines if line.startswith("leaked ")][:1]

    def in_lldb_at(self, begin: str, more: typing.Sequence[str],
                   **environment: str) -> "subprocess.CompletedProcess[str]":
        self.file("known", "txt").touch()
        gates = ("loupe cycles --fail-if-found", f"loupe leaks --baseline {self.file('known', 'txt')}",
                 *(f"retain-cycles --fail-if-found --engine memory {address}" for address in self.leaked()))
        about = [f"retain-cycles --engine memory --max-rings {RINGS} --json -o {self.file('object', 'json')} {address}"
                 for address in self.leaked()]
        lines = (f"command script import {COMMANDS}", begin, *(f"loupe {verb} --limit 0" for verb in VERBS),
                 *(f"loupe {verb} --limit 0 --format {form} -o {self.file(verb, form)}" for verb in VERBS for form in FORMS),
                 f"loupe snapshot {self.file('heap', 'loupe')}", *about, *more, *map(GATE.format, gates), *gates)
        return subprocess.run([LLDB, "-b", "--no-lldbinit", *QUICK, *[part for line in lines for part in ("-o", line)]],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=1800, check=False, env={**os.environ, **environment})

    def as_reported(self, verb: str, findings: typing.List[Finding]) -> None:
        issues: typing.List[Json] = json.loads(self.file(verb, "gitlab").read_text(encoding="utf-8"))
        self.has_issues([{**issue, "description": FOLDERS.sub("", issue["description"])} for issue in issues], findings)
        said = html.unescape(self.file(verb, "markdown").read_text(encoding="utf-8"))
        self.has_rows(FOLDERS.sub("", said), findings)

    def as_decided(self, file: pathlib.Path, wanted: pathlib.Path) -> None:
        """The same but for words: no debug information is read in a process."""
        self.assertTrue(file.exists())
        for verb in VERBS:
            with self.subTest(file=file.name, verb=verb):
                done = [outputs.run(verb, one, "--json") for one in (file, wanted)]
                self.assertEqual(*[decided(json.loads(each.stdout)) for each in done])
                self.assertEqual(done[0].returncode, done[1].returncode)

    def file(self, what: str, form: str) -> pathlib.Path:
        return self.folder / f"lldb.{what}.{form}"

    def by_helper(self) -> typing.Sequence[str]:
        """The whole heap as the helper sees it, from inside of the process."""
        return ("loupe inject", f'expression -- (const char *)loupe_snapshot("{self.file("inside", "loupe")}")',
                *(f"retain-cycles --engine helper --max-rings {RINGS} --json -o {self.file('object-inside', 'json')} {address}"
                  for address in self.leaked()))

    def by_server(self, verb: str, file: pathlib.Path, entries: typing.List[Json]) -> None:
        if not str(file).isdigit():  # a server reads files
            super().by_server(verb, file, entries)


if __name__ == "__main__":
    outputs.LOUPE, outputs.WORDS_OF = LOUPE, WORDS_OF
    unittest.main(argv=sys.argv[:1])
