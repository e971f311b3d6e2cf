"""Draws images of ELF, and ELF cores of Linux for machines that this is not, as the kernel lays them out
(include/linux/elfcore.h, fs/binfmt_elf.c)."""
import dataclasses
import struct
from typing import Dict, List, Optional, Sequence, Tuple

PT_LOAD, PT_DYNAMIC, PT_NOTE = 1, 2, 4
NT_PRSTATUS, NT_PRPSINFO, NT_AUXV, NT_FILE, NT_ARM_TLS = 1, 3, 6, 0x46494c45, 0x401
NT_ARM_PAC_MASK = 0x406
AT_PHDR, AT_HWCAP, AT_RANDOM, AT_EXECFN = 3, 16, 25, 31
DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_DEBUG = 5, 6, 10, 21
PAGE = 0x1000


@dataclasses.dataclass(frozen=True)
class Machine:
    number: int
    word: int  # bytes
    registers: Tuple[str, ...]  # in the order of the kernel's struct; the names are LLDB's
    stack_pointer: str


_ARM64 = tuple(f"x{i}" for i in range(29)) + ("fp", "lr", "sp", "pc", "cpsr")
MACHINES: Dict[str, Machine] = {
    "x86_64": Machine(62, 8, tuple(
        "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss "
        "fs_base gs_base ds es fs gs".split()), "rsp"),
    "aarch64": Machine(183, 8, _ARM64, "sp"),
    "i386": Machine(3, 4, tuple(
        "ebx ecx edx esi edi ebp eax ds es fs gs orig_eax eip cs eflags esp ss".split()), "esp"),
    "arm": Machine(40, 4, tuple(f"r{i}" for i in range(13)) + ("sp", "lr", "pc", "cpsr", "orig_r0"),
                   "sp"),
}


@dataclasses.dataclass
class Memory:
    start: int
    data: bytes
    flags: int = 6  # 4 read, 2 write, 1 execute
    size: Optional[int] = None  # of the memory; what is beyond the data is not in the core


@dataclasses.dataclass
class Thread:
    number: int
    registers: Dict[str, int]
    thread_pointer: Optional[int] = None  # where it is no register
    signature_bits: Optional[int] = None  # of addresses of data and of code


def _word(machine: Machine, *values: int) -> bytes:
    return struct.pack("<" + ("Q" if machine.word == 8 else "I") * len(values), *values)


def _note(kind: int, content: bytes, owner: bytes = b"CORE\0") -> bytes:
    def pad(part: bytes) -> bytes:
        return part + bytes(-len(part) % 4)
    return struct.pack("<III", len(owner), len(content), kind) + pad(owner) + pad(content)


def _thread_notes(machine: Machine, thread: Thread) -> bytes:
    wide = machine.word == 8
    # siginfo, the signal; pending and held signals; numbers of the thread and its relatives; times
    head = struct.pack("<iiih", 0, 0, 0, 11) + bytes(2) + _word(machine, 0, 0)
    head += struct.pack("<iiii", thread.number, 1, 1, 1) + bytes(8 * machine.word)
    assert len(head) == (112 if wide else 72)
    values = [thread.registers.get(name, 0) for name in machine.registers]
    notes = _note(NT_PRSTATUS, head + _word(machine, *values) + struct.pack("<i", 0) +
                  bytes(4 if wide else 0))
    if thread.thread_pointer is not None:
        notes += _note(NT_ARM_TLS, struct.pack("<Q", thread.thread_pointer), b"LINUX\0")
    if thread.signature_bits is not None:
        notes += _note(NT_ARM_PAC_MASK, struct.pack("<QQ", *[thread.signature_bits] * 2), b"LINUX\0")
    return notes


def _process_note(machine: Machine, process: int) -> bytes:
    head = b"R\0\0\0" + bytes(20 if machine.word == 8 else 8)
    return _note(NT_PRPSINFO, head + struct.pack("<iiii", process, 1, 1, 1) + bytes(96))


