"""Runs inside lldb: ends a long walk in every way there is, and watches for progress.

Environment: LOUPE_PLUGIN, LOUPE_PROGRAM, LOUPE_LINKS. Prints a line "NAME {answer}" for each way, then
"progress small N", "progress long N": the reports of progress that lldb broadcast, -1 where it has
none.
"""
import concurrent.futures
import os

import lldb

NO_PROGRESS = -1
WAIT = 20  # seconds at most


def tell(*what):
    print(*what, flush=True)  # before lldb tells of the end of the process, in the middle of a line


def ask(debugger, address, *options):
    result = lldb.SBCommandReturnObject()
    command = f"loupe-engine retain-cycles --address {address:#x} {' '.join(options)}"
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    return (result.GetOutput() or result.GetError()).strip()


def progress_listener(debugger):
    listener = lldb.SBListener("reports of progress")
    bits = lldb.SBDebugger.eBroadcastBitProgress | lldb.SBDebugger.eBroadcastBitExternalProgress
    debugger.GetBroadcaster().AddListener(listener, bits)
    return listener


def is_ours(event):
    title = lldb.SBDebugger.GetProgressDataFromEvent(event).GetValueForKey("title")
    return title.GetStringValue(100).startswith("Loupe")


def reports_of_progress(debugger, address, *options):
    if not hasattr(lldb, "SBProgress"):
        return NO_PROGRESS
    listener = progress_listener(debugger)
    ask(debugger, address, *options)
    count, event = 0, lldb.SBEvent()
    while listener.GetNextEvent(event):
        count += is_ours(event)
    return count


def interrupt_when_it_takes_long(debugger, address):
    """Asks in a thread of its own, as programs do that use lldb: where commands are typed, only
    Ctrl-C interrupts. When the walk begins to report progress, the interruption is requested."""
    listener, event = progress_listener(debugger), lldb.SBEvent()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask, debugger, address)
        while listener.WaitForEvent(WAIT, event) and not is_ours(event):
            pass
        debugger.RequestInterrupt()
        answer = asking.result()
    debugger.CancelInterruptRequest()
    return answer


def __lldb_init_module(debugger, _):
    debugger.SetAsync(False)
    debugger.HandleCommand(f"plugin load '{os.environ['LOUPE_PLUGIN']}'")
    target = debugger.CreateTarget(os.environ["LOUPE_PROGRAM"])
    debugger.SetSelectedTarget(target)
    target.BreakpointCreateByName("heap_ready")
    info = lldb.SBLaunchInfo([os.environ["LOUPE_LINKS"]])
    process = target.Launch(info, lldb.SBError())
    seed = process.GetThreadAtIndex(0).GetFrameAtIndex(0).FindVariable("seed").GetValueAsUnsigned()
    tell("whole", ask(debugger, seed))
    tell("limit", ask(debugger, seed, "--limit", "1000"))
    tell("bytes", ask(debugger, seed, "--max-bytes", str(1 << 20)))
    tell("no-bytes", ask(debugger, seed, "--max-bytes", "4096"))
    tell("timeout", ask(debugger, seed, "--timeout", "0.000001"))
    if hasattr(lldb, "SBProgress"):
        tell("interrupt", interrupt_when_it_takes_long(debugger, seed))
        tell("afterwards", ask(debugger, seed))
    tell("progress small", reports_of_progress(debugger, seed, "--limit", "100"))
    tell("progress long", reports_of_progress(debugger, seed))
    process.Kill()
