"""Every fixture through the commands: names and rings by expect.json, whole texts by files.

usage: test_fixtures.py [--update] ENGINE [FIXTURE...]
ENGINE is memory, helper or core (the plugin on a core file). One lldb asks about all fixtures.
Texts are compared with expected/FIXTURE.txt, which serves every engine; --update writes what was
said there, for a person to read against the fixture's picture before it is committed.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import expectation
import session

EXPECTED = session.HERE / "expected"
RINGS = 64


def main(arguments):
    update = "--update" in arguments
    engine, *names = [word for word in arguments if word != "--update"]
    names = names or sorted(path.parent.name for path in session.FIXTURES.glob("*/expect.json"))
    questions = {name: Questions(name) for name in names}
    with tempfile.TemporaryDirectory() as directory:
        runs = [questions[name].run(engine, pathlib.Path(directory)) for name in names]
        results = session.carry_out(runs)
    faults = [f"{name}: {fault}" for name, result in zip(names, results)
              for fault in check(questions[name], result, update)]
    print("\n".join(faults) or f"{len(names)} fixtures answered as expected by {engine}")
    return 1 if faults else 0


class Questions:
    """What is asked about one fixture: for machines, then for the expected text."""

    def __init__(self, name):
        self.name = name
        text = (session.FIXTURES / name / "expect.json").read_text(encoding="utf-8")
        self.expected = json.loads(text)

    def run(self, engine, directory):
        run = {"program": session.fixture(self.name), "stop": session.READY, "frame": 1}
        if engine == "core":
            run["core"] = str(save_core(self.name, directory / f"{self.name}.core"))
        option = "--engine " + ("memory" if engine == "core" else engine)
        run["commands"] = [f"{question} {option} {rest}"
                           for question, rest in self.for_machines() + self.for_people()]
        return run

    def for_machines(self):
        asked = []
        for expression, expected in self.expected.items():
            asked.append(("retain-cycles", f"--json -n {RINGS} {expression}"))
            if "captures" in expected:
                asked.append(("block-layout", f"--json {expression}"))
        return asked

    def for_people(self):
        asked = []
        for expression, expected in self.expected.items():
            if "captures" in expected:
                asked.append(("block-layout", expression))
            else:
                asked.append(("retain-cycles", expression))
        return asked + [("strong-refs", "seed"), ("ivar-layout", "seed")]


def save_core(name, path):
    """A core file of the fixture at its stop, by lldb (a minidump)."""
    lines = [f"breakpoint set --name {session.READY}", "process launch --stdout /dev/null",
             f'process save-core --style full "{path}"']
    finished = session.batch(*lines, program=session.fixture(name), commands=None)
    if not path.exists():
        raise AssertionError(f"no core file of {name}: {finished.stderr}")
    return path


def check(questions, result, update):
    if result["problem"]:
        yield result["problem"]
        return
    for command in result["commands"]:
        if not command["ok"]:
            yield f"{command['line']}: {command['error'].strip()}"
            return
    machines = len(questions.for_machines())
    yield from check_answers(questions, result["commands"][:machines])
    text = "\n".join(f"{question} {rest}\n\n{command['output']}"
                     for (question, rest), command in zip(questions.for_people(),
                                                          result["commands"][machines:]))
    yield from check_text(EXPECTED / f"{questions.name}.txt", session.normalised(text), update)


def check_answers(questions, commands):
    answers = iter([json.loads(command["output"]) for command in commands])
    for expression, expected in questions.expected.items():
        cycles = next(answers)
        block = next(answers) if "captures" in expected else None
        yield from expectation.faults(expression, expected, cycles, block)


def check_text(path, text, update):
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    elif not path.exists():
        yield f"there is no {path.name}"
    elif path.read_text(encoding="utf-8") != text:
        difference = subprocess.run(["diff", "-u", str(path), "-"], input=text, check=False,
                                    capture_output=True, text=True, encoding="utf-8").stdout
        yield f"another text:\n{difference}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
