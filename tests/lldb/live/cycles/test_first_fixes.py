"""The first advice about every knot of every fixture is followed: the program goes on for ten more
steps, ends what it does, goes on for ten more, and uses nothing that was freed; the ring is gone.

usage: test_first_fixes.py [--gnustep] [--table FILE] [FIXTURE...]

The programs are those with AddressSanitizer (build/sanitized, which ./run test builds); without them it
is skipped. On GNUstep they keep zombies. A fixture that goes wrong without a change is no proof of one.
"""
import json
import os
import pathlib
import sys
import tempfile

import session

sys.path[:0] = [str(session.SOURCE), str(session.SUPPORT)]
from test_fixes import GNUSTEP, GnustepTrial, Trial, all_in, program_of  # noqa: E402

SANITIZED = session.BUILD / "sanitized" / "tests" / "fixtures"
SKIPPED = 77
# Their blocks end what they are about, or belong to a frame that has returned.
NOT_CALLED = ("byref_shared", "cxx_this", "generic_helper_block")
CONTROLS = {False: "singleton_bus", True: "counted_delegate"}  # where a mistake must be seen, on GNUstep or not
# On GNUstep, where a table says why nothing goes: gnustep-base 1.28 retains what is in a hash table or a
# pointer array twice and releases it once; operations are no objects whose ends are counted. The reference
# that `held` is asked about is not retained as it is, so that there is nothing to take away.
NOTHING_GOES = {("hash_table", "seed"), ("hash_table", "pointers"), ("operation_ring", "first")}
OWNS_NOTHING = {("counted_delegate", "held")}
COMPLAINTS = ("AddressSanitizer", "deallocated instance", "zombie", "unrecognized selector")


class Followed(Trial):
    """One knot, its first fix made or nothing."""

    def __init__(self, trial):
        self.is_fix = "knot" in trial
        super().__init__({**{key: value for key, value in trial.items() if key != "fix"},
                          "said": trial.get("said") or []})
        self.complaints = [line for line in trial.get("complained") or []
                           if any(word in line for word in COMPLAINTS)]
        self.status = trial.get("status")
        self.is_fix = "knot" in trial
        if self.is_fix:
            self.knot = self.answer["knots"][trial["knot"]]
            self.fix = self.knot["fixes"][0]

    @property
    def texts(self):
        together = [fix for fix in self.knot["fixes"] if fix["together"]]
        return "; ".join(str(fix.get("text")) for fix in together or [self.fix])

    @property
    def members(self):
        """Watched objects of the ring that is shown."""
        edges = [edge for ring in self.knot["rings"] for edge in ring["edges"]]
        return {self.watched[edge["from"]] for edge in edges if edge["from"] in self.watched}

    @property
    def dangling(self):
        """Where a reference that does not retain any more would lead to an object that is gone."""
        edges = [edge for fix in self.knot["fixes"][:1] for edge in (fix["edge"], *fix["with"])]
        return [f"{self.watched[edge['from']]} uses {self.watched[edge['to']]}" for edge in edges
                if "without retaining" in self.texts and self.watched.get(edge["from"]) in self.leaked
                and self.watched.get(edge["to"]) in self.freed]

    def gone(self, before):
        return (self.members & before.leaked) - self.leaked

    def wanted(self, before):
        return self.members & before.leaked

    @property
    def crashed(self):
        return bool(self.complaints) or not self.problem and not self.ended


class FollowedOnGnustep(Followed):
    """Its objects have no names: those that are left are counted, of all rings of the program."""

    said = staticmethod(GnustepTrial.said)

    def gone(self, before):
        return before.leaked - self.leaked

    def wanted(self, before):
        return before.leaked


