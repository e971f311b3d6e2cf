"""Small descriptions of classes for fuzz_ivar_lines.c, one a line: of gcc, version 4, and of clang,
version 5."""
import struct
from typing import Iterator, List, Tuple

from block_variables import kinds, unit

NAME, LINES, LANGUAGE, ARTIFICIAL, FILE, LINE = 0x03, 0x10, 0x13, 0x34, 0x3a, 0x3b
STRING_OFFSETS, RUNTIME = 0x72, 0x3fe6
TEXT, DATA_1, OFFSET, FLAG, TEXT_1 = 0x08, 0x0b, 0x17, 0x19, 0x25
OPERANDS = bytes((0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1))
Parts = Tuple[bytes, bytes, bytes, bytes]


def table(version: int, names: bytes) -> bytes:
    body = b"\x01\x01\x01\xfb\x0e\x0d" + OPERANDS + names
    made = struct.pack("<H", version) + (b"\x08\0" if version == 5 else b"") + \
        struct.pack("<I", len(body)) + body
    return struct.pack("<I", len(made)) + made


def gcc() -> Parts:
    """A class whose first member is its superclass, and a structure of C, which is none."""
    abbreviations = kinds((0x11, True, [(LANGUAGE, DATA_1), (LINES, OFFSET)]),
                          (0x13, True, [(NAME, TEXT)]), (0x0d, False, [(ARTIFICIAL, FLAG)]),
                          (0x0d, False, [(NAME, TEXT), (FILE, DATA_1), (LINE, DATA_1)]))
    body = b"\x01\x10" + struct.pack("<I", 0) + \
        b"\x02Mail\0" + b"\x03" + b"\x04delegate\0\x01\x05" + b"\x04_title\0\x01\x06" + b"\0" + \
        b"\x02node\0" + b"\x04next\0\x01\x09" + b"\0" + b"\0"
    lines = table(4, b"src\0\0" + b"Mail.m\0\x01\0\0" + b"\0")
    return unit(4, body), abbreviations, lines, b""


def clang() -> Parts:
    """Texts by number, the class marked as one of the runtime's."""
    texts = b"Feed\0items\0"
    rest = texts + struct.pack("<II", 0, 5)
    code = b"\x01\x13\x01" + bytes((NAME, TEXT_1)) + b"\xe6\x7f\x0b" + b"\0\0"
    abbreviations = kinds((0x11, True, [(LANGUAGE, DATA_1), (LINES, OFFSET),
                                        (STRING_OFFSETS, OFFSET)]))[:-1] + \
        b"\x02" + code[1:] + b"\x03\x0d\x00" + \
        bytes((NAME, TEXT_1, FILE, DATA_1, LINE, DATA_1)) + b"\0\0\0"
    body = b"\x01\x10" + struct.pack("<II", 0, len(texts)) + b"\x02\x00\x10" + \
        b"\x03\x01\x00\x07" + b"\0" + b"\0"
    lines = table(5, b"\x01\x01\x08\x01/build\0" + b"\x02\x01\x08\x02\x0b\x01Feed.m\0\0")
    return unit(5, body), abbreviations, lines, rest


def packed(parts: Parts) -> bytes:
    """With the three bytes in front that say how long the parts are; each is made longer to fit."""
    for tail in range(1, 600):
        left = sum(map(len, parts)) + tail
        made, shares = b"", []
        for part in parts[:3]:
            share = -(-len(part) * 255 // left)
            length = left * share // 255
            shares.append(share)
            made += part + bytes(length - len(part))
            left -= length
        if left >= len(parts[3]) and max(shares) < 256:
            return bytes(shares) + made + parts[3] + bytes(left - len(parts[3]))
    raise ValueError("no such lengths")


def seeds() -> Iterator[bytes]:
    made: List[bytes] = [packed(gcc()), packed(clang())]
    for good in made:
        yield good
        for at in range(3, len(good), 3):
            yield good[:at] + b"\xff" + good[at + 1:]


if __name__ == "__main__":
    for seed in seeds():
        print("".join(f"\\x{byte:02x}" for byte in seed))
