"""Images of memory with a block at their start, for fuzz_block.c: one line each."""
from typing import Dict

IMAGE = 0x10000
NAME_DISTANCE = 64  # from an address to its name
WITH_NAMES, HAS_LAYOUTS = 2, 0x40


class Image:
    def __init__(self, word: int) -> None:
        self.word = word
        self.data = bytearray(0x300)

    def put(self, offset: int, *words: int) -> None:
        for number, value in enumerate(words):
            start = offset + number * self.word
            self.data[start:start + self.word] = value.to_bytes(self.word, "little")

    def put_int(self, offset: int, value: int) -> None:
        self.data[offset:offset + 4] = value.to_bytes(4, "little")

    def put_bytes(self, offset: int, value: bytes) -> None:
        self.data[offset:offset + len(value)] = value

    def line(self, how: int) -> str:
        how |= 1 if self.word == 4 else 0
        return "".join(f"\\x{byte:02x}" for byte in bytes([how]) + bytes(self.data))


def block(flags: int, size: int, layout: object, captures: Dict[int, int], word: int = 8,
          name: bytes = b"", generic: int = 0, in_descriptor: int = 0) -> Image:
    """The block at 0, its descriptor at 0x100, strings from 0x200 on."""
    image = Image(word)
    image.put(0, 0x5000)
    image.put_int(word, flags)
    image.put(word + 8, 0x1f00, IMAGE + 0x100)
    descriptor = [in_descriptor, size]
    if flags & 1 << 25:
        descriptor += [IMAGE + 0x1a0, IMAGE + 0x1b0]
    descriptor += [IMAGE + 0x200, IMAGE + 0x210 if isinstance(layout, bytes) else int(str(layout))]
    image.put(0x100, *descriptor)
    image.put(0x100 - word, generic)
    image.put_bytes(0x100 + NAME_DISTANCE, name)
    image.put_bytes(0x200, b"v8@?0")
    if isinstance(layout, bytes):
        image.put_bytes(0x210, layout)
    for offset, value in captures.items():
        image.put(offset, value)
    return image


def byref(image: Image, offset: int, flags: int, size: int, rest: int) -> None:
    word = image.word
    image.put(offset, 0, IMAGE + offset)
    image.put_int(offset + 2 * word, flags)
    image.put_int(offset + 2 * word + 4, size)
    image.put(offset + 2 * word + 8, 1, 1, rest)


def main() -> None:
    strong = block(0xc3000002, 60, 0x111, {32: 0x10018, 40: IMAGE + 0x240, 48: 0x10008},
                   name=b"__block_descriptor_60_e8_32s40r48w_e5_v8\x01?0l")
    byref(strong, 0x240, 0x33000004, 48, 0x10018)
    record = block(0xc3000002, 40, 0x010, {32: IMAGE + 0x240})
    byref(record, 0x240, 0x13000004, 88, 0x201)
    text = block(0xc3000002, 72, b"\x30\x50\x20\x60\x30", {32: 0x10018})
    noescape = block(0xd0800000, 48, 0x110, {32: 0x10018, 40: IMAGE + 0x240})
    plain_c = block(0x42000000, 40, 0, {32: 0x10018})
    inline = block(0xc0000000, 56, 0x100, {32: 0x10018}, generic=0x1100, in_descriptor=0xc0008000)
    outside = block(0xc0000000, 56, 0x100, {32: 0x10018}, generic=IMAGE + 0x220,
                    in_descriptor=0xc000c000)
    outside.put_bytes(0x220, b"\x01\x30\x40\x50\x00")
    watch = block(0xc3000002, 32, 0x120, {20: 0x10018, 24: IMAGE + 0x240}, word=4,
                  name=b"__block_descriptor_32_e4_20s24r28r_e5_v4\x01?0l")
    byref(watch, 0x240, 0x33000004, 28, 0x10018)
    small = block(0xc2400000, 0, 0, {32: 0x10018})
    small.put_int(0x100, 0x80000000 | 48)
    small.put_int(0x104, 0xfc)
    small.put_int(0x108, 0x108)
    images = (strong, record, text, noescape, plain_c, inline, outside, watch, small)
    for image in images:
        for how in (HAS_LAYOUTS | WITH_NAMES | 0x20, HAS_LAYOUTS | 0x20, 0x10 | 0x80):
            print(image.line(how))


main()
