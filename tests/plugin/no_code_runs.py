"""Runs inside lldb: proves that the engine changes nothing in the process that it asks about.

Environment: LOUPE_PLUGIN, LOUPE_FIXTURE, LOUPE_MEDDLE (empty, or a command of lldb to run between two
questions: what must be noticed). Compares threads and all their registers, stop id (expressions
count), retain counts and all writable memory before and after every question.
"""
import hashlib
import os

import lldb

QUERIES = (
    "retain-cycles", "strong-refs", "ivar-layout", "block-layout", "incoming-refs",
    'incoming-refs --with "root given {0:#x};scan stack {1:#x} {2:#x}"',
)  # fmt: skip


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
        (thread.GetThreadID(), thread.GetStopReason(), [str(r) for r in thread.frames[0].registers])
        for thread in process
    ]


def retain_counts(process, addresses):
    """Of objects in the runtime's packed isa, of blocks in their flags: both are in two words."""
    return [process.ReadMemory(address, 16, lldb.SBError()) for address in addresses]


def picture(process, addresses):
    return {
        "threads": threads(process),
        "stop id": process.GetStopID(True),
        "retain counts": retain_counts(process, addresses),
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
    stack = frame.GetSP()
    interpreter = debugger.GetCommandInterpreter()
    before = picture(process, addresses)
    asked = 0
    for address in addresses:
        for query in QUERIES:
            result = lldb.SBCommandReturnObject()
            query = query.format(addresses[0], stack, stack + 0x100)
            name, _, rest = query.partition(" ")
            command = f"loupe-engine {name} --address {address:#x} {rest}"
            interpreter.HandleCommand(command, result)
            asked += result.Succeeded()
        if os.environ["LOUPE_MEDDLE"]:
            context = lldb.SBExecutionContext(frame)
            result = lldb.SBCommandReturnObject()
            interpreter.HandleCommand(os.environ["LOUPE_MEDDLE"], context, result)
    after = picture(process, addresses)
    changed = [what for what in before if before[what] != after[what]]
    regions = len(before["memory"])
    print(f"asked {asked} of {len(addresses) * len(QUERIES)} questions; {regions} writable regions; changed: {', '.join(changed) or 'nothing'}")
    process.Kill()
