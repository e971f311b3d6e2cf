"""Memory at 0x10000 with classes of C++: a root, one base, several, one that is its own base."""
import struct

BASE = 0x10000
KINDS = ["N10__cxxabiv117__class_type_infoE", "N10__cxxabiv120__si_class_type_infoE",
         "N10__cxxabiv121__vmi_class_type_infoE"]


class Image:
    def __init__(self, word):
        self.word, self.bytes = word, bytearray()

    def put(self, data):
        self.bytes += b"\0" * (-len(self.bytes) % 8)
        address = BASE + len(self.bytes)
        self.bytes += data
        return address

    def words(self, *values):
        return self.put(b"".join(struct.pack("<Q" if self.word == 8 else "<I", value)
                                 for value in values))

    def text(self, name):
        return self.put(name.encode() + b"\0")

    def vtable(self, typeinfo):
        return self.words(0, typeinfo, 0x5000, 0x5010) + 2 * self.word


def image(word):
    made = Image(word)
    root, single, several = (made.vtable(made.words(0x4242, made.text(name))) for name in KINDS)
    session = made.words(root, made.text("7Session"))
    special = made.words(single, made.text("7Special"), session)
    both = made.words(several, made.text("4Both"))
    made.put(struct.pack("<II", 0, 2))
    made.words(session, 2, special, 16 << 8 | 2)
    own = made.words(single, made.text("4Self"), 0)
    place = own - BASE + 2 * word
    made.bytes[place:place + word] = own.to_bytes(word, "little")
    for typeinfo in (session, special, both, own):
        made.vtable(typeinfo)
    return bytes([word == 4]) + bytes(made.bytes)


for size in (8, 4):
    print("".join(f"\\x{byte:02x}" for byte in image(size)))
