"""A gate of one's own for CI: how many objects of a class may there be at this stop?

    $ lldb -b -o 'breakpoint set -n didCloseLastScreen' -o run \\
           -o 'command script import gate.py' -o 'allow *Screen=0 ImageCache=1' MyApp

Where there are more the command fails, and `lldb -b` exits with 1; it says why the first one lives. For
anything else that goes wrong, such as a rule that cannot be read, it exits with 2.
"""
from __future__ import annotations

from typing import Any, Dict

import lldb

from lldb_commands import api


@api.command
def allow(debugger: lldb.SBDebugger, command: str, exe_ctx: lldb.SBExecutionContext,
          result: lldb.SBCommandReturnObject, _internal: Dict[str, Any]) -> None:
    heap = api.snapshot(exe_ctx)
    excesses = [excess(word, heap) for word in command.split()]
    failed = [text for text in excesses if text]
    if failed:
        result.SetError("\n".join(failed))
    else:
        result.AppendMessage("no more objects than allowed")


def excess(rule: str, heap: api.Snapshot) -> str:
    pattern, equals, most = rule.partition("=")
    if not equals or not most.isdigit():
        raise api.LoupeError(f"{rule} is not a rule: give a class and a number, such as *Screen=0")
    alive = heap.find(pattern)
    if len(alive) <= int(most):
        return ""
    first = alive[0]
    why = " -> ".join(f"{thing.class_name}{edge.path}" for path in heap.path(first.address)
                      for thing, edge in zip(path.objects, path.edges)) or "no root reaches it"
    return f"{len(alive)} of {pattern}, {most} allowed; {first.class_name} {first.address:#x}: {why}"


def __lldb_init_module(debugger: lldb.SBDebugger, _internal: Dict[str, Any]) -> None:
    debugger.HandleCommand(f"command script add -o -f {__name__}.allow allow")
