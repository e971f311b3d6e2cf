"""Runs inside lldb: proves that the engine changes nothing in the process that it asks about.

Environment: LOUPE_PLUGIN, LOUPE_FIXTURE. Compares threads, stop id (expressions count) and all
writable memory, retain counts included, before and after every question.
"""
import hashlib
import os

import lldb

QUERIES = ("retain-cycles", "strong-refs", "ivar-layout", "block-layout")


def writable_memory(process):
    """A digest for each writable region."""
    digests = {}
    regions = process.GetMemoryRegions()
    info = lldb.SBMemoryRegionInfo()
    for i in range(regions.GetSize()):
        regions.GetMemoryRegionAtIndex(i, info)
        if info.IsReadable() and info.IsWritable():
            start, size = info.GetRegionBase(), info.GetRegionEnd() - info.GetRegionBase()
            content = process.ReadMemory(start, size, lldb.SBError())
            digests[start, size] = hashlib.sha256(content or b"").hexdigest()
    return digests


def threads(process):
    return [
        (thread.GetThreadID(), [str(r) for f in thread.get_thread_frames()[:1] for r in f.registers])
        for thread in process
    ]


def picture(process):
    return {
        "threads": threads(process),
        "stop id": process.GetStopID(True),
        "memory": writable_memory(process),
    }


def __lldb_init_module(debugger, _):
    debugger.SetAsync(False)
    debugger.HandleCommand(f"plugin load '{os.environ['LOUPE_PLUGIN']}'")
    target = debugger.CreateTarget(os.environ["LOUPE_FIXTURE"])
    target.BreakpointCreateByName("loupe_fixture_ready")
    error = lldb.SBError()
    process = target.Launch(target.GetLaunchInfo(), error)
    frame = process.GetThreadAtIndex(0).GetFrameAtIndex(1)
    addresses = [
        frame.FindVariable(name).GetData().GetUnsignedInt64(lldb.SBError(), 0)
        for name in ("seed", "block")
        if frame.FindVariable(name).IsValid()
    ]
    before = picture(process)
    asked = 0
    for address in addresses:
        for query in QUERIES:
            result = lldb.SBCommandReturnObject()
            command = f"loupe-engine {query} --address {address:#x}"
            debugger.GetCommandInterpreter().HandleCommand(command, result)
            asked += result.Succeeded()
    after = picture(process)
    changed = [what for what in before if before[what] != after[what]]
    regions = len(before["memory"])
    print(f"asked {asked} questions; {regions} writable regions; changed: {changed or 'nothing'}")
    process.Kill()
