"""Small tables of lines for fuzz_lines.c, one a line: versions 2 to 5, of 32 and of 64 bits."""
import struct
from typing import Iterator, Optional

OPERANDS = bytes((0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1))
# At 0x10: line 3; advanced by a special opcode, by the constant, by a fixed number; file 1; the end.
PROGRAM = (b"\0\x09\x02" + struct.pack("<Q", 0x10) + b"\x03\x02\x01\x4b\x08\x02\x04\x01\x09\x06\0"
           b"\x04\x01\x05\x07\x06\x07\x03\x7e\x01\x02\x08\0\x01\x01")
STRINGS = b"/build\0src\0a.c\0"


def names(version: int, wide: bool) -> bytes:
    if version < 5:
        return b"src\0include\0\0" + b"a.c\0\x01\0\0" + b"b.h\0\x02\x05\x06" + b"\0"
    offset = "<Q" if wide else "<I"
    folders = b"\x01\x01\x1f\x02" + struct.pack(offset, 0) + struct.pack(offset, 7)
    files = (b"\x03\x01\x0e\x02\x0b\x05\x1e\x02" + struct.pack(offset, 11) + b"\x01" + bytes(16) +
             struct.pack(offset, 11) + b"\0" + bytes(16))
    inline = b"\x01\x01\x08\x01/build\0" + b"\x02\x01\x08\x02\x0f\x01a.c\0\0"
    return inline if wide else folders + files


def table(version: int, wide: bool, header: Optional[int] = None) -> bytes:
    body = b"\x01" + (b"\x01" if version >= 4 else b"") + b"\x01\xfb\x0e\x0d" + OPERANDS + \
        names(version, wide)
    number = "<Q" if wide else "<I"
    made = struct.pack("<H", version) + (b"\x08\0" if version == 5 else b"") + \
        struct.pack(number, len(body) if header is None else header) + body + PROGRAM
    return (b"\xff\xff\xff\xff" if wide else b"") + struct.pack(number, len(made)) + made


def tables() -> Iterator[bytes]:
    for version in (2, 3, 4, 5):
        for wide in (False, True):
            yield table(version, wide) * 2
        yield table(version, False, 0)  # its program begins before its lists of names
        yield table(version, False, 18)


def seeds() -> Iterator[bytes]:
    for lines in tables():
        # As much of the whole as the first byte can say, with a table that may lose its end.
        whole = len(lines) + len(STRINGS)
        part = -(-len(lines) * 255 // whole)
        padding = whole * part // 255 - len(lines)
        yield bytes([part]) + lines + bytes(padding) + STRINGS


for seed in seeds():
    print("".join(f"\\x{byte:02x}" for byte in seed))
