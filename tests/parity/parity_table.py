"""Writes parity.md: what other leak detectors are tested for, asked of Loupe.

usage: parity_table.py BUILD_TREE

Every number in the tables comes from this run: from the drawn heaps of test_parity, from the helper
inside the fixtures, from unit tests that passed. It fails, and writes nothing, where a heap and a
fixture do not give the number that the case states, where Loupe's differs from the other's without a
reason, and where a claim names a proof that is none.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

import features

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "helper"))
import fixtures_directly  # type: ignore[import]  # noqa: E402

ANY, NO_CASE = -1, -2

INTRODUCTION = """\
# Parity with other leak detectors

Written by the test `parity.table` from what it found.

The first tables have every Objective-C test case of FBRetainCycleDetector (107) and Circle (13) and
then what neither of them has a test for. *Drawn heap* is the function in `tests/parity/cases_*.c`
that draws the objects; *fixture* a program in `tests/fixtures/` that builds such objects, asked by
the helper inside it. Both must give Loupe's number. FBRetainCycleDetector's 79 tests in Swift are
not among them: Loupe does not follow Swift objects, it counts them.
"""


class Wrong(Exception):
    """What is wrong with one line."""


class Case(NamedTuple):
    suite: str
    name: str
    unit: str
    drawn: str
    fixture: str
    theirs: int
    ours: int
    why: str


def run(program: pathlib.Path, *arguments: str, **environment: str) -> str:
    finished = subprocess.run(
        [str(program), *arguments], env={**os.environ, **environment}, capture_output=True,
        text=True, check=False)
    if finished.returncode:
        raise Wrong(f"{program.name} failed:\n{finished.stdout}{finished.stderr}")
    return finished.stdout


# ---- Drawn heaps ----


def read_cases(build: pathlib.Path) -> List[Case]:
    text = run(build / "tests/parity/test_parity", "cases")
    rows = [line.split("\t") for line in text.splitlines()]
    return [Case(suite, name, unit, drawn, fixture, int(theirs), int(ours), why)
            for suite, name, unit, drawn, fixture, theirs, ours, why in rows]


# ---- Fixtures ----


Answers = Dict[str, Dict[str, Any]]  # by expression and question


class Fixtures:
    """The helper's answers inside the fixtures, each run once and held against its expect.json."""

    def __init__(self, build: pathlib.Path) -> None:
        self.build = build
        self.answers: Dict[str, Answers] = {}

    def ask(self, fixture: str) -> Answers:
        if fixture not in self.answers:
            self.answers[fixture] = self.run(fixture)
            faults = list(fixtures_directly.faults(fixture, self.answers[fixture],
                                                   HERE.parent / "fixtures"))
            if faults or not self.answers[fixture]:
                raise Wrong(f"{fixture}: {faults or 'no answers'}")
        return self.answers[fixture]

    def run(self, fixture: str) -> Answers:
        text = run(self.build / "tests/fixtures" / fixture, ASAN_OPTIONS="detect_leaks=0",
                   LD_PRELOAD=str(self.build / "tests/helper/libhelper_observer.so"))
        found: Answers = {}
        for name, question, answer in re.findall(r"^(.+?) ([a-z-]+) (\{.*\})$", text, re.MULTILINE):
            found.setdefault(name, {})[question] = json.loads(answer)
        return found

    def of(self, fixture: str, question: str) -> Dict[str, Any]:
        name, _, expression = fixture.partition(".")
        found = self.ask(name)
        asked = found.get(expression or "seed") or found.get("node0")
        if not asked or asked[question]["abi"] != "apple":
            raise Wrong(f"{fixture} says nothing of {expression or 'seed'}")
        answer: Dict[str, Any] = asked[question]
        return answer

    def count(self, fixture: str, unit: str) -> int:
        knots: List[Dict[str, Any]] = self.of(fixture, "retain-cycles")["knots"]
        if unit == "rings":
            return sum(len(knot["rings"]) for knot in knots)
        if unit == "leaked knots":
            return sum(knot["verdict"] == "leaked" for knot in knots)
        raise Wrong(f"{fixture} cannot count {unit}")

    def captures(self, fixture: str) -> str:
        """What its block captures, "32 strong, 40 weak"; bytes that are no objects left out."""
        layout = self.of(f"{fixture}.block", "block-layout")
        shown = [f"{capture['offset']} {capture['kind']}" for capture in layout["captures"]
                 if capture["kind"] != "data"]
        if len(shown) > 6:
            shown = [*shown[:2], "…", *shown[-2:]]
        if not layout["block"]["owns_captures"]:
            shown.append("owns none")
        return ", ".join(shown)


def check_fixture(case: Case, fixtures: Fixtures) -> None:
    if case.fixture:
        count = fixtures.count(case.fixture, case.unit)
        if count != case.ours:
            raise Wrong(f"{case.name}: {count} {case.unit} in {case.fixture}, not {case.ours}")


# ---- Unit tests and other tests ----


