"""Small unwind tables for fuzz_unwind.c, one a line: .eh_frame with and without an index, compact
unwind of both machines, code at its beginning and at its end."""
import struct
from typing import Iterator

SIZE = 2048
START = 0x10000
INDEX, COMPACT, FUNCTIONS, INTERRUPTED = 1, 2, 4, 1
# Registers lie so many 240ths of the input from its beginning: code, then stack.
PLACES = bytes((1, 100, 104, 108, 112, 1))


def entry(program: bytes, frames: int) -> bytes:
    common = b"\x01zR\0\x01\x78\x10\x01\0\x0c\x07\x08\x90\x01" + bytes(2)
    made = struct.pack("<II", 4 + len(common), 0) + common
    body = struct.pack("<I", len(made) + 4) + struct.pack("<QQ", START, SIZE) + b"\0" + program
    return made + struct.pack("<I", len(body)) + body + bytes(4)


def call_frames(program: bytes, with_index: bool) -> bytes:
    at = 64 if with_index else SIZE * 6 // 8
    made = bytearray(SIZE)
    if with_index:
        struct.pack_into("<BBBBiiii", made, 0, 1, 0x1b, 3, 0x3b, at - 4, 1, 0, at + 24)
    table = entry(program, at)
    made[at:at + len(table)] = table
    return bytes(made)


def compact(first: int, common: int, code: bytes) -> bytes:
    made = bytearray(SIZE)
    at = SIZE * 2 // 8
    struct.pack_into("<17I", made, at, 1, 28, 1, 32, 0, 32, 3, common, 0, 128, 0, 0x200, 256, 0,
                     SIZE, 0, 0)
    struct.pack_into("<IHHIIII", made, at + 128, 2, 8, 2, 0, first, 0x100, common)
    struct.pack_into("<IHHHHIII", made, at + 256, 3, 12, 2, 20, 1, 0, 0x01000100, first)
    made[:len(code)] = code
    starts = SIZE * 5 // 8
    made[starts:starts + 3] = b"\x08\x20\x80"
    return bytes(made)


def seeds() -> Iterator[bytes]:
    for program in (b"\x41\x0e\x10\x86\x02\x43\x0d\x06", b"\x0a\x0e\x40\x0b\xc0\x0f\x03\x77\x08\x06",
                    b"\x10\x03\x03\x11\x08\x22\x16\x10\x02\x77\x00\x2d\x07\x10",
                    b"\x0e\x10\x87\x01"):  # the stack pointer from memory
        for with_index in (True, False):
            yield bytes((INDEX if with_index else 0, INTERRUPTED)) + PLACES + \
                call_frames(program, with_index)
    x86 = b"\x55\x48\x89\xe5\x41\x57\x48\x83\xec\x28\xe8\0\0\0\0\x48\x83\xc4\x28\x41\x5f\x5d\xc3"
    arm = struct.pack("<7I", 0xd10083ff, 0xa9014ff4, 0xa9027bfd, 0x910083fd, 0x94000000, 0xa9427bfd,
                      0xd65f03c0)
    for first, common, code in ((0x01020011, 0x02050801, x86), (0x03022801, 0x04000100, x86),
                                (0x04000003, 0x02003000, arm), (0x03000100, 0x02001001, arm)):
        for flags in (COMPACT, COMPACT | FUNCTIONS):
            yield bytes((flags, INTERRUPTED)) + PLACES + compact(first, common, code)
            yield bytes((flags, 0)) + PLACES + compact(first, common, code)


for seed in seeds():
    print("".join(f"\\x{byte:02x}" for byte in seed))
