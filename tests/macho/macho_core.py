"""Writes Mach-O core files that LLDB loads on any system.

A core is: a thread's registers, one segment per range of memory, and the note "all image infos",
by which LLDB finds the images, their names and where they were slid to.
"""
import struct

MH_MAGIC_64, MH_CORE = 0xFEEDFACF, 4
LC_SEGMENT_64, LC_THREAD, LC_NOTE = 0x19, 0x4, 0x31
CPU_X86_64, CPU_ARM64 = 0x01000007, 0x0100000C
PAGE = 0x1000


def thread_state(cpu, pc, sp):
    """The LC_THREAD payload: flavor, count of 32-bit words, registers; all others are zero."""
    if cpu == CPU_X86_64:
        # rax rbx rcx rdx rdi rsi rbp rsp r8-r15 rip rflags cs fs gs
        registers = [0] * 21
        registers[7], registers[16] = sp, pc
        return struct.pack("<II21Q", 4, 42, *registers)
    # x0-x28 fp lr sp pc, then cpsr and padding
    registers = [0] * 29 + [0, 0, sp, pc]
    return struct.pack("<II33QII", 6, 68, *registers, 0x60000000, 0)


def _image_infos(images, note_offset):
    """The content of the note: a header, an entry per image, segment tables, paths."""
    entry_size, header_size = 48, 24
    tables_offset = note_offset + header_size + entry_size * len(images)
    tables = b"".join(
        struct.pack("<16sQQ", segment.name.encode(), segment.address, 0)
        for image in images
        for segment in image.segments
    )
    entries, paths = b"", b""
    table_offset = tables_offset
    for image in images:
        entries += struct.pack(
            "<Q16sQQII",
            tables_offset + len(tables) + len(paths),
            image.uuid,
            image.header_address,
            table_offset,
            len(image.segments),
            1,
        )
        table_offset += 32 * len(image.segments)
        paths += str(image.path).encode() + b"\0"
    header = struct.pack("<IIQII", 1, len(images), note_offset + header_size, entry_size, 0)
    return header + entries + tables + paths


def core_bytes(cpu, images, memory, pc, sp, with_note=True, page=PAGE):
    """cpu is (type, subtype); memory is a list of segments beside those of the images. Without the
    note nothing tells of the images but their headers in memory."""
    ranges = [segment for image in images for segment in image.segments] + memory
    thread = thread_state(cpu[0], pc, sp)
    commands_size = 8 + len(thread) + 72 * len(ranges) + 40
    offset = (32 + commands_size + page - 1) // page * page
    commands = struct.pack("<II", LC_THREAD, 8 + len(thread)) + thread
    content = b""
    for segment in ranges:
        size = len(segment.data)
        commands += struct.pack(
            "<II16sQQQQIIII",
            LC_SEGMENT_64, 72, b"", segment.address, size, offset + len(content), size,
            segment.protection, segment.protection, 0, 0,
        )
        content += bytes(segment.data)
    note_offset = offset + len(content)
    note = _image_infos(images, note_offset)
    commands += struct.pack("<II16sQQ", LC_NOTE, 40, b"all image infos" if with_note else b"nothing", note_offset, len(note))
    header = struct.pack(
        "<IIIIIIII", MH_MAGIC_64, cpu[0], cpu[1], MH_CORE, len(ranges) + 2, len(commands), 0, 0
    )
    return (header + commands).ljust(offset, b"\0") + content + note


def write_core(path, *what):
    with open(path, "wb") as out:
        out.write(core_bytes(*what))
