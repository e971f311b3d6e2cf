"""Changes to the file of a snapshot, each followed by the heap dump that the file is made of, for
fuzz_loupe_file.c: one line each."""
import struct

from hprof import android, line, ring

SECTIONS, SECTIONS_OF_HEAPS = 28, 2

if __name__ == "__main__":
    dump = ring(4).bytes()
    print(line(b"\x00" + dump))
    for place in (8, 12, 16, 32, 36, 40, 48, 56, 64):
        print(line(b"\x01" + struct.pack("<HHI", place, 0, 0x7fffffff) + dump))
    for section in range(SECTIONS + SECTIONS_OF_HEAPS):
        made_of = dump if section < SECTIONS else android().bytes()
        for value in (1, 0xffffffff, 0x7fffff):
            print(line(b"\x01" + struct.pack("<HHI", 4, section << 8 | 1, value) + made_of))
