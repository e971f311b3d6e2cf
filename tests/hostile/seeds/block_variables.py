"""Small descriptions of block literals for fuzz_block_variables.c, one a line: versions 4 and 5."""
import struct
from typing import Iterator, List, Tuple

Attribute = Tuple[int, int]
NAME, LOW_PC, LOCATION, TYPE, STRING_OFFSETS, ADDRESSES = 0x03, 0x11, 0x38, 0x49, 0x72, 0x73
ADDRESS, TEXT, DATA_1, REF_4, OFFSET, TEXT_1, ADDRESS_X = 0x01, 0x08, 0x0b, 0x13, 0x17, 0x25, 0x1b
CONSTANT = 0x21


def kinds(*wanted: Tuple[int, bool, List[Attribute]]) -> bytes:
    made = b""
    for code, (tag, children, attributes) in enumerate(wanted, start=1):
        made += bytes((code, tag, children))
        for attribute, form in attributes:
            made += bytes((attribute, form)) + (b"\x20" if form == CONSTANT else b"")
        made += b"\0\0"
    return made + b"\0"


def unit(version: int, body: bytes) -> bytes:
    header = struct.pack("<H", version)
    header += b"\x01\x08" + struct.pack("<I", 0) if version == 5 else struct.pack("<I", 0) + b"\x08"
    return struct.pack("<I", len(header) + len(body)) + header + body


def version_4() -> bytes:
    """A function, its parameter, a pointer, a structure with a member."""
    abbreviations = kinds((0x11, True, []), (0x2e, True, [(LOW_PC, ADDRESS)]),
                          (0x05, False, [(NAME, TEXT), (TYPE, REF_4)]), (0x0f, False, [(TYPE, REF_4)]),
                          (0x13, True, []), (0x0d, False, [(NAME, TEXT), (LOCATION, DATA_1)]))
    start = 11 + 1
    function = b"\x02" + struct.pack("<Q", 0x1000)
    parameter_size = 1 + len(b".block_descriptor\0") + 4
    pointer = start + len(function) + parameter_size + 1
    body = b"\x01" + function + b"\x03.block_descriptor\0" + struct.pack("<I", pointer) + b"\0" + \
        b"\x04" + struct.pack("<I", pointer + 5) + b"\x05" + b"\x06__isa\0\x00" + b"\x06self\0\x20" + \
        b"\0" + b"\0"
    return packed(unit(4, body), abbreviations, b"")


def version_5() -> bytes:
    """Texts and addresses by number, a location in the abbreviation."""
    texts = b".block_descriptor\0me\0"
    rest = texts + struct.pack("<II", 0, 18) + struct.pack("<Q", 0x2000)
    abbreviations = kinds((0x11, True, [(STRING_OFFSETS, OFFSET), (ADDRESSES, OFFSET)]),
                          (0x2e, True, [(LOW_PC, ADDRESS_X)]),
                          (0x05, False, [(NAME, TEXT_1), (TYPE, REF_4)]), (0x0f, False, [(TYPE, REF_4)]),
                          (0x13, True, []), (0x0d, False, [(NAME, TEXT_1), (LOCATION, CONSTANT)]))
    pointer = 12 + 9 + 2 + 6 + 1
    body = b"\x01" + struct.pack("<II", len(texts), len(texts) + 8) + b"\x02\x00" + \
        b"\x03\x00" + struct.pack("<I", pointer) + b"\0" + b"\x04" + struct.pack("<I", pointer + 5) + \
        b"\x05" + b"\x06\x01" + b"\0" + b"\0"
    return packed(unit(5, body), abbreviations, rest)


def packed(info: bytes, abbreviations: bytes, rest: bytes) -> bytes:
    """With the two bytes in front that say how long the parts are; rest is made longer to fit."""
    for tail in range(256):
        whole = len(info) + len(abbreviations) + len(rest) + tail
        for first in range(256):
            if whole * first // 255 != len(info):
                continue
            left = whole - len(info)
            for second in range(256):
                if left * second // 255 == len(abbreviations):
                    return bytes((first, second)) + info + abbreviations + rest + bytes(tail)
    raise ValueError("no such lengths")


def seeds() -> Iterator[bytes]:
    for good in (version_4(), version_5()):
        yield good
        for at in range(2, len(good), 3):
            yield good[:at] + b"\xff" + good[at + 1:]


if __name__ == "__main__":
    for seed in seeds():
        print("".join(f"\\x{byte:02x}" for byte in seed))
