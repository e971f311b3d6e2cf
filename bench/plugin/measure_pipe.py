"""lldb's part of bench/plugin: whole questions by the terminal tool beside the same by the plugin, whose
time is the yardstick.

    loupe-measure-pipe PROGRAM ROUNDS COUNT...

PROGRAM builds a heap of COUNT nodes. Each is asked again at the same stop, and for the first time at
a new one; the tool's first start in a session of lldb is apart. Of each the least of its rounds, which
take turns: whoever else needs the machine only adds to some of them.
"""
import os
import shlex
import sys
import time

import lldb

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
STOP = "bench_heap_ready"
QUERIES = ("strong-refs", "retain-cycles", "incoming-refs", "leaks", "methods")
LIMIT = 100_000_000
AGAIN, PATIENCE = 100, 2.0  # questions at a stop behind the first, and seconds for them
HEAD = """\
                            milliseconds, same stop      milliseconds, new stop    ratios
 nodes    question           plugin    tool             plugin    tool             same    new"""


def run(debugger, line):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, result)
    if not result.Succeeded():
        raise RuntimeError(f"{line}: {result.GetError()}")


class Stop:
    """The program at its stop, and who asks there."""

    def __init__(self, debugger, process):
        self._debugger = debugger
        self._process = process

    def renew(self):
        self._process.Continue()

    def timed(self, engine, query):
        """Milliseconds of a question. The answer has to be whole."""
        from lldb_commands.context import at_stop
        from lldb_commands.engines import known_to_lldb
        from lldb_commands.engines.question import Question
        thread = next(thread for thread in self._process
                      if thread.GetFrameAtIndex(0).GetFunctionName() == STOP)
        frame = thread.GetFrameAtIndex(0)
        seed = frame.FindVariable("seed").GetNonSyntheticValue().GetData()
        context = at_stop(self._debugger, lldb.SBExecutionContext(frame), 600)
        question = known_to_lldb.told(
            Question(query, seed.GetUnsignedInt64(lldb.SBError(), 0), limit=LIMIT), context, False)
        started = time.perf_counter()
        answer = engine.ask(question, context)
        if answer["status"] == "error":
            raise RuntimeError(f"{query}: {answer['error']}")
        return (time.perf_counter() - started) * 1000


def least_again(stop, engine, query):
    """Of several, since the smallest are over before who else waits for the machine gets it."""
    end = time.perf_counter() + PATIENCE
    least = stop.timed(engine, query)
    for _ in range(AGAIN):
        if time.perf_counter() > end:
            break
        least = min(least, stop.timed(engine, query))
    return least


def measure(stop, rounds, count, query):
    from lldb_commands.engines import pipe, plugin
    times = {"same": [], "new": []}
    for _ in range(rounds):
        for engine in (plugin, pipe):
            stop.renew()
            times["new"].append(stop.timed(engine, query))
            times["same"].append(least_again(stop, engine, query))
    same_plugin, same_tool, new_plugin, new_tool = [
        min(times[stop][engine::2]) for stop in ("same", "new") for engine in (0, 1)]
    print(f" {count:8} {query:15}{same_plugin:10.2f}{same_tool:8.2f}{new_plugin:19.2f}{new_tool:8.2f}"
          f"{same_tool / same_plugin:17.1f}{new_tool / new_plugin:7.1f}", flush=True)


def measure_pipe(debugger, command, exe_ctx, result, _internal):
    debugger.SetAsync(False)
    program, rounds, *counts = shlex.split(command)
    print(HEAD)
    try:
        for count in counts:
            run(debugger, f"target create {shlex.quote(program)}")
            target = debugger.GetSelectedTarget()
            target.BreakpointCreateByName(STOP)
            run(debugger, f"process launch --stdout /dev/null -- {count}")
            for query in QUERIES:
                measure(Stop(debugger, target.GetProcess()), int(rounds), count, query)
            run(debugger, "process kill")
    except Exception as problem:  # whatever it was: lldb would call the command a success
        result.SetError(f"measured in part only: {problem!r}")


def __lldb_init_module(debugger, _internal):
    debugger.HandleCommand("command script add -o -f measure_pipe.measure_pipe loupe-measure-pipe")
