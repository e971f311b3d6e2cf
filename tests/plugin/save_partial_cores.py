"""Runs inside lldb: cores of a fixture that hold only part of its memory.

Environment: LOUPE_FIXTURES, LOUPE_FIXTURE, LOUPE_WORK (where the cores go, named by their style). Prints
"seed ADDR".
"""
import os
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import differential  # noqa: E402


def __lldb_init_module(debugger, _):
    debugger.SetAsync(False)
    program = os.path.join(os.environ["LOUPE_FIXTURES"], os.environ["LOUPE_FIXTURE"])
    _, process = differential.launch(debugger, program)
    frame = process.GetThreadAtIndex(0).GetFrameAtIndex(1)
    for style in ("stack", "modified-memory"):
        path = os.path.join(os.environ["LOUPE_WORK"], style)
        debugger.HandleCommand(f"process save-core --style {style} '{path}'")
    print("seed", hex(differential.addresses(frame, ["seed"])["seed"]))
    process.Kill()
