"""Starts a real lldb for a test, by plan (driver.py) or as a user would in a shell.

The environment says what to test: LOUPE_TEST_LLDB (the debugger), LOUPE_TEST_BUILD (the build
tree).
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
FIXTURES = SOURCE / "tests" / "fixtures"
SUPPORT = SOURCE / "tests" / "support"
COMMANDS = SOURCE / "lldb_commands"
BUILD = pathlib.Path(os.environ.get("LOUPE_TEST_BUILD", SOURCE / "build"))
READY = "loupe_fixture_ready"
TIMEOUT = 1700  # no test is about time, on a busy machine either
# LLDB looks for debug information of the system's libraries elsewhere, which takes half of its start; no
# machine has to have any.
QUICK = ["-O", "settings set symbols.enable-external-lookup false"]


def debugger():
    """The lldb to test."""
    chosen = os.environ.get("LOUPE_TEST_LLDB")
    for name in [chosen] if chosen else ["lldb-22", "lldb-19", "lldb-16", "lldb-14", "lldb"]:
        path = shutil.which(name)
        if path:
            return path
    raise unittest.SkipTest("no lldb found")


def library(name):
    suffix = ".dylib" if os.uname().sysname == "Darwin" else ".so"
    return BUILD / name / f"libloupe_{name}{suffix}"


def environment(**changes):
    """That of lldb: the libraries of the build tree, Unicode glyphs, no colours."""
    values = {**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "dumb",
              "LOUPE_PLUGIN": str(library("plugin")), "LOUPE_HELPER": str(library("helper"))}
    values.pop("NO_COLOR", None)
    for name, value in changes.items():
        if value is None:
            values.pop(name, None)
        else:
            values[name] = str(value)
    return values


def fixture(name):
    return str(BUILD / "tests" / "fixtures" / name)


def batch(*lines, program=None, core=None, env=None, commands=COMMANDS):
    """`lldb -b` with one-line commands, as in a shell. Returns the finished process."""
    arguments = [debugger(), "-b", "--no-lldbinit", *QUICK] + (["-c", str(core)] if core else [])
    imports = [f'command script import "{commands}"'] if commands else []
    for line in [*imports, *lines]:
        arguments += ["-o", line]
    arguments += [str(program)] if program else []
    return subprocess.run(arguments, capture_output=True, text=True, encoding="utf-8",
                          timeout=TIMEOUT, env=env or environment(), stdin=subprocess.DEVNULL,
                          check=False)


def save_core(path, program, stop=READY, preload=None, environment=None):
    """A core file of a program at a function, by gdb, as lldb 14 saves none on Linux."""
    commands = ["set confirm off", "set startup-with-shell off", "set debuginfod enabled off",
                f"break {stop}", "run", f"generate-core-file {path}", "kill"]
    variables = {**(environment or {}), **({"LD_PRELOAD": preload} if preload else {})}
    commands[:0] = [f"set environment {name} {value}" for name, value in variables.items()]
    arguments = ["gdb", "-nx", "-batch"]
    for command in commands:
        arguments += ["-ex", command]
    saved = subprocess.run([*arguments, str(program)], capture_output=True, text=True, check=False,
                           stdin=subprocess.DEVNULL, timeout=TIMEOUT)
    assert pathlib.Path(path).exists(), saved.stdout + saved.stderr


def carry_out(runs, env=None, commands=COMMANDS):
    """Carries out a plan (driver.py) in one lldb; the results, one per run."""
    with tempfile.TemporaryDirectory() as directory:
        plan = pathlib.Path(directory) / "plan.json"
        results = pathlib.Path(directory) / "results.json"
        plan.write_text(json.dumps({"runs": runs, "results": str(results),
                                    "import": str(commands)}), encoding="utf-8")
        finished = batch(f'command script import "{HERE / "driver.py"}"',
                         f'loupe-test-plan {plan}', env=env, commands=None)
        if not results.exists():
            raise AssertionError(f"lldb ended with {finished.returncode}:\n{finished.stdout}\n"
                                 f"{finished.stderr}")
        return json.loads(results.read_text(encoding="utf-8"))


def normalised(text):
    """Text with what differs between runs replaced: addresses by first appearance, time, engine."""
    names = {}

    def name(match):
        return names.setdefault(match.group(0), f"<A{len(names) + 1}>")

    text = re.sub(r"0x[0-9a-f]{6,}\b", name, text)
    text = re.sub(r" in less than 1 ms| in \d+ ms| in \d+\.\d s", "", text)
    return re.sub(r" (walked|looked at) (from outside|by the helper)", r" \1", text)
