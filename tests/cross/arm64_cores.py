"""Cores of arm64 Linux, written by qemu without a note of files and without code, and asked on this
machine: what leaks by the tool, and rings by the tool and by LLDB, of every fixture.

usage: arm64_cores.py LOUPE CHECKER FIXTURE_SOURCES TREE [LLDB PLUGIN COMMANDS]
TREE is where arm64_linux.sh has built; exits with 77 where it has not, or where no cores are written.
"""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "leaks"))
from test_fixtures import UNCOUNTED, as_it_is  # noqa: E402

LIBRARIES = "/usr/aarch64-linux-gnu"
NAMED = ("self_block", "parent_child", "ring_of_25")  # those that LLDB is asked about


def core_of(qemu, program, folder):
    """Of the program when main() has returned, where all that is left has leaked."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    environment = {**os.environ, "LOUPE_FIXTURE_TRUTH": str(folder / "truth")}
    with subprocess.Popen([qemu, "-L", LIBRARIES, program], cwd=folder, env=environment, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
                          ) as process:
        waits = 0
        for line in process.stdout:
            waits += line == "ready\n"
            if waits == 2:
                break
            if line == "ready\n":
                process.stdin.write("\n")
                process.stdin.flush()
        process.send_signal(signal.SIGABRT)
    (folder / "core").unlink(missing_ok=True)  # that of qemu itself
    return next(folder.glob("qemu_*.core"))


def leaks_fault(loupe, checker, program, core, folder):
    made = subprocess.run([loupe, "snapshot", core, folder / "it.loupe", "--program", program,
                           "--sysroot", LIBRARIES], capture_output=True, text=True, check=False)
    if made.returncode:
        return made.stdout + made.stderr
    told = as_it_is(folder / "truth", program.name, True, folder / "told")
    checked = subprocess.run([checker, told, folder / "it.loupe"], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, check=False)
    return checked.stdout if checked.returncode else ""


def knots(answer):
    return [(knot["objects"], knot["verdict"], sorted(
        (edge["from"], edge["to"]) for ring in knot["rings"] for edge in ring["edges"]))
        for knot in answer["knots"]]


def lldb_fault(loupe, program, core, folder, lldb, plugin, commands):
    """LLDB has to answer as the tool does."""
    seed = next(line.split()[1] for line in (folder / "truth").read_text().splitlines()
                if line.startswith("leaked"))
    tool = subprocess.run([loupe, "cycles", core, seed, "--json", "--program", program, "--sysroot",
                           LIBRARIES], capture_output=True, text=True, check=False)
    asked = subprocess.run(
        [lldb, "-b", "--no-lldbinit", "-o", f"platform select remote-linux --sysroot {LIBRARIES}",
         "-o", f"target create --core {core} {program}", "-o", f"plugin load {plugin}",
         "-o", f"command script import {commands}",
         "-o", f"retain-cycles --engine memory --json {seed}"],
        capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in asked.stdout.splitlines() if line.startswith("{")]
    if not answers or not tool.stdout.startswith("{"):
        return f"no answer: {asked.stdout}{asked.stderr}{tool.stdout}{tool.stderr}"
    by_tool, by_lldb = knots(json.loads(tool.stdout)), knots(answers[0])
    return "" if by_tool and by_tool == by_lldb else f"LLDB: {by_lldb}\nthe tool: {by_tool}"


def main():
    loupe, checker, sources, tree = (pathlib.Path(word) for word in sys.argv[1:5])
    qemu = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    programs = tree / "tests" / "fixtures"
    names = sorted(file.parent.name for file in sources.glob("*/main.m*")
                   if (programs / file.parent.name).exists() and file.parent.name not in UNCOUNTED)
    if not qemu or not names or resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        print("skipped: no qemu, no fixtures for arm64, or cores may have no size")
        return 77
    wrong = 0
    for name in names:
        with tempfile.TemporaryDirectory() as text:
            folder, program = pathlib.Path(text), programs / name
            core = core_of(qemu, program, folder)
            fault = leaks_fault(loupe, checker, program, core, folder)
            if name in NAMED and len(sys.argv) > 5:
                fault += lldb_fault(loupe, program, core, folder, *sys.argv[5:])
        if fault:
            wrong += 1
            print(f"{name}:\n{fault}")
    print(f"{len(names)} fixtures, {wrong} of them wrong")
    return 0 if len(names) >= 70 and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