def _files_note(machine: Machine, files: Sequence[Tuple[int, int, int, str]]) -> bytes:
    places = b"".join(_word(machine, start, end, offset // PAGE) for start, end, offset, _ in files)
    names = b"".join(name.encode() + b"\0" for *_, name in files)
    return _note(NT_FILE, _word(machine, len(files), PAGE) + places + names)


@dataclasses.dataclass
class Image:
    """A page of code, then a page of data that begins with the dynamic section."""
    data_start = 2 * PAGE
    machine: Machine
    table_size: int = 1  # of strings; what tells one build from another

    @property
    def header_size(self) -> int:
        return 64 if self.machine.word == 8 else 52

    def _segment(self, kind: int, flags: int, offset: int, start: int, size: int) -> bytes:
        if self.machine.word == 8:
            return struct.pack("<IIQQQQQQ", kind, flags, offset, start, start, size, size, PAGE)
        return struct.pack("<IIIIIIII", kind, offset, start, start, size, size, flags, PAGE)

    def dynamic(self, base: int = 0, debug: int = 0) -> bytes:
        """As in the file, or as the loader leaves it."""
        return _word(self.machine, DT_STRTAB, base + 0x800, DT_SYMTAB, base + 0x900, DT_STRSZ,
                     self.table_size, DT_DEBUG, debug, 0, 0)

    def file(self) -> bytes:
        segments = [self._segment(PT_LOAD, 5, 0, 0, PAGE),
                    self._segment(PT_LOAD, 6, PAGE, self.data_start, PAGE),
                    self._segment(PT_DYNAMIC, 6, PAGE, self.data_start, len(self.dynamic()))]
        head = b"\x7fELF" + bytes([2 if self.machine.word == 8 else 1, 1, 1]) + bytes(9)
        head += struct.pack("<HHI", 3, self.machine.number, 1)
        head += _word(self.machine, 0, self.header_size, 0)
        head += struct.pack("<IHHHHHH", 0, self.header_size, len(segments[0]), 3, 0, 0, 0)
        return (head + b"".join(segments)).ljust(PAGE, b"\0") + self.dynamic().ljust(PAGE, b"\0")


def link_map(machine: Machine, base: int, name: int, dynamic: int, next_entry: int) -> bytes:
    return _word(machine, base, name, dynamic, next_entry)


def draw(arch: str, memory: Sequence[Memory], threads: Sequence[Thread], process: int = 100,
         files: Sequence[Tuple[int, int, int, str]] = (),
         values: Optional[Dict[int, int]] = None) -> bytes:
    machine = MACHINES[arch]
    wide = machine.word == 8
    notes = b"".join(_thread_notes(machine, thread) for thread in threads[:1])
    notes += _process_note(machine, process)
    pairs: List[int] = [part for item in (values or {}).items() for part in item] + [0, 0]
    notes += _note(NT_AUXV, _word(machine, *pairs))
    notes += _files_note(machine, files)
    notes += b"".join(_thread_notes(machine, thread) for thread in threads[1:])
    header_size, segment_size = (64, 56) if wide else (52, 32)
    count = len(memory) + 1
    at = header_size + segment_size * count
    head = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9)
    head += struct.pack("<HHI", 4, machine.number, 1) + _word(machine, 0, header_size, 0)
    head += struct.pack("<IHHHHHH", 0, header_size, segment_size, count, 0, 0, 0)
    segments, content = b"", notes

    def segment(kind: int, flags: int, offset: int, start: int, stored: int, size: int) -> bytes:
        if wide:
            return struct.pack("<IIQQQQQQ", kind, flags, offset, start, 0, stored, size, PAGE)
        return struct.pack("<IIIIIIII", kind, offset, start, 0, stored, size, flags, PAGE)

    segments += segment(PT_NOTE, 0, at, 0, len(notes), 0)
    for part in memory:
        content += bytes(-(at + len(content)) % 16)
        size = len(part.data) if part.size is None else part.size
        segments += segment(PT_LOAD, part.flags, at + len(content), part.start, len(part.data), size)
        content += part.data
    return head + segments + content
