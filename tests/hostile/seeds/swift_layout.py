"""Memory at 0x10000 with what layouts of Swift are computed from: a class with fields of many types, a closure's
captures, an array's storage; names of types one by one; symbols of closures."""
import struct

BASE = 0x10000
MODULE, CLASS, STRUCT, ENUM = 0, 16, 17, 18
TYPES = [b"\1%", b"\1%SgXw", b"yycSg", b"SaySiG", b"SS_\1%Sgt", b"yp", b"s5Error_p", b"\1%y\1%G", b"x",
         b"SDySSSiGSg", b"S2i_SSt", b"SiSSIegyg_Sg", b"\1%z_Xx", b"ScTyyts5NeverOG"]


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

    def relative(self, place, to):
        self.set_u32(place, to - place)

    def context(self, flags, parent, name):
        at = self.put(bytes(48))
        self.set_u32(at, flags)
        if parent:
            self.relative(at + 4, parent)
        self.relative(at + 8, self.put(name + b"\0"))
        return at

    def name(self, text, to):
        at = self.put(text.replace(b"\1%", b"\1\0\0\0\0") + b"\0")
        for i in range(len(self.bytes) - (at - BASE)):
            if self.bytes[at - BASE + i] == 1:
                self.relative(at + i + 1, to)
        return at

    def records(self, descriptor, shape, types, to):
        at = self.put(bytes(16 + 12 * len(types)))
        self.relative(descriptor + 16, at)
        self.set_u32(at + 8, shape | 12 << 16)
        self.set_u32(at + 12, len(types))
        for i, text in enumerate(types):
            record = at + 16 + 12 * i
            self.relative(record + 4, self.name(text, to))
            self.relative(record + 8, self.put(b"f\0"))


def show(data):
    print("".join(f"\\x{byte:02x}" for byte in data))


made = Image()
metadata = made.words(*[0] * 28) + 24
made.words(metadata, 3, *[metadata] * 8)
feed = made.context(MODULE, 0, b"feed")
screen, style, state = (made.context(kind, feed, b"S") for kind in (CLASS, STRUCT, ENUM))
made.records(style, 0, [b"Sb", b"\1%Sg"], screen)
made.set_u32(style + 20, 2)
made.records(state, 3, [b"\1%", b"\1%_Sit"], screen)
made.set_u32(state + 20, 2)
fields = TYPES[:6]
made.records(screen, 1, fields, style)
for place, value in ((36, len(fields)), (40, 10)):
    made.set_u32(screen + place, value)
for offset, value in ((24, 96), (28, 7), (32, 24 + 56 + 96), (36, 24), (40, screen)):
    made.set_u32(metadata + offset, value)
for i in range(len(fields)):
    made.set_u32(metadata + 80 + 8 * i, 16 + 8 * i)
show(made.bytes)

made = Image()
metadata = made.words(0x400, 16, 0)
made.words(metadata, 3, *[metadata] * 8)
captures = made.put(bytes(12 + 4 * len(TYPES)))
made.set_u32(captures, len(TYPES))
cls = made.context(CLASS, made.context(MODULE, 0, b"m"), b"C")
for i, text in enumerate(TYPES):
    made.relative(captures + 12 + 4 * i, made.name(text, cls))
made.set_u32(metadata + 16, captures)
show(made.bytes)

for text in TYPES:
    show(text.replace(b"\1%", b"\1\x10\0\0\0") + bytes(32))
for symbol in (b"$s4feed10FeedScreenC4bindyyFyycfU_TA", b"$s4main04FeedA0C5outer5titleySS_SitFyycfU0_yycfU_",
               b"$sxIegn_xytIegnr_lTRTA"):
    show(symbol)
