"""Runs scripts and commands in the lldb under test; compares answers."""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from lldb_options import QUICK  # noqa: E402

VARIES = ("engine", "stats")  # what the answers of engines may differ in


class CrashOfLldb(AssertionError):
    pass


def run_lldb(options, timeout=1800, lldb=None, **environment):
    """The finished run of lldb with these options. A crash fails the test."""
    command = [lldb or os.environ["LOUPE_LLDB"], "-b", "--no-lldbinit", *QUICK, *options]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
    )  # fmt: skip
    if run.returncode < 0:
        raise CrashOfLldb(f"lldb ended with {run.returncode}:\n{run.stdout}\n{run.stderr}")
    return run


def in_lldb(script, **how):
    """The output of a script of this folder, run inside lldb."""
    run = run_lldb(["-o", f"command script import '{os.path.join(HERE, script)}'"], **how)
    if "Traceback" in run.stderr:
        raise AssertionError(f"{script} failed:\n{run.stdout}\n{run.stderr}")
    return run.stdout


def options_of(commands):
    return [part for command in commands for part in ("-o", command)]


def commands_to_ask():
    """Gives lldb the plugin, and `ask-seed` to ask about the variable seed of the frame."""
    ask_seed = os.path.join(HERE, "ask_seed.py")
    return [f"plugin load '{os.environ['LOUPE_PLUGIN']}'", f"command script import '{ask_seed}'"]


def named_answers(text):
    """The object behind "answers ". lldb may tell of the process's end in the same line."""
    return json.JSONDecoder().raw_decode(text, text.index("answers ") + len("answers "))[0]


def answers_in(text):
    """What loupe-engine answered, of all that lldb printed."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def not_followed(answer):
    return {entry["reason"]: entry["count"] for entry in answer["not_followed"]}


def without_padding(thing):
    """An answer without the bytes of plain data. Behind a variable that is shorter than its place
    stands what nobody wrote: another process has something else there."""
    if isinstance(thing, list):
        return [without_padding(item) for item in thing]
    if not isinstance(thing, dict):
        return thing
    plain = thing.get("kind") in ("data", "unknown") and thing.get("value") is not None
    return {key: "there" if plain and key == "value" else without_padding(value)
            for key, value in thing.items()}


def without_lines(thing):
    """Without where ivars are declared: the tool knows it, of an engine in LLDB the commands ask it."""
    if isinstance(thing, list):
        return [without_lines(item) for item in thing]
    if not isinstance(thing, dict):
        return thing
    return {key: without_lines(value) for key, value in thing.items() if key not in ("declared", "declared_by")}


def comparable(answer, same_process=True):
    """The answer without what may vary, its addresses numbered by first appearance."""
    answer = without_lines(answer if same_process else without_padding(answer))
    text = json.dumps({key: value for key, value in answer.items() if key not in VARIES})
    numbers = {}
    return re.sub(
        r"0x[0-9a-f]{5,}", lambda m: f"A{numbers.setdefault(m.group(), len(numbers))}", text
    )


def first_difference(one, other):
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return f"...{one[max(0, at - 60) : at + 80]}... / ...{other[max(0, at - 60) : at + 80]}..."
