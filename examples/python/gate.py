"""A gate of one's own for CI: how many objects of a class may there be at this stop?

    $ lldb -b -o 'breakpoint set -n didCloseLastScreen' -o run \\
           -o 'command script import gate.py' -o 'allow *Screen=0 ImageCache=1' MyApp

Where there are more the command fails, and `lldb -b` exits with 1; it says why the first one lives.
"""
from __future__ import annotations

from typing import Any, Dict

import lldb

from lldb_commands import api


def allow(debugger: lldb.SBDebugger, command: str, exe_ctx: lldb.SBExecutionContext,
          result: lldb.SBCommandReturnObject, _internal: Dict[str, Any]) -> None:
    try:
        heap = api.snapshot(exe_ctx)
        excesses = [excess(word, heap) for word in command.split()]
        failed = [text for text in excesses if text]
        if failed:
            result.SetError("\n".join(failed))
        else:
            result.AppendMessage("no more objects than allowed")
    except api.LoupeError as error:
        result.SetError(str(error))


def excess(rule: str, heap: api.Snapshot) -> str:
    pattern, equals, most = rule.partition("=")
    if not equals or not most.isdigit():
        raise api.LoupeError(f"{rule} is no rule: say a class and a number, as in *Screen=0")
    alive = heap.find(pattern)
    if len(alive) <= int(most):
        return ""
    first = alive[0]
    why = " -> ".join(f"{thing.class_name}{edge.path}" for path in heap.path(first.address)
                      for thing, edge in zip(path.objects, path.edges)) or "nothing alive leads there"
    return f"{len(alive)} of {pattern}, {most} allowed; {first.class_name} {first.address:#x}: {why}"


def __lldb_init_module(debugger: lldb.SBDebugger, _internal: Dict[str, Any]) -> None:
    debugger.HandleCommand(f"command script add -o -f {__name__}.allow allow")
