"""lldb's part of bench/plugin: what is lost in a core file, by the plugin beside the terminal tool, whose
processor time from its start to its end is the yardstick.

    loupe-measure-core TOOL PROGRAM CORE ROUNDS
"""
import os
import resource
import shlex
import subprocess
import time

import lldb



def by_plugin(debugger):
    """Seconds of the processor."""
    result = lldb.SBCommandReturnObject()
    started = time.process_time()
    debugger.GetCommandInterpreter().HandleCommand("loupe-engine leaks --address 0", result)
    if not result.Succeeded() or '"status":"ok"' not in result.GetOutput():
        raise RuntimeError(result.GetError() or result.GetOutput()[:200])
    return time.process_time() - started


def by_tool(tool, core):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([tool, "leaks", core, "--json"], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_core(debugger, command, exe_ctx, result, _internal):
    tool, program, core, rounds = shlex.split(command)
    target = debugger.CreateTarget(program)
    target.LoadCore(core)
    debugger.SetSelectedTarget(target)
    try:
        spent = [(by_tool(tool, core), by_plugin(debugger)) for _ in range(int(rounds))]
    except RuntimeError as problem:
        result.SetError(f"nothing was measured: {problem}")
        return
    tool_time, plugin_time = map(min, zip(*spent))
    print(f" {'leaks of a core, processor time':36}{'tool ms':>10}{'plugin ms':>11}{'of the tool':>13}")
    print(f" {os.path.getsize(core) >> 20:3} MB{'':31}{tool_time * 1000:10.1f}{plugin_time * 1000:11.1f}"
          f"{plugin_time / tool_time:12.2f}x", flush=True)


def __lldb_init_module(debugger, _internal):
    debugger.HandleCommand("command script add -o -f measure_core.measure_core loupe-measure-core")
