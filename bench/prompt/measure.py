"""lldb's part of bench/prompt: times commands in one lldb and prints tables with ratios to a yardstick.

    loupe-measure-prompt PROGRAM          a fixture with a small graph
    loupe-measure-pipe-prompt PROGRAM     the same where neither plugin nor library of answers is loaded
    loupe-measure-hits PROGRAM [CELLS]    the program of two hits for each cell

Beside the time that passes stands the processor time of lldb, without its server and the program:
others who need the machine change that less.
"""
import shlex
import time
from typing import NamedTuple

import lldb

ROUNDS = 40
HIT_ROUNDS, CELLS = 3, "1000"
READY = "loupe_fixture_ready"
EMPTY_CALL = "expression -- (int)getpid()"
CLASS_NAME = ("expression --language c++ -- ((const char *(*)(void *))object_getClassName)"
              "((void *)seed)")


def run(debugger, line):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, result)
    if not result.Succeeded():
        raise RuntimeError(f"{line}: {result.GetError()}")
    return result.GetOutput() or ""


def timed(debugger, line):
    """Milliseconds that pass, and of the processor."""
    started, used = time.perf_counter(), time.process_time()
    run(debugger, line)
    return (time.perf_counter() - started) * 1000, (time.process_time() - used) * 1000


class Row(NamedTuple):
    """A command: its first run, and of ROUNDS more the least of each time."""
    name: str
    first: float
    passed: float
    used: float


def measured(debugger, name, line):
    first, _ = timed(debugger, line)
    passed, used = zip(*(timed(debugger, line) for _ in range(ROUNDS)))
    return Row(name, first, min(passed), min(used))


def start(debugger, program):
    debugger.SetAsync(False)
    for line in (f"target create {shlex.quote(program.strip())}",
                 f"breakpoint set --name {READY}", "process launch --stdout /dev/null", "up"):
        run(debugger, line)


def measure_pipe_prompt(debugger, command, exe_ctx, result, _internal):
    start(debugger, command)
    lines = [("empty call by expression", EMPTY_CALL),
             ("retain-cycles, tool over the pipe", "retain-cycles --engine memory seed")]
    print_rows("one question as in Xcode", [measured(debugger, *line) for line in lines])
    run(debugger, "process kill")


def measure_prompt(debugger, command, exe_ctx, result, _internal):
    start(debugger, command)
    lines = [("empty call by expression", EMPTY_CALL),
             ("class name by expression, as po does", CLASS_NAME),
             ("retain-cycles, memory", "retain-cycles --engine memory seed"),
             ("strong-refs, memory", "strong-refs --engine memory seed")]
    rows = [measured(debugger, *line) for line in lines]
    run(debugger, "loupe inject")
    lines = [("empty call, helper in the process", EMPTY_CALL),
             ("retain-cycles, helper", "retain-cycles --engine helper seed"),
             ("retain-cycles, auto", "retain-cycles seed")]
    rows += [measured(debugger, *line) for line in lines]
    print_rows("one question", rows)
    run(debugger, "process kill")


def print_rows(title, rows):
    """Those behind the first beside it."""
    print(f"{title:40}{'first ms':>10}{'least ms':>10}{'of it':>8}{'processor ms':>14}{'of it':>8}")
    for row in rows:
        print(f"{row.name:40}{row.first:10.1f}{row.passed:10.2f}{row.passed / rows[0].passed:7.2f}x"
              f"{row.used:14.2f}{row.used / rows[0].used:7.2f}x", flush=True)


def time_of_run(debugger, program, cells, action):
    """Milliseconds from launch to exit with an action at each hit, those of the processor, and the
    number of hits."""
    run(debugger, f"target create {shlex.quote(program)}")
    target = debugger.GetSelectedTarget()
    breakpoint_ = target.BreakpointCreateByName("-[Cell show]")
    breakpoint_.SetAutoContinue(True)
    if action:
        commands = lldb.SBStringList()
        commands.AppendString(action)
        breakpoint_.SetCommandLineCommands(commands)
    passed, used = timed(debugger, f"process launch --stdout /dev/null -- {cells}")
    # The target stays: lldb 22 may still tell of the end of a process whose target is gone, and crash.
    return passed, used, breakpoint_.GetHitCount()


def measure_hits(debugger, command, exe_ctx, result, _internal):
    debugger.SetAsync(False)
    actions = [("an empty Python command", "loupe-nothing"), ("no action", None),
               ("retain-cycles -q self", "retain-cycles -q self"),
               ("retain-cycles -q --engine helper self", "retain-cycles -q --engine helper self")]
    program, cells = (shlex.split(command) + [CELLS])[:2]
    least, hits = {}, 0
    for _ in range(HIT_ROUNDS):
        for name, action in actions:
            for count in (cells, "0"):
                *spent, met = time_of_run(debugger, program, count, action)
                least[name, count] = list(map(min, spent, least.get((name, count), spent)))
                hits = max(hits, met)
    print_rows(f"{hits} hits of a breakpoint, each",
               [_of_a_hit(name, least[name, cells], least[name, "0"], hits) for name, _ in actions])


def _of_a_hit(name, run_, idle, hits):
    """Without what a run costs that has no hit."""
    passed, used = [(one - other) / hits for one, other in zip(run_, idle)]
    return Row(name, passed, passed, used)


def nothing(debugger, command, exe_ctx, result, _internal):
    result.SetStatus(lldb.eReturnStatusSuccessFinishResult)


def __lldb_init_module(debugger, _internal):
    for name, function in (("loupe-measure-prompt", "measure_prompt"),
                           ("loupe-measure-pipe-prompt", "measure_pipe_prompt"),
                           ("loupe-measure-hits", "measure_hits"), ("loupe-nothing", "nothing")):
        debugger.HandleCommand(f"command script add -o -f measure.{function} {name}")
