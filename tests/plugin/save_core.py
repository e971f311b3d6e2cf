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
PT_LOAD, PT_NOTE = 1, 4
OFFSET = 2  # the field of a program header that says where in the file its bytes are
CLASS_MASK = 0x00007FFFFFFFFFF8  # the class in a packed isa


def program_headers(core):
    """The program headers of an ELF file, each a list of its fields, and where they stand."""
    (table,) = struct.unpack_from("<Q", core, 32)
    (count,) = struct.unpack_from("<H", core, 56)
    places = [table + i * PROGRAM_HEADER.size for i in range(count)]
    return [list(PROGRAM_HEADER.unpack_from(core, place)) for place in places], places


def put_notes_first(path):
    """Moves the notes (threads, images) before the memory, as the kernel writes them: where such a
    core is cut off, memory is missing, while without notes lldb loads no core at all."""
    with open(path, "rb") as file:
        core = bytearray(file.read())
    headers, places = program_headers(core)
    notes = next(header for header in headers if header[0] == PT_NOTE)
    moved = core[notes[OFFSET] : notes[OFFSET] + notes[5]]
    start = min(header[OFFSET] for header in headers if header[0] == PT_LOAD)
    for header, place in zip(headers, places):
        header[OFFSET] = start if header is notes else header[OFFSET] + len(moved)
        PROGRAM_HEADER.pack_into(core, place, *header)
    struct.pack_into("<Q", core, 40, 0)  # no sections
    struct.pack_into("<HHH", core, 58, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(core[:start] + moved + core[start:])


def segments(path):
    """(address, file offset, size) of each piece of memory in the core."""
    with open(path, "rb") as file:
        headers, _ = program_headers(file.read())
    return [(entry[3], entry[2], entry[5]) for entry in headers if entry[0] == PT_LOAD and entry[5]]


def __lldb_init_module(debugger, _):
    program = os.path.join(os.environ["LOUPE_FIXTURES"], os.environ["LOUPE_FIXTURE"])
    path = os.environ["LOUPE_CORE"]
    differential.gcore(program, path)
    put_notes_first(path)
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
