"""Libraries that were linked for arm64e, loaded by the box: every word of their data is what LLVM's reader says
of the file. As lld writes them, by opcodes; and by chains of signed pointers, as Apple's linker does.

usage: test_linked.py BOX_TEST_LINKED OBJDUMP FOLDER LIBRARY...

lld makes no chains for arm64e and signs no pointers in data, so what its opcodes say is written as chains here
(mach-o/fixup-chains.h: form 12, with every pointer to code signed), into FOLDER. A library that is not there
is left out; exit status 77: none is.
"""
import pathlib
import re
import struct
import subprocess
import sys
from typing import Dict, List, NamedTuple, Optional

SEGMENT, DYLD_INFO, CHAINS, EXPORTS = 0x19, 0x80000022, 0x80000034, 0x80000033
ARM64E = 0x80000002  # the subtype, and that its ABI has a version
PAGE, FORM_USERLAND24, NO_FIXUPS = 0x4000, 12, 0xffff
NAME_COLUMN = {"Bind": 6, "Weak bind": 5, "Lazy bind": 4}


class Segment(NamedTuple):
    name: str
    at: int  # its command
    address: int
    memory: int
    offset: int
    size: int
    protection: int


class Fixup(NamedTuple):
    address: int
    name: Optional[str]  # None: it moves with the image
    addend: int
    may_be_missing: bool


class Image:
    def __init__(self, path: pathlib.Path) -> None:
        self.data = bytearray(path.read_bytes())
        self.commands = list(self._commands())
        self.segments = [self._segment(at) for kind, at in self.commands if kind == SEGMENT]

    def _commands(self):
        at = 32
        for _ in range(struct.unpack_from("<I", self.data, 16)[0]):
            kind, size = struct.unpack_from("<II", self.data, at)
            yield kind, at
            at += size

    def _segment(self, at: int) -> Segment:
        name, *numbers = struct.unpack_from("<16sQQQQII", self.data, at + 8)
        return Segment(name.rstrip(b"\0").decode(), at, *numbers[:4], numbers[5])

    def at(self, kind: int) -> int:
        return next(at for found, at in self.commands if found == kind)

    def segment(self, address: int) -> Segment:
        return next(segment for segment in self.segments
                    if segment.address <= address < segment.address + segment.memory)

    def word(self, address: int) -> int:
        segment = self.segment(address)
        at = address - segment.address
        return struct.unpack_from("<Q", self.data, segment.offset + at)[0] if at < segment.size else 0

    def set_word(self, address: int, word: int) -> None:
        segment = self.segment(address)
        struct.pack_into("<Q", self.data, segment.offset + address - segment.address, word)


# ---- What LLVM's reader says ----

def fixups(objdump: str, path: pathlib.Path) -> Dict[int, Fixup]:
    """By address; what binds comes after what moves, as in a lazy pointer."""
    said = subprocess.run([objdump, "--macho", "--rebase", "--bind", "--weak-bind", "--lazy-bind", str(path)],
                          capture_output=True, text=True, check=True).stdout
    found: Dict[int, Fixup] = {}
    kind = ""
    for line in said.splitlines():
        title = re.match(r"(Rebase|Bind|Weak bind|Lazy bind) table:", line)
        kind = title[1] if title else kind
        parts = line.split()
        if not line.startswith("__") or kind == "Weak bind" and "strong" in parts:
            continue
        address = int(parts[2], 16)
        if kind == "Rebase":
            found[address] = Fixup(address, None, 0, False)
        else:
            addend = 0 if kind == "Lazy bind" else int(parts[4])
            found[address] = Fixup(address, parts[NAME_COLUMN[kind]], addend, "(weak_import)" in line)
    return found


# ---- The same as chains ----

def is_code(image: Image, fixup: Fixup) -> bool:
    """Of other images this test's own names tell."""
    if fixup.name is None:
        return image.segment(image.word(fixup.address)).name == "__TEXT"
    return fixup.addend == 0 and fixup.name in ("_elsewhere", "_called")


def chain_word(image: Image, fixup: Fixup, ordinals: Dict[str, int], following: int) -> int:
    """following: where the next one is; the last one's own address ends the chain."""
    word = (following - fixup.address) // 8 << 51
    is_signed = is_code(image, fixup)
    if is_signed:
        word |= 1 << 63 | 0xbeef << 32
    if fixup.name is None:
        return word | image.word(fixup.address)
    word |= 1 << 62 | ordinals[fixup.name]
    return word if is_signed else word | (fixup.addend & 0x7ffff) << 32


