"""Runs inside lldb: a minidump of a fixture at its stop, by lldb itself.

Environment: LOUPE_FIXTURES, LOUPE_FIXTURE, LOUPE_CORE (to write). Prints the same line as save_core.py:
the objects to ask about and where, in the file, the memory lies that they and their classes are in.
"""
import os
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import differential  # noqa: E402
from save_core import CLASS_MASK  # noqa: E402


def place_in_file(process, address, dump):
    """START-END of the region of an address, found by what it holds."""
    region = lldb.SBMemoryRegionInfo()
    process.GetMemoryRegionInfo(address, region)
    start, end = region.GetRegionBase(), region.GetRegionEnd()
    offset = dump.find(process.ReadMemory(start, end - start, lldb.SBError()))
    if offset < 0:
        raise differential.Problem(f"the minidump lacks {start:#x}")
    return f"{offset}-{offset + end - start}"


def __lldb_init_module(debugger, _):
    debugger.SetAsync(False)
    program = os.path.join(os.environ["LOUPE_FIXTURES"], os.environ["LOUPE_FIXTURE"])
    _, process = differential.launch(debugger, program)
    found = differential.addresses(process.GetThreadAtIndex(0).GetFrameAtIndex(1), ("seed", "block"))
    seed_class = process.ReadPointerFromMemory(found["seed"], lldb.SBError()) & CLASS_MASK
    error = process.SaveCore(os.environ["LOUPE_CORE"])
    if error.Fail():
        raise differential.Problem(f"no minidump: {error}")
    with open(os.environ["LOUPE_CORE"], "rb") as file:
        dump = file.read()
    ranges = {place_in_file(process, at, dump) for at in (*found.values(), seed_class)}
    print("addresses", ",".join(map(hex, found.values())), "ranges", ",".join(sorted(ranges)))
    process.Kill()
