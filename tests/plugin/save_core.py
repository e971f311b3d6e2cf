"""Runs inside lldb: an ELF core of a fixture at its stop.

Environment: LOUPE_FIXTURES, LOUPE_FIXTURE, LOUPE_GDB, LOUPE_CORE (to write). Prints "addresses A,B
ranges M-N,O-P": the objects to ask about and where, in the file, the memory lies that Loupe reads
and lldb itself does not: the heap and the classes of the program. (lldb 22 ends when it loads a core
whose list of images is damaged.)
"""
import os
import struct
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import differential  # noqa: E402

PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
PT_LOAD = 1
CLASS_MASK = 0x00007FFFFFFFFFF8  # the class in a packed isa


def segments(path):
    """(address, file offset, size) of each piece of memory in the core."""
    with open(path, "rb") as file:
        header = file.read(64)
        (table,) = struct.unpack_from("<Q", header, 32)
        (count,) = struct.unpack_from("<H", header, 56)
        file.seek(table)
        entries = [PROGRAM_HEADER.unpack(file.read(PROGRAM_HEADER.size)) for _ in range(count)]
    return [(entry[3], entry[2], entry[5]) for entry in entries if entry[0] == PT_LOAD and entry[5]]


def __lldb_init_module(debugger, _):
    program = os.path.join(os.environ["LOUPE_FIXTURES"], os.environ["LOUPE_FIXTURE"])
    path = os.environ["LOUPE_CORE"]
    differential.gcore(program, path)
    target = debugger.CreateTarget(program)
    process = target.LoadCore(path, lldb.SBError())
    frame = process.GetThreadAtIndex(0).GetFrameAtIndex(1)
    found = differential.addresses(frame, ("seed", "block"))
    seed_class = process.ReadUnsignedFromMemory(found["seed"], 8, lldb.SBError()) & CLASS_MASK
    ranges = {
        f"{offset}-{offset + size}"
        for address, offset, size in segments(path)
        for wanted in (*found.values(), seed_class)
        if address <= wanted < address + size
    }
    print("addresses", ",".join(map(hex, found.values())), "ranges", ",".join(sorted(ranges)))
