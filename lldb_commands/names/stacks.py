"""Names for the stacks that libloupe_record recorded: function, place in the source, library."""
from __future__ import annotations

from typing import Dict

import lldb

from ..protocol import Envelope, Frame
from ..session.context import Context
from .method_names import as_method


def name_stacks(answer: Envelope, context: Context) -> None:
    """Fills "function", "file", "line" and "module" of each frame, in place. "runtime": the frame is
    in the library of the runtime, which allocates for others."""
    runtimes: Dict[str, bool] = {}
    for stack in (answer.get("stacks") or {}).values():
        for frame in stack.get("frames") or []:
            if context.is_late():
                return
            _name(frame, context.target, runtimes)


def _name(frame: Frame, target: lldb.SBTarget, runtimes: Dict[str, bool]) -> None:
    # A call returns to where it ends: the call itself stands before that.
    place = target.ResolveLoadAddress(int(str(frame["address"]), 16) - 1)
    module, line = place.GetModule(), place.GetLineEntry()
    path = str(module.GetFileSpec().fullpath or "") if module.IsValid() else ""
    function = place.GetFunction().GetName() or place.GetSymbol().GetName()
    frame["function"] = as_method(function) if function else None
    frame["file"] = str(line.GetFileSpec().fullpath or "") or None if line.IsValid() else None
    frame["line"] = line.GetLine() if frame["file"] else None
    frame["module"] = path or None
    if path not in runtimes:
        runtimes[path] = bool(path) and module.FindSymbol(
            "class_addMethod", lldb.eSymbolTypeCode).IsValid()
    frame["runtime"] = runtimes[path]
