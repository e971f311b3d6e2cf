"""lldb's part of bench/plugin: whole questions by the terminal tool beside the same by the plugin, whose
time is the yardstick.

    loupe-measure-pipe PROGRAM ROUNDS COUNT...

PROGRAM builds a heap of COUNT nodes. Each is asked again at the same stop, and for the first time at
a new one; the tool's first start in a session of lldb is apart. Of each the least of its rounds, which
take turns: whoever else needs the machine only adds to some of them. Ratios are of the time that passes,
and of processor time, lldb's and the tool's, where the system tells that of another process (Linux):
other work changes it less. The debugger's server works for both alike, and is not counted.
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
BATCH, PATIENCE = 20, 2.0  # questions in a row at a stop, and seconds for both engines' batches there
HEAD = """\
                            milliseconds, same stop      milliseconds, new stop    ratios, and of processor time
 nodes    question           plugin    tool             plugin    tool             same    new      same    new"""


class Cost:
    """The least of what was seen: milliseconds that passed, and of processor time."""

    def __init__(self):
        self.passed = self.processor = float("inf")

    def note(self, passed, processor):
        self.passed = min(self.passed, passed)
        self.processor = min(self.processor, processor)


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
        from lldb_commands.session.context import at_stop
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


def processor_time(engine):
    """Milliseconds that lldb has used so far, and the tool where it is asked. Infinite: nobody tells."""
    idle = getattr(engine, "_idle", None)
    used = time.process_time_ns()
    if idle:
        try:
            with open(f"/proc/{idle[-1]._process.pid}/schedstat", encoding="ascii") as file:
                used += int(file.read().split()[0])
        except OSError:
            return float("inf")
    return used / 1e6


def ask(stop, engine, query, times, cost):
    """So many times in a row: processor time is told in steps that are longer than a question."""
    before = processor_time(engine)
    least = min(stop.timed(engine, query) for _ in range(times))
    cost.note(least, (processor_time(engine) - before) / times)


def measure(stop, rounds, count, query):
    from lldb_commands.engines import pipe, plugin
    engines = (plugin, pipe)
    new, same = [Cost(), Cost()], [Cost(), Cost()]
    for engine in engines:
        stop.timed(engine, query)
    for _ in range(rounds):
        for engine, cost in zip(engines, new):
            stop.renew()
            ask(stop, engine, query, 1, cost)
        end = time.perf_counter() + PATIENCE
        while time.perf_counter() < end:
            for engine, cost in zip(engines, same):
                ask(stop, engine, query, BATCH, cost)
    ratios = [getattr(tool, what) / getattr(inside, what)
              for what in ("passed", "processor") for inside, tool in (same, new)]
    print(f" {count:8} {query:15}{same[0].passed:10.2f}{same[1].passed:8.2f}{new[0].passed:19.2f}{new[1].passed:8.2f}"
          f"{ratios[0]:17.1f}{ratios[1]:7.1f}{ratios[2]:10.1f}{ratios[3]:7.1f}", flush=True)


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
