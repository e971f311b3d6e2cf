"""Inputs of fuzz_walk.c: the picture as it is, by every question, and with a few words changed; and
texts of arguments."""
import struct
from typing import Iterable, Tuple

QUERIES, FORMS, TEXT = 5, 3, 0x40
VALUE, ADDRESS, FLIP, SHIFT = range(4)


def line(query: int, form: int, records: Iterable[Tuple[int, int, int]] = ()) -> str:
    data = bytes([query + form * QUERIES])
    for place, mode, value in records:
        data += struct.pack("<HBQ", place, mode, value & (1 << 64) - 1)
    return "".join(f"\\x{byte:02x}" for byte in data)


ARGUMENTS = (
    "explain;scan data 0x10000 0x12000;root given 0x10040;scan stack 0x20000 0x20010",
    "filter UIView _a%5B1%5D * why%20not;filter * * B b;no-filters",
    "scan register 0x0 0xfffff000;root data 0x",
    "scan data 0x10000 0xfffffffffffffff0",
    ";;  filter % %2 %zz ;meaning of life",
    "ref 0x10040 ivar strong debug-info 0x7f00 0x10080 _v[0];read 0x10048;list 1",
    "survey;list 5",
)


def text(query: int, arguments: str) -> str:
    first = next(byte for byte in range(TEXT, TEXT + QUERIES) if byte % QUERIES == query)
    return f"\\x{first:02x}{arguments}"


def main() -> None:
    for arguments in ARGUMENTS:
        for query in range(2, QUERIES):
            print(text(query, arguments))
    for form in range(FORMS):
        for query in range(QUERIES):
            print(line(query, form))
    for number in range(64):
        place = number * 151
        print(line(number % QUERIES, number % FORMS, [(place, number % 4, 1 << number)]))
        print(line(3, 0, [(place, SHIFT, 0x88), (place * 7 % 9973, ADDRESS, place), (place + 1, VALUE, 8)]))


main()
