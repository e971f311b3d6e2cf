"""lldb's part of bench/plugin: walks the heap of a live process and of its core, in three ways.

    loupe-measure-walk PROGRAM CORE ROUNDS COUNT...

PROGRAM builds a heap of COUNT nodes; CORE is where gdb may write its core. Each way of each round
starts at a stop of its own, since lldb keeps what it has read until the process moves.
"""
import json
import os
import re
import shlex
import statistics
import subprocess
import tempfile
import time

import lldb

STOP = "bench_heap_ready"
UNCACHED_OBJECTS = 5000
UNCACHED = "target.process.disable-memory-cache"
HEAD = """\
                               milliseconds                                       ratios      \
           an object
                          whole  reading, search for  one read  a word by ... without  whole   walk  words uncached\
                       round
 objects shape    where  answer  walking      cycles   of heap   one read lldb's cache  /heap  /heap /whole   /whole\
     us  bytes  reads  trips"""


def run(debugger, line):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, result)
    if not result.Succeeded():
        raise RuntimeError(f"{line}: {result.GetError()}")
    return result.GetOutput() or ""


class Stop:
    """The program at its stop, live or in a core."""

    def __init__(self, process):
        self.process = process
        self.is_core = "core" in process.GetPluginName()
        frame = next(thread.GetFrameAtIndex(0) for thread in process
                     if thread.GetFrameAtIndex(0).GetFunctionName() == STOP)
        seed = frame.FindVariable("seed").GetNonSyntheticValue()
        self.seed = seed.GetData().GetUnsignedInt64(lldb.SBError(), 0)
        heap = lldb.SBMemoryRegionInfo()
        process.GetMemoryRegionInfo(self.seed, heap)
        self.heap = heap.GetRegionBase(), heap.GetRegionEnd()

    def renew(self):
        if not self.is_core:
            self.process.Continue()


def walk(debugger, stop):
    """Milliseconds, and the answer, of Loupe's whole question."""
    stop.renew()
    command = f"loupe-engine retain-cycles --address {stop.seed:#x} --limit 100000000"
    started = time.perf_counter()
    answer = run(debugger, command)
    spent = (time.perf_counter() - started) * 1000
    return spent, json.loads(answer)


def read_plainly(debugger, stop, how):
    """Milliseconds, and the number of objects, of a way to read without thought."""
    stop.renew()
    fields = run(debugger, f"loupe-bench-reads {how}").split()
    return float(fields[0]), int(fields[3])


def packets_of_walk(debugger, stop):
    """What the walk asks of lldb's server, lists of regions included."""
    with tempfile.TemporaryDirectory() as directory:
        log = os.path.join(directory, "packets")
        run(debugger, f"log enable -f {shlex.quote(log)} gdb-remote packets")
        stop.renew()
        with open(log, "rb") as file:
            before = len(re.findall(rb"send packet", file.read()))
        run(debugger, f"loupe-engine retain-cycles --address {stop.seed:#x} --limit 100000000")
        run(debugger, "log disable gdb-remote packets")
        with open(log, "rb") as file:
            return len(re.findall(rb"send packet", file.read())) - before


def uncached_walk(debugger, stop, objects):
    """Milliseconds of a walk in which each word is a round trip; scaled up from a part of it."""
    run(debugger, f"settings set {UNCACHED} true")
    spent, walked = read_plainly(debugger, stop, f"words {stop.seed:#x} {UNCACHED_OBJECTS}")
    run(debugger, f"settings set {UNCACHED} false")
    return spent * objects / walked


def measure(debugger, stop, rounds, shape):
    times = []
    for _ in range(rounds):
        whole, answer = walk(debugger, stop)
        search = answer["stats"]["ms"] - answer["stats"]["walk_ms"]
        start, end = stop.heap
        bulk, _ = read_plainly(debugger, stop, f"bulk {start:#x} {end:#x}")
        word, objects = read_plainly(debugger, stop, f"words {stop.seed:#x} {2 ** 32}")
        stats = answer["stats"]
        if answer["status"] != "ok" or stats["objects"] != objects:
            raise RuntimeError(f"{answer['status']}: {stats}, one read for a word: {objects}")
        uncached = uncached_walk(debugger, stop, objects)
        times.append((whole, whole - search, search, bulk, word, uncached))
    whole, walked, search, bulk, word, uncached = map(statistics.median, zip(*times))
    round_trips = "-" if stop.is_core else f"{packets_of_walk(debugger, stop) / objects:.4f}"
    print(f"{objects:8} {shape:9}{'core' if stop.is_core else 'live':5}"
          f"{whole:9.1f}{walked:9.1f}{search:12.0f}{bulk:10.2f}{word:11.1f}{uncached:13.1f}"
          f"{whole / bulk:7.2f}{walked / bulk:7.2f}{word / whole:7.1f}{uncached / whole:9.1f}"
          f"{whole * 1000 / objects:7.2f}{stats['bytes'] / objects:7.1f}"
          f"{stats['reads'] / objects:7.4f}{round_trips:>7}", flush=True)


def write_core(program, arguments, path):
    commands = [f"break {STOP}", f"run {arguments}", f"gcore {path}", "kill"]
    options = [part for command in commands for part in ("-ex", command)]
    subprocess.run(["gdb", "-nx", "-batch", *options, program], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def measure_heap(debugger, program, core, rounds, count, shape):
    arguments = count if shape == "one knot" else f"{count} acyclic"
    run(debugger, f"target create {shlex.quote(program)}")
    target = debugger.GetSelectedTarget()
    target.BreakpointCreateByName(STOP)
    run(debugger, f"process launch --stdout /dev/null -- {arguments}")
    measure(debugger, Stop(target.GetProcess()), rounds, shape)
    # Its target stays: lldb 22 may still tell of the end of a process whose target is gone, and crash.
    run(debugger, "process kill")
    write_core(program, arguments, core)
    target = debugger.CreateTarget(program)
    measure(debugger, Stop(target.LoadCore(core)), rounds, shape)
    debugger.DeleteTarget(target)
    os.unlink(core)


def measure_walk(debugger, command, exe_ctx, result, _internal):
    debugger.SetAsync(False)
    program, core, rounds, *counts = shlex.split(command)
    print(HEAD)
    try:
        for count in counts:
            for shape in ("no knot", "one knot"):
                measure_heap(debugger, program, core, int(rounds), count, shape)
    except Exception as problem:  # whatever it was: lldb would call the command a success
        result.SetError(f"measured in part only: {problem!r}")


def __lldb_init_module(debugger, _internal):
    debugger.HandleCommand("command script add -o -f measure.measure_walk loupe-measure-walk")
