"""Starts a real lldb for a test, by plan (driver.py) or as a user would in a shell.

The environment says what to test: LOUPE_TEST_LLDB (the debugger), LOUPE_TEST_BUILD (the build
tree).
"""
import atexit
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
FIXTURES = SOURCE / "tests" / "fixtures"
SUPPORT = SOURCE / "tests" / "support"
sys.path.insert(0, str(SUPPORT))
from lldb_options import QUICK  # noqa: E402

COMMANDS = SOURCE / "lldb_commands"
BUILD = pathlib.Path(os.environ.get("LOUPE_TEST_BUILD", SOURCE / "build"))
READY = "loupe_fixture_ready"
TIMEOUT = 1700  # no test is about time, on a busy machine either


def debugger():
    """The lldb to test."""
    chosen = os.environ.get("LOUPE_TEST_LLDB")
    for name in [chosen] if chosen else ["lldb-22", "lldb-19", "lldb-16", "lldb-14", "lldb"]:
        path = shutil.which(name)
        if path:
            return path
    raise unittest.SkipTest("no lldb found")


def said_once(command, done):
    """The line that the first command of a session ends with that ran code in the program."""
    return f"warning: {command}: {done} in the program (said once; LOUPE_ENGINE=memory refuses it)\n"


def library(name):
    suffix = ".dylib" if os.uname().sysname == "Darwin" else ".so"
    return BUILD / name / f"libloupe_{name}{suffix}"


def environment(**changes):
    """That of lldb: the libraries of the build tree, Unicode glyphs, no colours."""
    values = {**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "dumb",
              "LOUPE_PLUGIN": str(library("plugin")), "LOUPE_HELPER": str(library("helper"))}
    for name in ("NO_COLOR", "LOUPE_GLYPHS"):
        values.pop(name, None)
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


class _Planned:
    """An lldb that carries out plans (driver.py) until it is ended."""

    def __init__(self, env):
        plans, self._plans = os.pipe()
        self._told, told = os.pipe()
        self._said = tempfile.TemporaryFile(mode="w+", encoding="utf-8", errors="replace")
        arguments = [debugger(), "-b", "--no-lldbinit", *QUICK]
        for line in (f'command script import "{HERE / "driver.py"}"', f"loupe-test-plans {plans} {told}"):
            arguments += ["-o", line]
        self._process = subprocess.Popen(arguments, env=env, stdin=subprocess.DEVNULL, stdout=self._said,
                                         stderr=subprocess.STDOUT, pass_fds=(plans, told))
        os.close(plans)
        os.close(told)

    def carry_out(self, plan):
        """Whether it came to the end of a plan."""
        try:
            os.write(self._plans, f"{plan}\n".encode())
        except BrokenPipeError:
            return False
        is_told, _, _ = select.select([self._told], [], [], TIMEOUT)
        return bool(is_told and os.read(self._told, 100))

    def end(self):
        """How it ended, and all that it said."""
        os.close(self._plans)
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._told)
        self._said.seek(0)
        with self._said as said:
            return f"lldb ended with {self._process.returncode}:\n{said.read()}"


# By thread: the one that runs, and what it was started for. Plans that want the same share it.
_planned = {}


def end_planned():
    """Ends the lldb that carries out plans; the next plan gets another one. How it ended."""
    _, planned = _planned.pop(threading.get_ident(), (None, None))
    return planned and planned.end()


def _end_all():
    for _, planned in _planned.values():
        planned.end()


atexit.register(_end_all)


def carry_out(runs, env=None, commands=COMMANDS):
    """Carries out a plan (driver.py); the results, one per run."""
    env = env or environment()
    wanted = (debugger(), tuple(sorted(env.items())), str(commands), os.getcwd())
    if any("save-core" in line for run in runs for line in run["commands"]):
        # Into a dump lldb 22 writes the number of its breakpoint as the signal. The numbers grow: 18 is a
        # signal that stops nobody, and who loads such a dump waits for ever.
        end_planned()
    if _planned.get(threading.get_ident(), (None,))[0] != wanted:
        end_planned()
        _planned[threading.get_ident()] = (wanted, _Planned(env))
    planned = _planned[threading.get_ident()][1]
    with tempfile.TemporaryDirectory() as directory:
        plan = pathlib.Path(directory) / "plan.json"
        results = pathlib.Path(directory) / "results.json"
        plan.write_text(json.dumps({"runs": runs, "results": str(results),
                                    "import": str(commands)}), encoding="utf-8")
        if not planned.carry_out(plan):
            raise AssertionError(end_planned())
        return json.loads(results.read_text(encoding="utf-8"))


def normalised(text):
    """Text with what differs between runs replaced: addresses by first appearance, time, engine."""
    names = {}

    def name(match):
        return names.setdefault(match.group(0), f"<A{len(names) + 1}>")

    text = re.sub(r"0x[0-9a-f]{6,}\b", name, text)
    text = re.sub(r" in less than 1 ms| in \d+ ms| in \d+\.\d s", "", text)
    return re.sub(r"^(searched .*), (from LLDB|in-process)$", r"\1", text, flags=re.M)
