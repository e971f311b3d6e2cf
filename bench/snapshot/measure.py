"""lldb's part of bench/snapshot: snapshots of a live process, beside reads of the same memory.

    loupe-measure-snapshot PROGRAM ROUNDS COUNT...

PROGRAM builds a heap of COUNT blocks and waits in pause(). Each round starts at a stop of its own,
since lldb keeps some of what it has read until the process moves.
"""
import json
import shlex
import time

import lldb

STOP = "pause"
HEAD = "   blocks   snapshot   one read of   ratio   us a   bytes read   of writable\n" \
       "                 ms   it all, ms           block      a block       memory"


def run(debugger, line):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, result)
    if not result.Succeeded():
        raise RuntimeError(f"{line}: {result.GetError()}")
    return result.GetOutput() or ""


def writable(process):
    """Stretches of memory that a heap or a variable can be in."""
    regions = process.GetMemoryRegions()
    for i in range(regions.GetSize()):
        region = lldb.SBMemoryRegionInfo()
        regions.GetMemoryRegionAtIndex(i, region)
        if region.IsReadable() and region.IsWritable():
            yield region.GetRegionBase(), region.GetRegionEnd()


def snapshot(debugger, blocks):
    """Milliseconds, and what the answer says of itself."""
    started = time.perf_counter()
    answer = json.loads(run(debugger, "loupe-engine snapshot"))
    spent = (time.perf_counter() - started) * 1000
    if answer["status"] != "ok" or answer["stats"]["objects"] < blocks:
        raise RuntimeError(f"{answer['status']}: {answer['stats']}")
    return spent, answer["stats"]


def read_all(debugger, process):
    """Milliseconds and bytes of one read of each stretch."""
    spent, size = 0.0, 0
    for start, end in writable(process):
        spent += float(run(debugger, f"loupe-bench-reads bulk {start:#x} {end:#x}").split()[0])
        size += end - start
    return spent, size


def measure_heap(debugger, program, rounds, count):
    run(debugger, f"target create {shlex.quote(program)}")
    target = debugger.GetSelectedTarget()
    target.BreakpointCreateByName(STOP, "libc.so.6")
    run(debugger, f"process launch --stdout /dev/null -- {count} wait")
    process = target.GetProcess()
    taken, read = [], []
    for _ in range(rounds):
        taken.append(snapshot(debugger, int(count)))
        read.append(read_all(debugger, process))
        process.GetSelectedThread().StepInstruction(False)
    (whole, stats), (bulk, size) = min(taken, key=lambda one: one[0]), min(read)
    blocks = stats["objects"]
    print(f"{blocks:9}{whole:11.1f}{bulk:14.1f}{whole / bulk:8.2f}{whole * 1000 / blocks:7.2f}"
          f"{stats['bytes'] / blocks:13.1f}{size / 1e6:11.1f} MB", flush=True)
    run(debugger, "process kill")


def measure_snapshot(debugger, command, exe_ctx, result, _internal):
    debugger.SetAsync(False)
    program, rounds, *counts = shlex.split(command)
    print(HEAD)
    try:
        for count in counts:
            measure_heap(debugger, program, int(rounds), count)
    except Exception as problem:  # whatever it was: lldb would call the command a success
        result.SetError(f"measured in part only: {problem!r}")


def __lldb_init_module(debugger, _internal):
    debugger.HandleCommand("command script add -o -f measure.measure_snapshot "
                           "loupe-measure-snapshot")
