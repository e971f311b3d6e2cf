"""Every fix that is proposed for a fixture, made in a fresh process: what dies of it?

usage: test_fixes.py [--table] [--gnustep] [FIXTURE...]

In each trial one fix is made at the stop, the fixture goes on, lets go of its own references and
says which of its objects were freed. Where Loupe says that a fix lets go of an object, that object
must be freed; where it says that something kept outside still leads to it, and that is still there
in the end, so must be the object. --table prints all trials.

The fixtures on GNUstep, which --gnustep asks for, say only how many objects are left, and their
rings are possible ones, where a fix may be for a reference that owns nothing: a table to be read.
"""
import json
import pathlib
import sys
import tempfile

import session

sys.path[:0] = [str(session.SOURCE), str(session.SUPPORT)]
from lldb_commands.render import short  # noqa: E402
from share import share_of  # noqa: E402

GNUSTEP = session.SOURCE / "tests" / "gnustep"


def main(arguments):
    folder, kind = ((GNUSTEP, GnustepTrial) if "--gnustep" in arguments
                    else (session.FIXTURES, Trial))
    names = [word for word in arguments if not word.startswith("--")] or all_in(folder)
    trials = [kind(trial) for trial in carry_out(folder, names)]
    untouched = {(trial.fixture, trial.expression): trial for trial in trials if not trial.is_fix}
    tried = [trial for trial in trials if trial.is_fix]
    for trial in tried:
        trial.leaks = untouched[trial.fixture, trial.expression].leaked
    if "--table" in arguments:
        print_table(tried)
    faults = [f"{trial.fixture} {trial.expression}: {trial.text}: {fault}"
              for trial in tried for fault in trial.faults()]
    done = [trial for trial in tried if not trial.problem]
    sure = sum(map(Trial.keeps_promise, done))
    print("\n".join(faults) or
          f"{len(tried)} fixes of {len(names)} fixtures tried, {len(tried) - len(done)} of them not "
          f"to be made here; {sum(len(trial.died) for trial in done)} objects died; "
          f"{sure} fixes let go what they promise, {sum(map(Trial.is_kept, done))} leave it to what "
          "is kept")
    return 1 if faults or not (sure or kind is GnustepTrial) else 0


def all_in(folder):
    return share_of(sorted(path.parent.name for path in folder.glob("*/expect.json")
                           if program_of(folder, path.parent.name).exists()))


def program_of(folder, name):
    built = session.BUILD / "tests"
    return (built / "fixtures" if folder is session.FIXTURES else built / "gnustep/gobjc") / name


def carry_out(folder, names):
    expected = {name: json.loads((folder / name / "expect.json").read_text(encoding="utf-8"))
                for name in names}
    asked = {name: [expression for expression, facts in expected[name].items()
                    if facts.get("knots")] for name in names}
    plan = {"import": str(session.COMMANDS),
            "fixtures": {name: {"program": str(program_of(folder, name)), "asked": expressions}
                         for name, expressions in asked.items() if expressions}}
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory) / "plan.json"
        results = pathlib.Path(directory) / "results.json"
        file.write_text(json.dumps({**plan, "results": str(results)}), encoding="utf-8")
        finished = session.batch(f'command script import "{session.HERE / "cut.py"}"',
                                 f"loupe-test-cuts {file}", commands=None)
        if not results.exists():
            raise AssertionError(f"lldb ended with {finished.returncode}:\n{finished.stdout}\n"
                                 f"{finished.stderr}")
        return json.loads(results.read_text(encoding="utf-8"))


class Trial:
    """One run of a fixture, with one fix made or none."""

    def __init__(self, trial):
        self.fixture, self.expression = trial["fixture"], trial["expression"]
        self.answer, self.watched = trial["answer"], trial["watched"]
        self.problem = trial.get("problem") or ""
        self.ended = trial.get("ended", False)
        self.is_fix = "fix" in trial
        self.leaked, self.freed = (self.said(trial["said"], word) for word in ("leaked", "freed"))
        self.leaks = set()
        if self.is_fix:
            self.knot = self.answer["knots"][trial["knot"]]
            self.fix = self.knot["fixes"][trial["fix"]]

    @staticmethod
    def said(lines, word):
        return {line[len(word) + 1:] for line in lines if line.startswith(word + " ")}

    @property
    def text(self):
        return short.fix(self.fix, self.answer)

    @property
    def died(self):
        return self.leaks & self.freed

    @property
    def goals(self):
        """Of what one should go, as the fixture calls it: the object asked about, or something of
        the ring; of those that leak in the untouched fixture."""
        ring = [edge["from"] for ring in self.knot["rings"] for edge in ring["edges"]]
        goals = [self.answer["seed"]] if self.knot["contains_seed"] else ring
        return {self.watched[address] for address in goals if address in self.watched} & self.leaks

    def keeps_promise(self):
        return bool(self.fix["frees"] and self.goals & self.died)

    def is_kept(self):
        return bool(self.fix["kept_by"])

    def faults(self):
        if self.problem:
            return
        if not self.ended:
            yield "the program did not end by itself"
            return
        if self.fix["frees"] and self.goals and not self.keeps_promise():
            yield f"{' and '.join(sorted(self.goals))} should have gone"
        rule = self.watched.get(self.fix["kept_by"])
        for goal in sorted(self.goals - self.leaked) if rule in self.leaked else []:
            yield f"{goal} went, although {rule} is still there and is said to keep it"


class GnustepTrial(Trial):
    """Of these only the number of objects is known that are left: numbers are their names."""

    @staticmethod
    def said(lines, word):
        counts = [line.split() for line in lines if " alive, " in line]
        if not counts:
            return set()
        alive, expected = int(counts[0][0]), int(counts[0][2])
        numbers = range(alive) if word == "leaked" else range(alive, expected)
        return {str(number) for number in numbers}


def print_table(tried):
    rows = [("fixture", "asked", "proposal", "promise", "died")]
    for trial in tried:
        promise = {True: "goes", False: "stays", None: "ring only"}[trial.fix["frees"]]
        died = trial.problem or f"{len(trial.died)} of {len(trial.leaks)}"
        rows.append((trial.fixture, trial.expression, trial.text, promise, died))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        print("  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[4]]))
    print()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
