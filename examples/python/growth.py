"""What grows each time? Runs the program from one stop at a function to the next until it ends, and
names the classes of which there were more at each of them.

    $ lldb -b -o 'command script import growth.py' -o 'growth didCloseDocument' MyApp
"""
from __future__ import annotations

from typing import Any, Dict, List

import lldb

from lldb_commands import api


@api.command
def growth(debugger: lldb.SBDebugger, command: str, exe_ctx: lldb.SBExecutionContext,
           result: lldb.SBCommandReturnObject, _internal: Dict[str, Any]) -> None:
    heaps = heaps_at(command.strip(), exe_ctx.GetTarget())
    steps = [{row.name: row for row in newer.growth_since(older).classes if row.new > row.gone}
             for older, newer in zip(heaps, heaps[1:])]
    result.AppendMessage(f"{len(heaps)} stops")
    for name in sorted(steps[0]) if steps else []:
        if all(name in step for step in steps):
            counts = ", ".join(f"+{step[name].new - step[name].gone}" for step in steps)
            result.AppendMessage(f"{name}: {counts}")


def heaps_at(function: str, target: lldb.SBTarget) -> List[api.Snapshot]:
    debugger = target.GetDebugger()
    debugger.SetAsync(False)  # Continue() returns at the next stop
    if target.BreakpointCreateByName(function).GetNumLocations() == 0:
        raise api.LoupeError(f"no function {function}" if function else "missing FUNCTION (usage: growth FUNCTION)")
    process = target.GetProcess()
    if process.IsValid():
        process.Continue()
    else:
        process = target.LaunchSimple(None, None, ".")
    heaps: List[api.Snapshot] = []
    while process.GetState() == lldb.eStateStopped:
        heaps.append(api.snapshot(process))
        process.Continue()
    return heaps


def __lldb_init_module(debugger: lldb.SBDebugger, _internal: Dict[str, Any]) -> None:
    debugger.HandleCommand(f"command script add -o -f {__name__}.growth growth")
