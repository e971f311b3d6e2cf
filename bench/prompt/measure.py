"""lldb's part of bench/prompt: times commands in one lldb and prints a table of medians and ratios.

    loupe-measure-prompt PROGRAM     a fixture with a small graph
    loupe-measure-hits PROGRAM       the program of a thousand hits
"""
import shlex
import statistics
import time

import lldb

ROUNDS = 40
HIT_ROUNDS = 3
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


def median_ms(debugger, line):
    """Of ROUNDS runs of a command, the first one apart."""
    started = time.perf_counter()
    run(debugger, line)
    first = time.perf_counter() - started
    spent = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        run(debugger, line)
        spent.append(time.perf_counter() - started)
    return statistics.median(spent) * 1000, first * 1000


def measure_prompt(debugger, command, exe_ctx, result, _internal):
    debugger.SetAsync(False)
    for line in (f"target create {shlex.quote(command.strip())}",
                 f"breakpoint set --name {READY}", "process launch --stdout /dev/null", "up"):
        run(debugger, line)
    rows = [("empty call by expression", EMPTY_CALL),
            ("class name by expression, as po does", CLASS_NAME),
            ("retain-cycles, memory", "retain-cycles --engine memory seed"),
            ("strong-refs, memory", "strong-refs --engine memory seed")]
    timed = [(name, *median_ms(debugger, line)) for name, line in rows]
    run(debugger, "loupe inject")
    rows = [("empty call, helper in the process", EMPTY_CALL),
            ("retain-cycles, helper", "retain-cycles --engine helper seed"),
            ("retain-cycles, auto", "retain-cycles seed")]
    timed += [(name, *median_ms(debugger, line)) for name, line in rows]
    empty = timed[0][1]
    print(f"{'one question':40}{'first ms':>10}{'median ms':>11}{'of an empty call':>18}")
    for name, median, first in timed:
        print(f"{name:40}{first:10.1f}{median:11.2f}{median / empty:17.2f}x")
    run(debugger, "process kill")


def seconds_of_hits(debugger, program, action):
    """From launch to exit with an action at each of the hits."""
    run(debugger, f"target create {shlex.quote(program)}")
    target = debugger.GetSelectedTarget()
    breakpoint_ = target.BreakpointCreateByName("-[Cell show]")
    breakpoint_.SetAutoContinue(True)
    if action:
        commands = lldb.SBStringList()
        commands.AppendString(action)
        breakpoint_.SetCommandLineCommands(commands)
    started = time.perf_counter()
    run(debugger, "process launch --stdout /dev/null")
    spent = time.perf_counter() - started
    # The target stays: lldb 22 may still tell of the end of a process whose target is gone, and crash.
    return spent, breakpoint_.GetHitCount()


def measure_hits(debugger, command, exe_ctx, result, _internal):
    debugger.SetAsync(False)
    actions = [("no action", None), ("an empty Python command", "loupe-nothing"),
               ("retain-cycles -q self", "retain-cycles -q self"),
               ("retain-cycles -q --engine helper self", "retain-cycles -q --engine helper self")]
    best = {}
    hits = 0
    for _ in range(HIT_ROUNDS):
        for name, action in actions:
            spent, hits = seconds_of_hits(debugger, command.strip(), action)
            best[name] = min(best.get(name, spent), spent)
    empty = best["an empty Python command"]
    print(f"{f'{hits} hits of a breakpoint':40}{'seconds':>10}{'ms a hit':>11}"
          f"{'of the empty one':>18}")
    for name, spent in best.items():
        print(f"{name:40}{spent:10.2f}{spent * 1000 / hits:11.2f}{spent / empty:17.2f}x")


def nothing(debugger, command, exe_ctx, result, _internal):
    result.SetStatus(lldb.eReturnStatusSuccessFinishResult)


def __lldb_init_module(debugger, _internal):
    for name, function in (("loupe-measure-prompt", "measure_prompt"),
                           ("loupe-measure-hits", "measure_hits"), ("loupe-nothing", "nothing")):
        debugger.HandleCommand(f"command script add -o -f measure.{function} {name}")
