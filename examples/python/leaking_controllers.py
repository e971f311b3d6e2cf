"""Which view controllers leak? Asks about each one that there is, whoever made it.

    (lldb) command script import leaking_controllers.py
    (lldb) leaking-controllers                the instances of UIViewController's subclasses
    (lldb) leaking-controllers '*Screen'      or of classes by name
"""
from __future__ import annotations

from typing import Any, Dict

import lldb

from lldb_commands import api


@api.command
def leaking_controllers(debugger: lldb.SBDebugger, command: str, exe_ctx: lldb.SBExecutionContext,
                        result: lldb.SBCommandReturnObject, _internal: Dict[str, Any]) -> None:
    pattern = command.strip(" '\"") or "UIViewController"
    alive = api.snapshot(exe_ctx).find(pattern, subclasses=True)
    result.AppendMessage(f"{len(alive)} instances of {pattern}")
    for controller in alive:
        for knot in api.retain_cycles(controller.address, at=exe_ctx).leaked:
            result.AppendMessage(f"{controller.class_name} {controller.address:#x} leaks: "
                                 f"{knot.rings[0].path}")
            for fix in knot.fixes[:1]:
                result.AppendMessage(f"    {fix.text}")


def __lldb_init_module(debugger: lldb.SBDebugger, _internal: Dict[str, Any]) -> None:
    debugger.HandleCommand(
        f"command script add -o -f {__name__}.leaking_controllers leaking-controllers")
