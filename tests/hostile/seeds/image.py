"""Small images for fuzz_image.c, one a line: ELF and Mach-O of 32 and of 64 bits, with all that its
reader looks at, each as loaded where its file says and elsewhere."""
import struct
from typing import Iterator, List, Tuple

PAGE = 0x1000


def hash_of(name: bytes) -> int:
    value = 5381
    for byte in name:
        value = (value * 33 + byte) & 0xffffffff
    return value


def elf(word: int) -> bytes:
    """The header, segments, then one page of tables that are all in one loaded segment."""
    wide = word == 8
    pack = struct.pack
    strings = b"\0exported\0local@@V1\0"
    symbol = (lambda name, info, section, value, size:
              pack("<IBBHQQ", name, info, 0, section, value, size) if wide else
              pack("<IIIBBH", name, value, size, info, 0, section))
    symbols = symbol(0, 0, 0, 0, 0) + symbol(1, 0x12, 1, 0x10, 4) + symbol(10, 2, 1, 0x20, 4)
    note = pack("<III", 4, 20, 3) + b"GNU\0" + bytes(range(20))
    table = pack("<IIII", 1, 1, 1, 6) + b"\xff" * word + pack("<I", 1) + \
        pack("<II", hash_of(b"exported") & ~1, hash_of(b"local") | 1)
    names = b"\0.data\0.symtab\0"
    tables: List[bytes] = [strings, symbols, note, table, names]
    header_size, segment_size = (64, 56) if wide else (52, 32)
    places, at = [], header_size + 3 * segment_size
    for part in tables:
        at = (at + 15) // 16 * 16
        places.append(at)
        at += len(part)
    at = (at + 15) // 16 * 16
    number = "<QQ" if wide else "<II"
    dynamic = b"".join(pack(number, tag, value) for tag, value in (
        (5, places[0]), (6, places[1]), (10, len(strings)), (0x6ffffef5, places[3]), (21, 0x99),
        (0, 0)))
    sections_at = (at + len(dynamic) + 15) // 16 * 16
    section = (lambda name, kind, flags, start, offset, size, link: pack(
        "<IIQQQQIIQQ" if wide else "<IIIIIIIIII", name, kind, flags, start, offset, size, link, 0, 0, 0))
    sections = section(0, 0, 0, 0, 0, 0, 0) + section(1, 1, 3, 0x10, 0x10, 0x20, 0) + \
        section(7, 2, 0, 0, places[1], len(symbols), 3) + \
        section(0, 3, 0, 0, places[0], len(strings), 0) + section(0, 3, 0, 0, places[4], len(names), 0)
    segments: List[Tuple[int, int, int, int]] = [
        (1, 5, 0, sections_at + len(sections)), (2, 6, at, len(dynamic)), (4, 4, places[2], len(note))]
    made = bytearray(sections_at)
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9)
    made[:header_size] = ident + pack("<HHI" + ("QQQ" if wide else "III") + "IHHHHHH", 3, 62, 1, 0,
                                      header_size, sections_at, 0, header_size, segment_size, 3,
                                      64 if wide else 40, 5, 4)
    for i, (kind, flags, start, size) in enumerate(segments):
        place = header_size + i * segment_size
        made[place:place + segment_size] = \
            pack("<IIQQQQQQ", kind, flags, start, start, start, size, size, PAGE) if wide else \
            pack("<IIIIIIII", kind, start, start, start, size, size, flags, PAGE)
    for place, part in zip(places, tables):
        made[place:place + len(part)] = part
    made[at:at + len(dynamic)] = dynamic
    return bytes(made) + sections


def macho(word: int) -> bytes:
    wide = word == 8
    pack = struct.pack
    strings = b"\0_exported\0_local\0"
    entry = "<IBBHQ" if wide else "<IBBHI"
    symbols = pack(entry, 1, 0xf, 1, 0, 0x40) + pack(entry, 11, 0xe, 1, 0, 0x50)
    trie = bytes([0, 1]) + b"_exported\0" + bytes([13, 2, 0, 0x40, 0])
    number = "QQQQ" if wide else "IIII"

    def segment(name: bytes, start: int, size: int, sections: bytes, count: int) -> bytes:
        body = name.ljust(16, b"\0") + pack("<" + number + "iiII", start, size, start, size, 7, 3, count, 0)
        return pack("<II", 0x19 if wide else 1, 8 + len(body) + len(sections)) + body + sections

    def section(name: bytes, owner: bytes, start: int, size: int) -> bytes:
        return name.ljust(16, b"\0") + owner.ljust(16, b"\0") + \
            pack("<QQ" if wide else "<II", start, size) + bytes(80 - 48 if wide else 68 - 40)

    def commands(linkedit: int) -> bytes:
        size = len(symbols) + len(strings) + len(trie)
        return (segment(b"__TEXT", 0, linkedit, b"", 0) +
                segment(b"__DATA", 0x20, 0x20, section(b"__data", b"__DATA", 0x20, 0x10), 1) +
                segment(b"__LINKEDIT", linkedit, size, b"", 0) +
                pack("<IIIIII", 2, 24, linkedit, 2, linkedit + len(symbols), len(strings)) +
                pack("<IIII", 0x80000033, 16, linkedit + len(symbols) + len(strings), len(trie)) +
                pack("<II", 0x1b, 24) + bytes(range(16)))

    header_size = 32 if wide else 28
    linkedit = header_size + len(commands(0))
    header = pack("<IIIIIII", 0xfeedfacf if wide else 0xfeedface, 0, 0, 6, 6, len(commands(0)), 0)
    return header.ljust(header_size, b"\0") + commands(linkedit) + symbols + strings + trie


def lines() -> Iterator[str]:
    for image in (elf(8), elf(4), macho(8), macho(4)):
        for how in (0, 1):
            yield "".join(f"\\x{byte:02x}" for byte in bytes([how, 255]) + image)


if __name__ == "__main__":
    print("\n".join(lines()))
