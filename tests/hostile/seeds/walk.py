"""Inputs of fuzz_walk.c: the picture as it is, by every question, and with a few words changed."""
import struct
from typing import Iterable, Tuple

QUERIES, FORMS = 4, 3
VALUE, ADDRESS, FLIP, SHIFT = range(4)


def line(query: int, form: int, records: Iterable[Tuple[int, int, int]] = ()) -> str:
    data = bytes([query + form * QUERIES])
    for place, mode, value in records:
        data += struct.pack("<HBQ", place, mode, value & (1 << 64) - 1)
    return "".join(f"\\x{byte:02x}" for byte in data)


def main() -> None:
    for form in range(FORMS):
        for query in range(QUERIES):
            print(line(query, form))
    for number in range(64):
        place = number * 151
        print(line(number % QUERIES, number % FORMS, [(place, number % 4, 1 << number)]))
        print(line(3, 0, [(place, SHIFT, 0x88), (place * 7 % 9973, ADDRESS, place), (place + 1, VALUE, 8)]))


main()
