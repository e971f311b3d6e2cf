"""Every fixture through the commands: names and rings by expect.json, whole texts by files.

usage: test_fixtures.py [--update] [share] ENGINE [FIXTURE...]
ENGINE is memory, helper or core (the plugin on a core file; exit status 77 without gdb). One lldb asks about all fixtures.
What reads from outside, the plugin and the command-line tool, has to give the same JSON to every question.
Texts are compared with expected/FIXTURE.txt, which serves every engine; --update writes what was
said there, for a person to read against the fixture's picture before it is committed.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import session

sys.path[:0] = [str(session.FIXTURES), str(session.SUPPORT)]
import expectation  # noqa: E402
import schema  # noqa: E402
from share import share_of  # noqa: E402

EXPECTED = session.HERE / "expected"
PROTOCOL = re.sub(r"^```.*?^```$", "", "".join((session.SOURCE / "docs" / name).read_text(encoding="utf-8")
                                              for name in ("protocol.md", "protocol_heaps.md")),
                  flags=re.M | re.S)  # what it says, without the examples
DOCUMENTED = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", PROTOCOL))))
SCHEMA = schema.Schema()
RINGS = 2000
SKIPPED = 77


def main(arguments):
    update = "--update" in arguments
    engine, *names = [word for word in arguments if word not in ("--update", "share")]
    if engine == "core" and not shutil.which("gdb"):
        print("skipped: core files are saved by gdb, which is not installed")
        return SKIPPED
    # By the plugin all of them each time: the others run the same core on the same heaps.
    whole = engine == "memory" and "share" not in arguments
    names = names or (expectation.all_fixtures() if whole else share_of(expectation.all_fixtures()))
    questions = {name: Questions(name) for name in names}
    with tempfile.TemporaryDirectory() as directory:
        cores = save_cores(names, pathlib.Path(directory)) if engine == "core" else {}
        results = session.carry_out([questions[name].run(engine, cores.get(name))
                                     for name in names])
    faults = [f"{name}: {fault}" for name, result in zip(names, results)
              for fault in check(questions[name], result, update)]
    print("\n".join(faults) or f"{len(names)} fixtures answered as expected by {engine}")
    return 1 if faults else 0


class Questions:
    """What is asked about one fixture: for machines, then for the expected text."""

    def __init__(self, name):
        self.name = name
        self.expected = expectation.load(name)

    def run(self, engine, core):
        run = {"program": session.fixture(self.name), "stop": session.READY, "core": core}
        option = "--engine " + ("memory" if engine == "core" else engine)
        run["commands"] = [f"{question} {option} {rest}"
                           for question, rest in self.for_machines() + self.for_people()]
        if engine != "helper" and self.name in share_of(expectation.all_fixtures()):
            run["commands"].append(f"!__import__('both_outside').differences(debugger, frame, "
                                   f"{list(self.expected)})")
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


def save_cores(names, directory):
    """A core file of each fixture at its stop, by one gdb. (One lldb could not save them all: it
    writes the number of the breakpoint as the signal of the core, and never comes back from loading
    a core whose signal is one that it passes on, such as 14.)"""
    paths = {name: str(directory / f"{name}.core") for name in names}
    commands = ["set confirm off", "set startup-with-shell off", "set debuginfod enabled off"]
    for name in names:
        commands += [f"file {session.fixture(name)}", f"break {session.READY}", "run",
                     f"generate-core-file {paths[name]}", "kill", "delete"]
    arguments = ["gdb", "-nx", "-batch"]
    for command in commands:
        arguments += ["-ex", command]
    subprocess.run(arguments, capture_output=True, stdin=subprocess.DEVNULL, check=False,
                   timeout=session.TIMEOUT)
    missing = [name for name, path in paths.items() if not pathlib.Path(path).exists()]
    assert not missing, missing
    return paths


def check(questions, result, update):
    if result["problem"]:
        yield result["problem"]
        return
    for command in result["commands"]:
        if not command["ok"]:
            yield f"{command['line']}: {command['error'].strip()}"
            return
    if result["commands"][-1]["line"].startswith("!"):
        differences = result["commands"].pop()["output"]
        if not differences.startswith("none of "):
            yield f"plugin and tool differ: {differences}"
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
        for answer in filter(None, (cycles, block)):
            yield from SCHEMA.problems(answer)
        for fault in expectation.faults(expected, cycles, block, named=True):
            yield f"{expression}: {fault}"
        for key in sorted(set(keys_of(cycles)) | set(keys_of(block))):
            if key not in DOCUMENTED:
                yield f"docs/protocol.md does not say what {key} is"


def keys_of(value):
    """The keys of an answer that are no addresses."""
    if isinstance(value, dict):
        yield from (key for key in value if not key.startswith("0x"))
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from keys_of(item)


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
