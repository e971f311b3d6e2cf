"""Runs inside lldb: an ELF core of a fixture at its stop, for damaged_cores.py.

Environment: LOUPE_FIXTURES, LOUPE_GDB, LOUPE_CORE (to write). Prints "addresses A,B content N": the
objects to ask about and the file offset where the memory contents begin.
"""
import os
import struct
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import differential  # noqa: E402

PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
PT_LOAD = 1


def first_content_offset(path):
    with open(path, "rb") as file:
        header = file.read(64)
        (table,) = struct.unpack_from("<Q", header, 32)
        (count,) = struct.unpack_from("<H", header, 56)
        file.seek(table)
        entries = [PROGRAM_HEADER.unpack(file.read(PROGRAM_HEADER.size)) for _ in range(count)]
    return min(entry[2] for entry in entries if entry[0] == PT_LOAD and entry[5])


def __lldb_init_module(debugger, _):
    program = os.path.join(os.environ["LOUPE_FIXTURES"], "captures_mixed")
    path = os.environ["LOUPE_CORE"]
    differential.gcore(program, path)
    target = debugger.CreateTarget(program)
    process = target.LoadCore(path, lldb.SBError())
    frame = process.GetThreadAtIndex(0).GetFrameAtIndex(1)
    found = differential.addresses(frame, ("seed", "block"))
    print("addresses", ",".join(map(hex, found.values())), "content", first_content_offset(path))
