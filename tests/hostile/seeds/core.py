"""Small cores for fuzz_core.c, one a line: ELF of four machines with an image in its memory, Mach-O of
two."""
import pathlib
import struct
import sys
from typing import Iterator

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "readers"), str(HERE.parents[1] / "macho")]
import draw_core  # noqa: E402
import image  # noqa: E402
import macho_core  # noqa: E402

PLACE = 0x40000


def elf_core(arch: str) -> bytes:
    machine = draw_core.MACHINES[arch]
    content = image.elf(machine.word)
    threads = [draw_core.Thread(7, {machine.stack_pointer: PLACE + 0x20, "fs_base": PLACE + 0x10}),
               draw_core.Thread(6, {"sp": 0x900}, 0x55)]
    memory = [draw_core.Memory(0x800, bytes(range(200)), 6, 0x300),
              draw_core.Memory(PLACE, content, 5)]
    files = [(PLACE, PLACE + 0x1000, 0, "/no/such/file"), (0x100000, 0x101000, 0x1000, "/other")]
    return draw_core.draw(arch, memory, threads, 6, files,
                          {3: PLACE + 0x40, 25: 0x810, 33: PLACE})


def macho_core_of(cpu: int, with_note: bool) -> bytes:
    content = bytearray(image.macho(8))

    class Segment:
        name, address, data, protection = "__TEXT", 0x10000, content, 5

    class Image:
        path, uuid, segments, header_address = "/usr/lib/libfoo.dylib", bytes(range(16)), [Segment], 0x10000

    return macho_core.core_bytes((cpu, 0), [Image], [], 0x10010, 0x10020, with_note, page=16)


def seeds() -> Iterator[bytes]:
    for arch in draw_core.MACHINES:
        yield elf_core(arch)
    for cpu in (macho_core.CPU_X86_64, macho_core.CPU_ARM64):
        for with_note in (True, False):
            yield macho_core_of(cpu, with_note)


if __name__ == "__main__":
    for seed in seeds():
        print("".join(f"\\x{byte:02x}" for byte in seed))