def carry_out(folder, names, program, environment, wrong=False):
    expected = {name: json.loads((folder / name / "expect.json").read_text(encoding="utf-8"))
                for name in names}
    fixtures = {name: {"program": str(program(folder, name)),
                       "asked": [expression for expression, facts in expected[name].items()
                                 if facts.get("knots")],
                       "wrong": wrong,
                       "environment": {**environment, **({"LOUPE_FIXTURE_CALLS": "no"}
                                                         if name in NOT_CALLED else {})}}
                for name in names}
    plan = {"import": str(session.COMMANDS),
            "fixtures": {name: each for name, each in fixtures.items() if each["asked"]}}
    with tempfile.TemporaryDirectory() as directory:
        file, results = (pathlib.Path(directory) / name for name in ("plan.json", "results.json"))
        file.write_text(json.dumps({**plan, "results": str(results)}), encoding="utf-8")
        finished = session.batch(f'command script import "{session.HERE / "follow.py"}"',
                                 f"loupe-test-follow {file}", commands=None)
        if not results.exists():
            raise AssertionError(f"lldb ended with {finished.returncode}:\n{finished.stdout}\n"
                                 f"{finished.stderr}")
        kind = FollowedOnGnustep if folder is GNUSTEP else Followed
        return [kind(trial) for trial in json.loads(results.read_text(encoding="utf-8"))]


def sanitized(folder, name):
    program = SANITIZED / name
    return program if program.exists() else program_of(folder, name)


def end_of(trial, before):
    """How it went, and what is wrong about it."""
    gone, wanted, asked = trial.gone(before), trial.wanted(before), (trial.fixture, trial.expression)
    if asked in OWNS_NOTHING:
        return "owns nothing as it is", "" if not trial.knot["certain"] else "it is told as certain"
    if before.crashed or before.problem:
        return "", f"goes wrong unchanged: {before.problem or before.complaints[:1]}"
    if trial.problem:
        return f"not made: {trial.problem}", ""
    if trial.crashed:
        return "CRASH", str(trial.complaints[:1])
    if trial.dangling:
        return "DANGLING", str(trial.dangling)
    left = f", kept elsewhere: {', '.join(sorted(wanted - gone))}" if gone < wanted and trial.watched else ""
    return f"gone {len(gone)} of {len(wanted)}{left}", (
        "nothing went" if wanted and not gone and asked not in NOTHING_GOES else "")


def with_untouched(trials):
    """Each followed advice beside the same program in which nobody changed anything."""
    untouched = {(trial.fixture, trial.expression): trial for trial in trials if not trial.is_fix}
    return [(trial, untouched[trial.fixture, trial.expression]) for trial in trials if trial.is_fix]


def main(arguments):
    gnustep = "--gnustep" in arguments
    table = arguments[arguments.index("--table") + 1] if "--table" in arguments else ""
    names = [word for word in arguments if not word.startswith("--") and word != table]
    folder = GNUSTEP if gnustep else session.FIXTURES
    environment = {"NSZombieEnabled": "YES"} if gnustep else {"ASAN_OPTIONS": "detect_leaks=0"}
    environment["LOUPE_FIXTURE_STEPS"] = "10"
    if not gnustep and not (SANITIZED / CONTROLS[gnustep]).exists():
        print("skipped: there are no fixtures with AddressSanitizer in build/sanitized")
        return SKIPPED
    program = program_of if gnustep else sanitized
    trials = carry_out(folder, names or all_in(folder), program, environment)
    lines, faults = [], []
    for trial, before in with_untouched(trials):
        end, fault = end_of(trial, before)
        lines.append(f"{trial.fixture} | {trial.expression} | {trial.texts} | {end}")
        faults += [f"{lines[-1]}: {fault}"] if fault else []
    if table:
        pathlib.Path(table).write_text("\n".join(lines) + "\n", encoding="utf-8")
    tried = [trial for trial in trials if trial.is_fix]
    control = carry_out(folder, [CONTROLS[gnustep]], program, environment, wrong=True)
    if not any(trial.crashed or trial.problem for trial in control if trial.is_fix):
        faults.append(f"{CONTROLS[gnustep]}: nobody sees an object that is used after it was freed")
    print("\n".join(faults) or "no fault")
    print(f"{len(tried)} first fixes, {sum(bool(trial.problem) for trial in tried)} not to be made, "
          f"{sum(line.rpartition(' | ')[2].startswith('gone') for line in lines)} that let go of a ring, "
          f"{sum(line.endswith('CRASH') for line in lines)} crashes")
    return 1 if faults or not tried else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
