"""Runs inside lldb: ends a long walk in every way there is, and watches for progress.

Environment: LOUPE_PLUGIN, LOUPE_PROGRAM, LOUPE_LINKS. Prints a line "NAME {answer}" for each way, then
"progress small N", "progress long N": the reports of progress that lldb broadcast, -1 where it has
none.
"""
import concurrent.futures
import os

import lldb

NO_PROGRESS = -1


def ask(debugger, address, *options):
    result = lldb.SBCommandReturnObject()
    command = f"loupe-engine retain-cycles --address {address:#x} {' '.join(options)}"
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    return (result.GetOutput() or result.GetError()).strip()


def ask_as_a_program(debugger, address):
    """In a thread of its own: where commands are typed, only Ctrl-C interrupts."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(ask, debugger, address).result()


def reports_of_progress(debugger, address, *options):
    if not hasattr(lldb, "SBProgress"):
        return NO_PROGRESS
    listener = lldb.SBListener("reports of progress")
    bits = lldb.SBDebugger.eBroadcastBitProgress | lldb.SBDebugger.eBroadcastBitExternalProgress
    broadcaster = debugger.GetBroadcaster()
    broadcaster.AddListener(listener, bits)
    ask(debugger, address, *options)
    count, event = 0, lldb.SBEvent()
    while listener.GetNextEvent(event):
        text = lldb.SBDebugger.GetProgressDataFromEvent(event)
        title = text.GetValueForKey("title").GetStringValue(100)
        count += title.startswith("Loupe")
    broadcaster.RemoveListener(listener, bits)
    return count


def __lldb_init_module(debugger, _):
    debugger.SetAsync(False)
    debugger.HandleCommand(f"plugin load '{os.environ['LOUPE_PLUGIN']}'")
    target = debugger.CreateTarget(os.environ["LOUPE_PROGRAM"])
    debugger.SetSelectedTarget(target)
    target.BreakpointCreateByName("heap_ready")
    info = lldb.SBLaunchInfo([os.environ["LOUPE_LINKS"]])
    process = target.Launch(info, lldb.SBError())
    seed = process.GetThreadAtIndex(0).GetFrameAtIndex(0).FindVariable("seed").GetValueAsUnsigned()
    print("whole", ask(debugger, seed))
    print("limit", ask(debugger, seed, "--limit", "1000"))
    print("bytes", ask(debugger, seed, "--max-bytes", str(1 << 20)))
    print("no-bytes", ask(debugger, seed, "--max-bytes", "4096"))
    print("timeout", ask(debugger, seed, "--timeout", "0.000001"))
    if hasattr(debugger, "RequestInterrupt"):
        debugger.RequestInterrupt()
        print("interrupt", ask_as_a_program(debugger, seed))
        debugger.CancelInterruptRequest()
        print("afterwards", ask_as_a_program(debugger, seed))
    print("progress small", reports_of_progress(debugger, seed, "--limit", "100"))
    print("progress long", reports_of_progress(debugger, seed))
    process.Kill()
