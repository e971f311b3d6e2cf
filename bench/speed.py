"""docs/speed.md: what a question costs beside something that everybody knows, in one table.

usage: speed.py BUILD_TREE LLDB [CELLS] >docs/speed.md

Runs bench/prompt and the parts of bench/plugin that compare the ways to ask, and puts their ratios beside
what is aimed at. CELLS: half of the hits of a breakpoint, 200 unless told.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RATIO = re.compile(r"([0-9.]+)x")
HEAD = """\
# What a question costs

Does Loupe slow a session down? A question at the prompt costs less than one empty call by `expression` (the first two rows), a silent
breakpoint action several times an empty one in Python (rows five and six); what grows with the objects comes after these.

Ratios to a yardstick that is measured in the same run, so that they hold on another machine too. Where two stand, the first is of
the time that passes, the least of some rounds, the second of LLDB's processor time, with that of `loupe` in the rows that count objects,
which other work on the machine changes less. `python3 bench/speed.py BUILD_TREE LLDB >docs/speed.md` writes this page, and builds
nothing; its benches print the times themselves.

| what | yardstick | ratio | aim |
| --- | --- | --- | --- |"""
TAIL = """\

Measured on {cores} cores while the load was {load}: where more had to be done than there are cores, small differences say
nothing, and what switches between processes is told too high: a question over the pipe waits twice until the other process has
its turn. There the processor time counts.

## What stands in the way

- A silent breakpoint action takes half a millisecond beside what LLDB itself does at a hit, most of it Python. Regions and data
  of a process on this machine come from the kernel (Linux); elsewhere some eleven pages and twelve regions are a round trip to
  LLDB's server each.
- In-process an action evaluates an expression, which alone takes longer than three empty Python commands: LLDB compiles it
  each time. `auto` never takes the helper in an action.
- The smallest questions over the pipe wait for two switches between processes, which a busy machine makes longer; memory is told
  anew each time, since somebody may have written to it."""
# A line of a bench begins so -> what it is called, what stands beside it, the aim.
PROMPT = {
    "retain-cycles, memory": ("`retain-cycles`, printed at the prompt", "an empty call by `expression`", "0.2"),
    "strong-refs, memory": ("`strong-refs`, printed at the prompt", "an empty call by `expression`", ""),
    "retain-cycles, helper": ("`retain-cycles` in-process", "an empty call by `expression`", "1.2"),
    "retain-cycles, tool over the pipe": (
        "`retain-cycles` over the pipe, where LLDB loads no library, as in Xcode", "an empty call by `expression`", "1.0"),
    "retain-cycles -q self": ("a silent breakpoint action", "an empty Python command as the action", "2"),
    "retain-cycles -q --engine helper": ("the same in-process", "an empty Python command as the action", "3")}
PIPE_AIM, CORE_AIM, START_AIM = "3", "1.5", "1.2"


def lines_of(*command, **variables):
    done = subprocess.run(command, env={**os.environ, **variables}, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().splitlines()


def in_lldb(tree, lldb, script, command):
    """The lines of a table that a script of bench/plugin prints."""
    words = '. "$1/in_lldb.sh"; work=$2; measure_in_lldb "$3" "$4" "$1/plugin/$5" "$6"'
    with tempfile.TemporaryDirectory() as work:
        return lines_of("bash", "-euc", words, "bash", HERE, work, tree, lldb, script, command,
                        LOUPE_TOOL=f"{tree}/cli/loupe")


def row(what, yardstick, ratio, aim):
    print(f"| {what} | {yardstick} | {ratio} | {f'at most {aim}' if aim else ''} |", flush=True)


def prompt_rows(tree, lldb, cells):
    for line in lines_of("bash", f"{HERE}/prompt/run.sh", tree, lldb, cells):
        name = next((name for name in PROMPT if line.startswith((f"{name} ", f"{name} self"))), None)
        ratios = RATIO.findall(line)
        if name:
            what, yardstick, aim = PROMPT.pop(name)
            row(what, yardstick, " and ".join(ratios), aim)
        elif "lldb_commands" in line:
            form = " without bytecode" if "no bytecode" in line else ""
            row(f"one line in `~/.lldbinit`, `lldb -b -o quit`{form}", "the same without the line",
                f"{ratios[0]} (processor time)", START_AIM)


def pipe_rows(tree, lldb):
    for line in in_lldb(tree, lldb, "measure_pipe.py",
                        f"loupe-measure-pipe {tree}/bench/plugin_heap 3 1000 10000"):
        words = line.split()
        if len(words) == 10 and words[0].isdigit():
            same, new, same_processor, new_processor = words[6:]
            row(f"{words[1]} of {int(words[0]):,} objects by the command-line tool over the pipe", "by the plugin",
                f"{new} and {new_processor} at a new stop, {same} and {same_processor} again there", PIPE_AIM)


def core_row(tree, lldb, count):
    with tempfile.TemporaryDirectory() as folder:
        lines_of("gdb", "-nx", "-batch", "-ex", "break bench_heap_ready", "-ex", f"run {count}",
                 "-ex", f"gcore {folder}/core", "-ex", "kill", f"{tree}/bench/plugin_heap")
        lines = in_lldb(tree, lldb, "measure_core.py",
                        f"loupe-measure-core {tree}/cli/loupe {tree}/bench/plugin_heap {folder}/core 3")
    row(f"leaks of a core of {count:,} objects by the plugin", "by the command-line tool",
        f"{RATIO.findall(lines[-1])[0]} (processor time)", CORE_AIM)


def main():
    tree, lldb, *cells = sys.argv[1:]
    tree = os.path.abspath(tree)
    print(HEAD, flush=True)
    prompt_rows(tree, lldb, cells[0] if cells else "200")
    pipe_rows(tree, lldb)
    core_row(tree, lldb, 100_000)
    print(TAIL.format(cores=os.cpu_count(), load=round(os.getloadavg()[0])))


if __name__ == "__main__":
    main()
