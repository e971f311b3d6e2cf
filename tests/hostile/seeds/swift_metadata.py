"""Memory at 0x10000 with metadata of Swift: a class in a class, a generic one, objects with their counts."""
import struct

BASE = 0x10000
MODULE, CLASS, STRUCT, GENERIC = 0, 16, 17, 0x80


class Image:
    def __init__(self):
        self.bytes = bytearray()

    def put(self, data):
        self.bytes += b"\0" * (-len(self.bytes) % 8)
        address = BASE + len(self.bytes)
        self.bytes += data
        return address

    def words(self, *values):
        return self.put(struct.pack(f"<{len(values)}Q", *values))

    def set_u32(self, place, value):
        struct.pack_into("<I", self.bytes, place - BASE, value & 0xffffffff)

    def context(self, flags, parent, name):
        at = self.put(bytes(80))
        text = self.put(name.encode() + b"\0")
        self.set_u32(at, flags)
        if parent:
            self.set_u32(at + 4, parent - (at + 4))
        self.set_u32(at + 8, text - (at + 8))
        return at

    def metadata(self, descriptor, superclass, *arguments):
        at = self.words(0, 0, 0, 0, superclass, 0, 0, 0, descriptor, 0, *arguments) + 24
        for offset, value in ((24, 24), (28, 7), (32, 24 + 56 + 16), (36, 24)):
            self.set_u32(at + offset, value)
        return at


made = Image()
feed, swift = made.context(MODULE, 0, "feed"), made.context(MODULE, 0, "Swift")
screen = made.context(CLASS, feed, "Screen")
base = made.metadata(screen, 0)
row = made.metadata(made.context(CLASS, screen, "Row"), base)
integer = made.words(0x200, made.context(STRUCT, swift, "Int"))
cache = made.context(CLASS | GENERIC, feed, "Cache")
for place, number in ((28, 8), (32, 1), (44 + 8, 1), (44 + 16, 0x80)):
    made.set_u32(cache + place, number)
generic = made.metadata(cache, 0, integer)
for isa in (base, row, generic, made.words(0x400), made.words(0x502)):
    made.words(isa, 3)
table = made.words(0, 0, 3, 2)
owner = made.words(base, 3 << 62 | table >> 3)
struct.pack_into("<Q", made.bytes, table - BASE, owner)
print("".join(f"\\x{byte:02x}" for byte in made.bytes))
