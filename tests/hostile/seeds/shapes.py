"""Memory at 0x10000 with headers and nodes of C++'s libraries, each of 72 bytes; one that leads to
itself."""
import struct

BASE = 0x10000
SIZE = 72
ONE = 0x3f800000  # a load factor


def image(word):
    pieces = []

    def put(*values):
        pieces.append(b"".join(struct.pack("<Q" if word == 8 else "<I", value % 2 ** (8 * word))
                               for value in values).ljust(2 * SIZE, b"\0"))
        return BASE + 2 * SIZE * (len(pieces) - 1)

    storage = put(1, 2, 3)
    put(storage, storage + 16, storage + SIZE)
    put(storage, 40, SIZE - 1)
    put(SIZE | 1, 40, storage)
    put(storage, SIZE // word, storage, 1, ONE)
    put(storage, storage, storage + word, storage + SIZE, 0, 1)
    own = put()
    pieces.pop()
    put(own, own)
    own = put()
    pieces.pop()
    put(1, own, 0, 0)
    own = put()
    pieces.pop()
    put(0, 0, own, 1)
    return bytes([word == 4, (SIZE - 8) // 2]) + b"".join(pieces)


for size in (8, 4):
    print("".join(f"\\x{byte:02x}" for byte in image(size)))
