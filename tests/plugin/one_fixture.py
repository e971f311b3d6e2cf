"""Runs inside lldb: all questions about one fixture, asked of the plugin alone.

Environment: LOUPE_PLUGIN, LOUPE_FIXTURES, LOUPE_FIXTURE, LOUPE_CORE ("" for the live process). Prints
"answers " and {"QUERY EXPRESSION": answer} in one line.
"""
import json
import os
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import differential  # noqa: E402

EXPRESSIONS = ("seed", "block")


def stopped_frame(process):
    return next(
        thread.GetFrameAtIndex(1)
        for thread in process
        if thread.GetFrameAtIndex(0).GetFunctionName() == "loupe_fixture_ready"
    )


def __lldb_init_module(debugger, _):
    debugger.SetAsync(False)
    debugger.HandleCommand(f"plugin load '{os.environ['LOUPE_PLUGIN']}'")
    program = os.path.join(os.environ["LOUPE_FIXTURES"], os.environ["LOUPE_FIXTURE"])
    if os.environ["LOUPE_CORE"]:
        target = debugger.CreateTarget(program)
        process = target.LoadCore(os.environ["LOUPE_CORE"])
    else:
        target, process = differential.launch(debugger, program)
    debugger.SetSelectedTarget(target)
    frame = stopped_frame(process)
    names = [name for name in EXPRESSIONS if frame.FindVariable(name).IsValid()]
    found = differential.addresses(frame, names)
    answers = {
        f"{query} {name}": differential.ask_plugin(debugger, query, address)
        for name, address in found.items()
        for query in differential.QUERIES
    }
    print("answers", json.dumps(answers))
    process.Kill()