class Proofs:
    """What shows a claim: "unit edges_ivar test_nil_is_no_edge" and "fixture diamond" run here,
    "test plugin.differential" and "lldb live/hosts/test_errors.py test_without_both" in ctest."""

    def __init__(self, build: pathlib.Path, fixtures: Fixtures) -> None:
        self.build = build
        self.fixtures = fixtures
        self.passed: Dict[str, List[str]] = {}
        listed = subprocess.run(["ctest", "-N"], cwd=build, capture_output=True, text=True,
                                check=True)
        self.tests = set(re.findall(r"Test +#\d+: (\S+)", listed.stdout))

    def check(self, proof: str) -> str:
        """Returns how the table shows it."""
        kind, _, rest = proof.partition(" ")
        if kind == "unit":
            program, _, name = rest.partition(" ")
            self.check_unit(program, name)
            return f"`{program}`: {name[len('test_'):].replace('_', ' ')}"
        if kind == "fixture":
            self.fixtures.ask(rest)
            return f"fixture `{rest}`"
        if kind == "lldb":
            return self.check_lldb(rest)
        if kind != "test" or rest not in self.tests:
            raise Wrong(f"no such test: {proof}")
        return f"`{rest}`"

    @staticmethod
    def check_lldb(rest: str) -> str:
        file, _, name = rest.partition(" ")
        if f"    def {name}(self)" not in (HERE.parent / "lldb" / file).read_text():
            raise Wrong(f"no {name} in {file}")
        return f"`lldb/{file}`: {name[len('test_'):].replace('_', ' ')}"

    def check_unit(self, program: str, name: str) -> None:
        if program not in self.passed:
            text = run(self.build / f"tests/unit/test_{program}", LOUPE_CHECK_NAMES="1")
            self.passed[program] = re.findall(r"^passed (\w+)$", text, re.MULTILINE)
        if name not in self.passed[program]:
            raise Wrong(f"{name} of {program} is no test that passed")


# ---- Writing ----


def table(head: Tuple[str, ...], rows: List[Tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def theirs_text(theirs: int) -> str:
    return {ANY: "1 or more", NO_CASE: "no test"}.get(theirs, str(theirs))


def case_rows(cases: List[Case], fixtures: Fixtures) -> Iterator[Tuple[str, ...]]:
    for case in cases:
        check_fixture(case, fixtures)
        if case.theirs >= 0 and case.theirs != case.ours and not case.why:
            raise Wrong(f"{case.name}: the numbers differ and nothing says why")
        yield (f"`{case.name}`" if re.fullmatch(r"\w+", case.name) else case.name, case.unit,
               f"`{case.drawn}`", f"`{case.fixture}`" if case.fixture else "",
               theirs_text(case.theirs), str(case.ours), case.why)


def suites(cases: List[Case], fixtures: Fixtures) -> Iterator[str]:
    head = ("case", "counted", "drawn heap", "fixture", "theirs", "Loupe", "why, or what else")
    for suite in dict.fromkeys(case.suite for case in cases):
        rows = list(case_rows([case for case in cases if case.suite == suite], fixtures))
        yield from ("", f"## {suite}: {len(rows)}", "")
        yield from table(head, rows)


def near_miss(cell: str, fixtures: Fixtures) -> str:
    what, _, fixture = cell.partition("; fixture ")
    if not fixture:
        return what
    if fixtures.count(fixture, "rings"):
        raise Wrong(f"a ring in {fixture}")
    return f"{what} (`{fixture}`)"


def near_misses(build: pathlib.Path, fixtures: Fixtures) -> Iterator[str]:
    text = run(build / "tests/unit/test_near_misses", "table")
    rows: List[Tuple[str, ...]] = [
        tuple(near_miss(cell, fixtures) for cell in line.split("\t"))
        for line in text.splitlines()]
    yield from ("", "## Near misses", "",
                "For every kind of edge, what looks like one and keeps nothing alive: each cell is",
                "a heap that `tests/unit/edges/test_near_misses.c` draws, beside the true reference, and",
                "where a fixture shows the same, its name and what to ask it about.", "")
    yield from table(rows[0], rows[1:])


def claims(proofs: Proofs) -> Iterator[str]:
    for section in features.SECTIONS:
        yield from ("", f"## {section.title}", "", section.text, "")
        yield from table((section.head, "Loupe", "shown by"), [
            (claim.what, claim.ours, "; ".join(proofs.check(proof) for proof in claim.proofs))
            for claim in section.claims])


def captures(proofs: Proofs, fixtures: Fixtures) -> Iterator[str]:
    yield from ("", "## What a block captures", "",
                "Offsets and kinds are those of `block-layout` about the block of the fixture.", "")
    yield from table(("captured", "the others", "Loupe", "shown by"), [
        (capture.what, capture.others,
         fixtures.captures(capture.fixture) if capture.fixture else capture.ours,
         "; ".join(proofs.check(proof) for proof in capture.shown_by()))
        for capture in features.CAPTURES])


def document(build: pathlib.Path) -> str:
    fixtures = Fixtures(build)
    proofs = Proofs(build, fixtures)
    lines = [*suites(read_cases(build), fixtures), *near_misses(build, fixtures),
             *captures(proofs, fixtures), *claims(proofs)]
    return INTRODUCTION + "\n".join(lines) + "\n"


def main() -> int:
    build = pathlib.Path(sys.argv[1]).resolve()
    try:
        text = document(build)
    except Wrong as wrong:
        print(wrong)
        return 1
    (build / "tests" / "parity.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