def chained_pages(image: Image, segment: Segment, of_segment: List[Fixup], ordinals: Dict[str, int]) -> bytes:
    pages = [NO_FIXUPS] * (-(-segment.memory // PAGE))
    words = {}
    for number, fixup in enumerate(of_segment):
        page, offset = divmod(fixup.address - segment.address, PAGE)
        if pages[page] == NO_FIXUPS:
            pages[page] = offset
        following = of_segment[min(number + 1, len(of_segment) - 1)].address
        in_page = (following - segment.address) // PAGE == page
        words[fixup.address] = chain_word(image, fixup, ordinals, following if in_page else fixup.address)
    for address, word in words.items():
        image.set_word(address, word)
    head = struct.pack("<IHHQIH", 22 + 2 * len(pages), PAGE, FORM_USERLAND24, segment.address, 0, len(pages))
    return head + struct.pack(f"<{len(pages)}H", *pages) + bytes(-(22 + 2 * len(pages)) % 4)


def chains(image: Image, found: List[Fixup]) -> bytes:
    named = {fixup.name: fixup for fixup in found if fixup.name is not None}
    ordinals = {name: number for number, name in enumerate(named)}
    names, imports = b"\0", b""
    for name, fixup in named.items():
        imports += struct.pack("<I", 0xfe | fixup.may_be_missing << 8 | len(names) << 9)
        names += name.encode() + b"\0"
    offsets, starts = [], b""
    beginning = 4 + 4 * len(image.segments)
    for segment in image.segments:
        inside = [fixup for fixup in found
                  if segment.address <= fixup.address < segment.address + segment.memory]
        offsets.append(beginning + len(starts) if inside else 0)
        starts += chained_pages(image, segment, inside, ordinals) if inside else b""
    table = struct.pack(f"<{1 + len(offsets)}I", len(offsets), *offsets) + starts
    place = 28 + len(table)
    return struct.pack("<7I", 0, 28, place, place + len(imports), len(named), 1, 0) + table + imports + names


def with_chains(path: pathlib.Path, found: Dict[int, Fixup], target: pathlib.Path) -> None:
    """The chains stand behind all else, in __LINKEDIT. The table of exports gets a command of its own."""
    image = Image(path)
    written = chains(image, [found[address] for address in sorted(found)])
    linkedit = next(segment for segment in image.segments if segment.name == "__LINKEDIT")
    place = len(image.data) + -len(image.data) % 8
    image.data += bytes(place - len(image.data)) + written
    size = len(image.data) - linkedit.offset
    struct.pack_into("<QQQ", image.data, linkedit.at + 32, size + -size % PAGE, linkedit.offset, size)
    info = image.at(DYLD_INFO)
    exports = struct.unpack_from("<II", image.data, info + 40)
    struct.pack_into("<IIIIIIII", image.data, info, CHAINS, 16, place, len(written), EXPORTS, 32, *exports)
    struct.pack_into("<I", image.data, 16, len(image.commands) + 1)
    struct.pack_into("<I", image.data, 8, ARM64E)
    target.write_bytes(image.data)


# ---- What the box made of it ----

def compare(program: str, loaded: pathlib.Path, original: Image, found: Dict[int, Fixup]) -> List[str]:
    said = subprocess.run([program, str(loaded)], capture_output=True, text=True, check=False)
    if said.returncode:
        return [f"{loaded.name}: {said.stderr}"]
    lines = [line.split() for line in said.stdout.splitlines()]
    slide = int(next(line[1] for line in lines if line[0] == "slide"), 16)
    imports = {line[2]: int(line[1], 16) for line in lines if line[0] == "import"}
    words = {int(line[1], 16): int(line[2], 16) for line in lines if line[0] == "word"}
    faults = [f"{loaded.name}: {address:#x} is {word:#x}, not {wanted:#x}" for address, word in words.items()
              if word != (wanted := expected(original, found.get(address), address, slide, imports))]
    if set(found) - set(words):
        faults.append(f"{loaded.name}: {len(set(found) - set(words))} fixups stand in no data")
    if not faults:
        print(f"{loaded.name}: {len(words)} words with {len(found)} fixups are as LLVM reads them")
    return faults[:20]


def expected(image: Image, fixup: Optional[Fixup], address: int, slide: int, imports: Dict[str, int]) -> int:
    if fixup is None:
        return image.word(address)
    if fixup.name is None:
        return (image.word(address) + slide) % (1 << 64)
    return imports.get(fixup.name, 0) + fixup.addend


def main(program: str, objdump: str, folder: str, *libraries: str) -> int:
    faults: List[str] = []
    there = [pathlib.Path(library) for library in libraries if pathlib.Path(library).exists()]
    for library in there:
        found = fixups(objdump, library)
        chained = pathlib.Path(folder) / f"chained_{library.name}"
        with_chains(library, found, chained)
        for loaded in (library, chained):
            faults += compare(program, loaded, Image(library), found)
    print("\n".join(faults) if faults else "" if there else "skipped: no library for arm64e has been built")
    return 1 if faults else 0 if there else 77


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
