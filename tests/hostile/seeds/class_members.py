"""A small description of classes of C++ for fuzz_class_members.c, whole and damaged, one a line."""
import struct
from typing import Iterator

from block_variables import LOCATION, DATA_1, NAME, REF_4, TEXT, TYPE, kinds, packed, unit

SIZE = 0x0b


def whole() -> bytes:
    """A class with a base and a member in a namespace; one that is its own member."""
    abbreviations = kinds((0x11, True, []), (0x39, True, [(NAME, TEXT)]),
                          (0x02, True, [(NAME, TEXT), (SIZE, DATA_1)]),
                          (0x0d, False, [(NAME, TEXT), (TYPE, REF_4), (LOCATION, DATA_1)]),
                          (0x1c, False, [(TYPE, REF_4), (LOCATION, DATA_1)]))
    start = 11 + 1
    both = b"\x03Both\0\x10" + b"\x04own\0" + struct.pack("<I", start) + b"\x08" + b"\0"
    child = b"\x03Child\0\x20" + b"\x05" + struct.pack("<I", start) + b"\0" + \
        b"\x04parent\0" + struct.pack("<I", start) + b"\x10" + b"\0"
    body = b"\x01" + both + b"\x02app\0" + child + b"\0" + b"\0"
    return packed(unit(4, body), abbreviations, b"")


def seeds() -> Iterator[bytes]:
    good = whole()
    yield good
    for at in range(2, len(good), 3):
        yield good[:at] + b"\xff" + good[at + 1:]


if __name__ == "__main__":
    for seed in seeds():
        print("".join(f"\\x{byte:02x}" for byte in seed))
