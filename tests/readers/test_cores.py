"""The reader of core files: drawn ones of four machines, damaged in every header, and those that gdb
and the kernel write of this one.

usage: test_cores.py ASK_TARGET LOUPE BUSY GDB RING; the last two may be empty
"""
import ctypes
import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Any, Dict, List, Optional, Tuple

import share
import zstd
sys.path.append(str(pathlib.Path(__file__).parents[1] / "macho"))
from draw_core import (AT_EXECFN, AT_HWCAP, AT_PHDR, AT_RANDOM, MACHINES, Image, Memory, Thread, draw,
                       link_map)
from macho_core import CPU_X86_64, core_bytes
from macho_image import Segment

ASK, LOUPE, BUSY, GDB, RING = sys.argv[1:]
# Answers are compared, however long a busy machine takes to copy a process; ./run says so to all tests.
os.environ.setdefault("LOUPE_MAX_PAUSE", "0")
STACK, HEAP, CODE = 0x7f000, 0x10000, 0x400000
PAGE = 0x1000


def ask(target: str, *words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([ASK, target, *words], capture_output=True, text=True, timeout=1800,
                          env={**os.environ, **environment}, check=False)


def lines(text: str, kind: str) -> List[List[str]]:
    return [line.split()[1:] for line in text.splitlines() if line.split()[:1] == [kind]]


def missing(text: str) -> Dict[str, str]:
    return dict(re.findall(r"(\w+)=(\d+)", text[text.index("missing"):]))


def why_no_kernel_cores() -> Tuple[bool, str]:
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern")
    if not pattern.exists() or pattern.read_text().startswith("|") or "/" in pattern.read_text():
        return True, "the kernel writes no cores into the working directory"
    return resource.getrlimit(resource.RLIMIT_CORE)[1] == 0, "cores may have no size"


# Protection, bytes in the core, bytes of memory.
NEVER_WRITTEN = (6, 0, 1 << 20)


def segments(core: bytes) -> List[Tuple[int, ...]]:
    """The program headers of a 64-bit core."""
    (table,), (count,) = struct.unpack_from("<Q", core, 32), struct.unpack_from("<H", core, 56)
    return [struct.unpack_from("<IIQQQQQQ", core, table + 56 * i) for i in range(count)]


NT_FILE, X, W = 0x46494c45, 1, 2


def without_files(core: bytes, with_headers: bool) -> bytes:
    """The core as qemu and some that handle crashes write it: no note of files, no code of theirs,
    and, unless asked for, not the pages that begin with an image's header."""
    made = bytearray(core)
    (table,) = struct.unpack_from("<Q", core, 32)
    [notes] = [entry for entry in segments(core) if entry[0] == 4]
    start, places = notes[2], []
    while start < notes[2] + notes[5]:
        name, size, kind = struct.unpack_from("<III", core, start)
        content = start + 12 + (name + 3) // 4 * 4
        if kind == NT_FILE:
            struct.pack_into("<I", made, start + 8, 0)
            (count,) = struct.unpack_from("<Q", core, content)
            places = [struct.unpack_from("<QQ", core, content + 16 + 24 * i) for i in range(count)]
        start = content + (size + 3) // 4 * 4
    for i, (kind, flags, offset, address, *_) in enumerate(segments(core)):
        is_files = any(low <= address < high for low, high in places)
        is_header = core[offset:offset + 4] == b"\x7fELF"
        if kind == 1 and is_files and (flags & X or is_header and not with_headers):
            struct.pack_into("<Q", made, table + 56 * i + 32, 0)
    assert places and made != core
    return bytes(made)


def has_library(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, content: bytes, name: str = "core") -> str:
        path = self.folder / name
        path.write_bytes(content)
        return str(path)

    def parts(self, content: bytes, **environment: str) -> str:
        done = ask(self.write(content), "parts", **environment)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout


def scene(arch: str) -> bytes:
    machine = MACHINES[arch]
    threads = [Thread(102, {name: 0x1000 + i for i, name in enumerate(machine.registers)}),
               Thread(100, {machine.stack_pointer: STACK + 0x800}, 0x77 if arch == "aarch64" else None)]
    memory = [Memory(STACK, bytes(PAGE)), Memory(HEAP, b"\x55" * PAGE),
              Memory(CODE, b"", 5, 2 * PAGE)]
    return draw(arch, memory, threads, values={25: STACK + 0xf00})


class Drawn(Case):
    def test_memory_is_that_of_the_segments(self) -> None:
        for arch in MACHINES:
            shown = self.parts(scene(arch))
            self.assertEqual([["0x10000", "0x11000", "rw"], ["0x7f000", "0x80000", "rw", "stack"],
                              ["0x400000", "0x402000", "r-"]], lines(shown, "region"), arch)
            self.assertEqual({"truncated": "0", "bytes": str(2 * PAGE), "files": "0", "shared": "0",
                              "threads": "0", "damaged": "0", "packed": "0"}, missing(shown))

    def test_registers_have_the_names_of_lldb(self) -> None:
        asked = {"x86_64": ("rip", "rsp", "rax", "rbx", "r12", "fs_base"),
                 "aarch64": ("pc", "sp", "x0", "x28", "lr", "fp"), "i386": ("eip", "esp", "eax"),
                 "arm": ("pc", "sp", "lr", "r0", "r12")}
        for arch, names in asked.items():
            first, second = lines(self.parts(scene(arch)), "thread")
            # The first thread of the process comes first, wherever it stands in the core.
            self.assertEqual(["100", "102"], [first[0], second[0]])
            told = dict(part.split("=") for part in second[1:])
            machine = MACHINES[arch]
            self.assertEqual({name: hex(0x1000 + machine.registers.index(name)) for name in names},
                             told, arch)
            own = dict(part.split("=") for part in first[1:])
            self.assertEqual(hex(STACK + 0x800), own[machine.stack_pointer])
            self.assertEqual("0x77" if arch == "aarch64" else None, own.get("tpidr"))

    def stripped(self, word: int, stack: int, signs: bool = True, said: Optional[int] = None,
                 highest: int = 0) -> str:
        """A word of an arm64 core, by where its first stack and its highest memory are."""
        memory = [Memory(HEAP, bytes(PAGE)), Memory(stack - stack % PAGE, bytes(PAGE))]
        memory += [Memory(highest, bytes(PAGE))] if highest else []
        core = draw("aarch64", memory, [Thread(100, {"sp": stack}, 0x77, said)],
                    values={AT_HWCAP: 1 << 30 if signs else 0xff, AT_RANDOM: stack})
        (line,) = ask(self.write(core), "strip", hex(word)).stdout.splitlines()
        return line.partition(" ")[2]

    def test_signatures_of_addresses_are_known_without_the_note_of_them(self) -> None:
        usual, small = 0xfffff7ffe000, 0x7ff7ffe000  # below 2^48, 2^39
        signed = 0xab5a_8055_000312a0  # with a tag, too
        self.assertEqual("0x805500031000", self.stripped(0xab5a_8055_00031000, usual))
        self.assertEqual("0x55000312a0", self.stripped(signed, small))
        self.assertEqual("0x55000312a0", self.stripped(0x007f_ff80_0000_0000 | 0x55000312a0, small))
        # qemu's stacks are in the middle of memory: that of the usual size is taken.
        self.assertEqual("0x8055000312a0", self.stripped(signed, 0x5500800000))
        self.assertEqual("0xa8055000312a0", self.stripped(signed, usual, highest=0xf_0000_0000_0000))
        self.assertEqual("0x8055000312a0", self.stripped(signed, small, said=0x7f << 48))
        self.assertEqual("0x5a8055000312a0", self.stripped(signed, usual, signs=False))

    def test_cut_off_anywhere_it_says_so_or_refuses(self) -> None:
        for arch in MACHINES:
            whole = scene(arch)
            refused = 0
            for size in share.share_of([*range(1, 700), *range(700, len(whole), 97)]):
                done = ask(self.write(whole[:size]), "parts")
                self.assertIn(done.returncode, (0, 1), (arch, size, done.stderr))
                refused += done.returncode
                if done.returncode == 0:
                    self.assertEqual("1", missing(done.stdout)["truncated"], (arch, size))
            self.assertGreater(refused, 0)

    def test_every_word_of_the_headers_damaged(self) -> None:
        whole = scene("x86_64")
        for at in share.share_of(range(0, whole.index(b"CORE") + 1000, 4)):
            for value in (0xffffffff, 0x40):
                damaged = whole[:at] + struct.pack("<I", value) + whole[at + 4:]
                done = ask(self.write(damaged), "parts")
                self.assertIn(done.returncode, (0, 1), (at, value, done.stderr))

    def test_overlapping_memory_is_told(self) -> None:
        memory = [Memory(HEAP, bytes(PAGE)), Memory(HEAP + 0x800, bytes(PAGE))]
        shown = self.parts(draw("x86_64", memory, []))
        self.assertEqual(1, len(lines(shown, "region")))
        self.assertEqual("1", missing(shown)["damaged"])
        self.assertIn("threads incomplete", shown)

    def test_more_segments_than_16_bits_count(self) -> None:
        memory = [Memory(HEAP, bytes(16)), Memory(STACK, bytes(16))]
        whole = bytearray(draw("x86_64", memory, []))
        whole += bytes(-len(whole) % 16)
        struct.pack_into("<Q", whole, 40, len(whole))
        struct.pack_into("<H", whole, 56, 0xffff)
        section = bytearray(64)
        struct.pack_into("<I", section, 44, 3)
        self.assertEqual(2, len(lines(self.parts(bytes(whole + section)), "region")))


class Linked(Case):
    """Drawn cores without a note of files: the loader's list leads to them."""
    PROGRAM, LIBRARY = 0x400000, 0x700000
    DEBUG, FIRST, SECOND, NAMES = HEAP, HEAP + 0x100, HEAP + 0x200, HEAP + 0x800

    def core(self, arch: str, **differs: int) -> bytes:
        """With a program and a library; what differs from what is right is told."""
        machine, image = MACHINES[arch], Image(MACHINES[arch])
        program, library = str(self.folder / "program"), str(self.folder / "library")
        heap = bytearray(PAGE)

        def put(at: int, content: bytes) -> None:
            heap[at - HEAP:at - HEAP + len(content)] = content

        put(self.DEBUG, link_map(machine, 1, self.FIRST, 0, 0))
        put(self.FIRST, link_map(machine, self.PROGRAM, self.NAMES, self.PROGRAM + image.data_start,
                                 differs.get("second", self.SECOND)))
        put(self.SECOND, link_map(machine, self.LIBRARY, self.NAMES + 1,
                                  self.LIBRARY + differs.get("dynamic", image.data_start),
                                  differs.get("third", 0)))
        put(self.NAMES, b"\0" + library.encode() + b"\0")
        put(HEAP + 0xc00, program.encode() + b"\0")
        memory = [Memory(HEAP, bytes(heap)), Memory(self.PROGRAM, b"", 5, PAGE),
                  Memory(self.PROGRAM + image.data_start,
                         image.dynamic(self.PROGRAM, self.DEBUG).ljust(PAGE, b"\0")),
                  Memory(self.LIBRARY + image.data_start,
                         image.dynamic(self.LIBRARY).ljust(PAGE, b"\0"))]
        headers = self.PROGRAM + image.header_size
        return draw(arch, memory, [], values={AT_PHDR: headers, AT_EXECFN: HEAP + 0xc00})

    def files(self, arch: str, **differs: int) -> None:
        self.write(Image(MACHINES[arch]).file(), "program")
        self.write(Image(MACHINES[arch], **differs).file(), "library")

    def images(self, content: bytes) -> Tuple[List[str], Dict[str, str]]:
        shown = self.parts(content)
        return [os.path.basename(path) for [path] in lines(shown, "image")], missing(shown)

    def test_they_are_found_for_every_machine(self) -> None:
        for arch in MACHINES:
            self.files(arch)
            found, lost = self.images(self.core(arch))
            self.assertEqual(["program", "library"], found, arch)
            self.assertEqual({"0"}, set(lost.values()), arch)

    def test_a_list_that_leads_back_into_itself_ends(self) -> None:
        for arch in MACHINES:
            self.files(arch)
            for third in (self.FIRST, self.SECOND, self.DEBUG, 0x13):
                found, lost = self.images(self.core(arch, third=third))
                self.assertEqual((["program", "library"], "1" if third in (self.SECOND, 0x13) else "0"),
                                 (found, lost["damaged"]), arch)

    def test_what_does_not_fit_is_missing(self) -> None:
        for arch in MACHINES:
            self.files(arch)
            self.assertEqual((["program"], "1"), self.missed(self.core(arch, dynamic=0x2010)))
            found, lost = self.images(self.core(arch, second=0x17))
            self.assertEqual((["program"], "0", "1"), (found, lost["files"], lost["damaged"]), arch)
            self.files(arch, table_size=2)
            self.assertEqual((["program"], "1"), self.missed(self.core(arch)))
            (self.folder / "library").unlink()
            self.assertEqual((["program"], "1"), self.missed(self.core(arch)))
            (self.folder / "program").unlink()
            self.assertEqual(([], "1"), self.missed(self.core(arch)))

    def missed(self, content: bytes) -> Tuple[List[str], str]:
        found, lost = self.images(content)
        return found, lost["files"]

    def test_every_word_of_a_file_damaged(self) -> None:
        self.files("aarch64")
        core = self.core("aarch64")
        whole = Image(MACHINES["aarch64"]).file()
        for at in share.share_of(range(0, 64 + 3 * 56, 4)):
            for value in (0xffffffff, 0x40):
                self.write(whole[:at] + struct.pack("<I", value) + whole[at + 4:], "library")
                found, _ = self.images(core)
                self.assertEqual("program", found[0], (at, value))


class Loaded_By_Dyld(Case):
    """Drawn Mach-O cores without a note of images: dyld's list leads to them, which its header leads to."""
    LOADER, LIBRARY, LIST, ITEMS = 0x100000, 0x200000, 0x300000, 0x300100

    def header(self, at: int, kind: int) -> Segment:
        """A header at its place, with one symbol: where the list is."""
        name = b"\0_dyld_all_image_infos\0"
        commands = b"".join(struct.pack("<II16sQQQQIIII", 0x19, 72, segment, at + offset, PAGE, offset, PAGE, 5, 5, 0, 0)
                            for segment, offset in ((b"__TEXT", 0), (b"__LINKEDIT", PAGE)))
        commands += struct.pack("<IIIIII", 2, 24, PAGE, 1, PAGE + 16, len(name))
        text = struct.pack("<IIIIIIII", 0xfeedfacf, CPU_X86_64, 3, kind, 3, len(commands), 0, 0) + commands
        symbols = struct.pack("<IBBHQ", 1, 0xf, 1, 0, self.LIST) + name
        return Segment("__TEXT", at, text.ljust(PAGE, b"\0") + symbols.ljust(PAGE, b"\0"), 5)

    def damaged(self, count: int, items: int) -> str:
        """How many parts are missed, with a list of which one entry and the library's header are there."""
        data = struct.pack("<IIQ", 17, count, items).ljust(0x100, b"\0")
        data += struct.pack("<QQQ", self.LIBRARY, self.LIST + 0x200, 0)
        memory = [self.header(self.LOADER, 7), self.header(self.LIBRARY, 6),
                  Segment("", self.LIST, data, 3)]
        shown = self.parts(core_bytes((CPU_X86_64, 3), [], memory, 0, STACK, False))
        self.assertEqual(2, len(lines(shown, "image")), shown)
        return missing(shown)["damaged"]

    def test_a_list_that_ends_early_is_missed(self) -> None:
        self.assertEqual("0", self.damaged(1, self.ITEMS))
        self.assertEqual("1", self.damaged(2, self.ITEMS))
        self.assertEqual("1", self.damaged(1, 0))
        self.assertEqual("1", self.damaged(1, 0x10))
        self.assertEqual("1", self.damaged(0xffffffff, self.ITEMS))


class Refused(Case):
    def refused(self, content: bytes, pattern: str) -> None:
        done = subprocess.run([LOUPE, "cycles", self.write(content), "0x1000"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(2, done.returncode)
        self.assertRegex(done.stderr, pattern)
        self.assertEqual(1, done.stderr.count("\n"), done.stderr)

    def test_what_is_no_core(self) -> None:
        self.refused(pathlib.Path(LOUPE).read_bytes(), "it is a program or a library, not a core")
        self.refused(b"\x04\x22\x4d\x18" + bytes(100), "packed by lz4")
        self.refused(b"\xfd7zXZ\0" + bytes(100), "packed by xz")
        self.refused(b"BZh9" + bytes(100), "packed by bzip2")

    def test_machines_that_are_not_known(self) -> None:
        whole = bytearray(scene("x86_64"))
        whole[18] = 8
        self.refused(bytes(whole), r"a machine that is not known \(ELF's number 8, 64 bits\)")
        whole[5] = 2
        self.refused(bytes(whole), "another byte order")
        self.refused(struct.pack("<8I", 0xfeedfacf, 0x0200000c, 0, 4, 0, 0, 0, 0),
                     "Mach-O's number 0x200000c")

    def test_a_core_without_memory(self) -> None:
        self.refused(draw("x86_64", [], []), "a core without any memory in it$")
        self.refused(draw("x86_64", [], [])[:120], "a core without any memory in it: it was cut off")

    def test_a_packed_core_is_unpacked_where_its_library_is(self) -> None:
        has_zstd = "LOUPE_HAS_ZSTD" in os.environ
        for compress, said in ((gzip.compress, "is not the address of an object|without zlib"),
                               (zstd.compress, "is not the address of an object" if has_zstd else "without libzstd")):
            packed = compress(scene("x86_64")) if compress else b"\x28\xb5\x2f\xfd" + bytes(100)
            done = subprocess.run([LOUPE, "cycles", self.write(packed), "0x1000"],
                                  capture_output=True, text=True, check=False)
            self.assertRegex(done.stdout + done.stderr, said if compress else "damaged|without libzstd")


@unittest.skipUnless(GDB and sys.platform.startswith("linux"), "needs gdb on Linux")
class OfThisMachine(Case):
    """A program with many threads, as a process, and in cores of it."""

    def setUp(self) -> None:
        super().setUp()
        self.program = self.folder / "program"
        shutil.copy(BUSY, self.program)
        self.run_of = subprocess.Popen([str(self.program)], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
        assert self.run_of.stdout
        self.run_of.stdout.readline()
        self.id = self.run_of.pid
        self.addCleanup(self.run_of.communicate)
        os.kill(self.id, 19)  # so that it is the same for all

    def tearDown(self) -> None:
        os.kill(self.id, 9)

    def core(self) -> str:
        path = str(self.folder / "core")
        subprocess.run([GDB, "-nx", "-batch", "-p", str(self.id), "-ex", f"gcore {path}"],
                       capture_output=True, check=False)
        return path

    def test_core_and_process_tell_the_same(self) -> None:
        of_core, of_process = ask(self.core(), "parts").stdout, ask(str(self.id), "parts").stdout
        # What a call returned that the stop ended is the kernel's business, and another for each.
        core_threads, process_threads = ([[part for part in thread if not part.startswith("rax=")]
                                          for thread in lines(text, "thread")]
                                         for text in (of_core, of_process))
        self.assertEqual(process_threads[0], core_threads[0])
        self.assertEqual(sorted(process_threads), sorted(core_threads))
        self.assertGreater(len(lines(of_core, "thread")), 8)
        self.assertEqual(lines(of_process, "image"), lines(of_core, "image"))
        self.assertEqual(lines(of_process, "section"), lines(of_core, "section"))
        names = ("main", "printf", "_rtld_global", "take_turns", "no_such_symbol")
        self.assertEqual(ask(str(self.id), "symbol", *names).stdout,
                         ask(self.core(), "symbol", *names).stdout)

    def test_code_and_symbols_come_from_the_files(self) -> None:
        core = self.core()
        found = ask(core, "symbol", "take_turns").stdout.split()[1]
        self.assertRegex(ask(core, "name", found).stdout, r"take_turns\+0 .*/busy\.c:\d+$")

    def test_symbols_packed_into_a_stripped_file(self) -> None:
        tools = [shutil.which(tool) for tool in ("nm", "objcopy", "strip", "xz")]
        if not all(tools) or not has_library("liblzma.so.5"):
            self.skipTest("needs binutils, xz and liblzma")
        core = self.core()
        place = ask(core, "symbol", "take_turns").stdout.split()[1]
        mini, keep, moved = (str(self.folder / name) for name in ("mini", "keep", "moved"))
        pathlib.Path(keep).write_text("take_turns\ncompute\n")
        for command in (["objcopy", "--only-keep-debug", BUSY, mini],
                        ["objcopy", "-S", f"--keep-symbols={keep}", mini], ["xz", mini],
                        ["strip", "-o", moved, BUSY]):
            subprocess.run(command, check=True)
        self.program.unlink()
        self.assertNotIn("take_turns", ask(core, "name", place, ASK_PROGRAM=moved).stdout)
        subprocess.run(["objcopy", "--add-section", f".gnu_debugdata={mini}.xz", moved], check=True)
        self.assertIn(" take_turns+0", ask(core, "name", place, ASK_PROGRAM=moved).stdout)
        packed = pathlib.Path(f"{mini}.xz").read_bytes()
        content = pathlib.Path(moved).read_bytes()
        at = content.index(packed)
        for size in (6, len(packed) // 2, len(packed) - 8):  # damaged: no name, no crash
            damaged = content[:at + size] + bytes(len(packed) - size) + content[at + len(packed):]
            pathlib.Path(moved).write_bytes(damaged)
            done = ask(core, "name", place, ASK_PROGRAM=moved)
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertNotIn("take_turns", done.stdout)

    def test_without_a_note_of_files_the_list_of_the_loader_leads_to_them(self) -> None:
        whole = pathlib.Path(self.core()).read_bytes()
        expected = ask(self.core(), "parts").stdout
        self.assertGreater(len(lines(expected, "image")), 2)
        names = ("main", "printf", "_rtld_global", "take_turns", "no_such_symbol")
        for with_headers in (True, False):
            core = self.write(without_files(whole, with_headers), "bare")
            shown = ask(core, "parts").stdout
            for kind in ("section", "thread"):
                self.assertEqual(lines(expected, kind), lines(shown, kind), kind)
            # The loader has the paths that it looked for, the kernel has those of what they lead to.
            self.assertEqual(*[[os.path.basename(path) for [path] in lines(text, "image")]
                               for text in (expected, shown)])
            self.assertEqual({**missing(expected), "bytes": "0"}, {**missing(shown), "bytes": "0"})
            self.assertEqual(ask(self.core(), "symbol", *names).stdout,
                             ask(core, "symbol", *names).stdout)

    def test_without_a_note_files_of_another_build_are_not_believed(self) -> None:
        core = self.write(without_files(pathlib.Path(self.core()).read_bytes(), False), "bare")
        self.program.unlink()
        self.assertIn(f"files=1 shared=0 threads=0 damaged=0 packed=0 {self.program}",
                      ask(core, "parts").stdout)
        shutil.copy("/bin/true", self.program)
        self.assertIn(f"files=1 shared=0 threads=0 damaged=0 packed=0 {self.program}",
                      ask(core, "parts").stdout)
        moved = self.folder / "moved"
        shutil.copy(BUSY, moved)
        self.assertEqual("0", missing(ask(core, "parts", ASK_PROGRAM=str(moved)).stdout)["files"])
        self.assertRegex(ask(core, "symbol", "take_turns", ASK_PROGRAM=str(moved)).stdout, "0x")

    def test_a_file_of_another_build_is_not_believed(self) -> None:
        core = self.core()
        self.program.unlink()
        gone = ask(core, "parts").stdout
        self.assertIn(f"files=1 shared=0 threads=0 damaged=0 packed=0 {self.program}", gone)
        self.assertIn("take_turns none", ask(core, "symbol", "take_turns").stdout)
        subprocess.run(["cp", "/bin/true", str(self.program)], check=True)
        self.assertEqual("1", missing(ask(core, "parts").stdout)["files"])
        moved = self.folder / "moved"
        shutil.copy(BUSY, moved)
        self.assertEqual("0", missing(ask(core, "parts", ASK_PROGRAM=str(moved)).stdout)["files"])
        below = self.folder / "root"
        there = below / str(self.program)[1:]
        there.parent.mkdir(parents=True)
        shutil.copy(BUSY, there)
        self.assertEqual("0", missing(ask(core, "parts", ASK_SYSROOT=str(below)).stdout)["files"])


class Strangers(Case):
    def test_what_is_no_heap_at_all_is_told_what_would_be(self) -> None:
        for content in (b"root:x:0:0", b"J", b"\x00" * 5000, b"\x1b]0;JAVA PROFILE 1.0.2"):
            done = subprocess.run([LOUPE, "leaks", self.write(content)], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(2, done.returncode)
            self.assertIn("unknown file format; expected a .loupe snapshot", done.stderr)

    def test_a_minidump_is_called_one(self) -> None:
        done = subprocess.run([LOUPE, "leaks", self.write(b"MDMP" + bytes(1000), "it.dmp")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(2, done.returncode)
        self.assertRegex(done.stderr, r"a minidump.* open it in LLDB .*gcore's cores and snapshots")


@unittest.skipUnless(GDB and RING and sys.platform.startswith("linux"), "needs gdb on Linux")
class Heaps(Case):
    """The same of a process, of a core of it, and of a snapshot that was saved."""

    def setUp(self) -> None:
        super().setUp()
        self.program = subprocess.Popen([RING], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.addCleanup(self.program.communicate)
        assert self.program.stdout
        self.ring = self.program.stdout.readline().split()[1]
        self.program.stdout.readline()
        self.id = str(self.program.pid)
        self.core = str(self.folder / "core")
        subprocess.run([GDB, "-nx", "-batch", "-p", self.id, "-ex", f"gcore {self.core}"],
                       capture_output=True, check=False)

    def loupe(self, *words: str) -> Dict[str, Any]:
        done = subprocess.run([LOUPE, *words, "--json"], capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_the_ring_is_found(self) -> None:
        for target in (self.id, self.core):
            answer = self.loupe("cycles", target, self.ring)
            [knot] = answer["knots"]
            self.assertEqual(("ok", 3, "leaked"), (answer["status"], knot["objects"],
                                                   knot["verdict"]))
            self.assertEqual(target == self.id, "paused_ms" in answer["stats"])

    def test_heaps_are_the_same(self) -> None:
        saved = str(self.folder / "saved.loupe")
        self.loupe("snapshot", self.core, saved)
        heaps = [self.loupe("heap", target, "--limit", "0")
                 for target in (self.id, self.core, saved)]
        [(count, _)] = {(c["count"], c["size"]) for c in heaps[0]["classes"] if c["class"] == "Node"}
        self.assertEqual(3, count)
        self.assertEqual(heaps[0]["classes"], heaps[1]["classes"])
        self.assertEqual(heaps[1]["classes"], heaps[2]["classes"])
        self.assertEqual(["live", "core", "file"][:2],
                         [heap["snapshot"]["origin"] for heap in heaps[:2]])

    def test_memory_without_pages_is_not_asked_for_them(self) -> None:
        def bytes_of_tables(process: int) -> int:
            text = pathlib.Path(f"/proc/{process}/status").read_text()
            return int(text.split("VmPTE:")[1].split()[0]) * 1024
        with subprocess.Popen([RING, "none"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as program:
            assert program.stdout and program.stdout.readline() == "ready\n"
            before = bytes_of_tables(program.pid)
            answer = self.loupe("leaks", str(program.pid))
            self.assertEqual(("ok", []), (answer["status"], answer["leaks"]))
            # All of the gigabyte would take two megabytes.
            self.assertLess(bytes_of_tables(program.pid) - before, 100_000)

    def test_large_blocks_are_looked_at_and_not_kept(self) -> None:
        with subprocess.Popen([RING, "large"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as program:
            assert program.stdout and program.stdout.readline() == "ready\n"
            answer = self.loupe("leaks", str(program.pid))
            self.assertEqual(("ok", []), (answer["status"], answer["leaks"]))
            tool = subprocess.Popen([LOUPE, "leaks", str(program.pid)], stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(tool.pid, 0)
            tool.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(0, tool.returncode)
            # Of the half gigabyte, with what sanitizers add; in kilobytes.
            self.assertLess(usage.ru_maxrss, 128 << 10)

    def kernel_core(self, coredump_filter: str) -> bytes:
        def ready_to_die() -> None:
            pathlib.Path("/proc/self/coredump_filter").write_text(coredump_filter)
            hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
            resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
        work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        with subprocess.Popen([RING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=work,
                              preexec_fn=ready_to_die, text=True) as program:
            assert program.stdout
            while program.stdout.readline() != "ready\n":
                pass
            program.send_signal(signal.SIGABRT)
        return next(work.iterdir()).read_bytes()

    @unittest.skipIf(*why_no_kernel_cores())
    def test_memory_that_nobody_wrote_to_is_no_loss(self) -> None:
        core = self.kernel_core("0x33")
        self.assertIn(NEVER_WRITTEN, [(entry[1], entry[5], entry[6]) for entry in segments(core)])
        self.assertEqual("ok", self.loupe("heap", self.write(core))["status"])

    @unittest.skipIf(*why_no_kernel_cores())
    def test_memory_that_was_to_be_left_out_is_not_taken_for_zeroes(self) -> None:
        """Nothing that the program wrote to is there; but what it read and did not write is."""
        core = self.kernel_core("0x4c")
        self.assertIn(NEVER_WRITTEN, [(entry[1], entry[5], entry[6]) for entry in segments(core)])
        done = subprocess.run([LOUPE, "heap", self.write(core)], capture_output=True, text=True,
                              check=False)
        self.assertEqual(2, done.returncode, done.stdout)

    def test_one_that_is_killed_meanwhile_is_said_to_have_ended(self) -> None:
        for delay in (0, 0.002, 0.004, 0.007, 0.01, 0.015):
            with subprocess.Popen([RING], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  text=True) as program:
                assert program.stdout
                while program.stdout.readline() != "ready\n":
                    pass
                with subprocess.Popen([LOUPE, "leaks", str(program.pid)], stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True) as asked:
                    time.sleep(delay)
                    program.kill()
                    text = asked.communicate(timeout=1800)[0]
                if asked.returncode not in (0, 1):
                    # Or its memory goes first, which an incomplete answer tells of.
                    self.assertRegex(text, r"^loupe: leaks: \d+: process \d+ ((has )?ended|has no memory that can be read: it has ended)"
                                           r"|\nincomplete: \d+ x pages that cannot be read ")

    def test_a_path_says_which_variable_it_begins_at(self) -> None:
        [held] = [found["address"] for found in self.loupe("find", self.core, "Node")["objects"]
                  if found["retain_count"] == 1 and found["reachable"]]
        for target in (self.id, self.core):
            [path] = self.loupe("path", target, held)["paths"]
            self.assertEqual(("global", "held"), (path["root"]["kind"], path["root"]["name"]))
            self.assertTrue(path["root"]["image"].endswith(os.path.basename(RING)))
            told = subprocess.run([LOUPE, "path", target, held], capture_output=True, text=True,
                                  check=True)
            self.assertIn(f"┬ held (global in {os.path.basename(RING)})", told.stdout)

    def test_a_path_names_what_blocks_capture(self) -> None:
        [found] = self.loupe("find", self.core, "Payload")["objects"]
        page = self.folder / "path.html"
        for target in (self.id, self.core):
            [path] = self.loupe("path", target, found["address"], "--html", str(page))["paths"]
            self.assertEqual(["payload"], [edge["path"] for edge in path["edges"]])
            self.assertNotIn('"+0x20"', page.read_text())
            told = subprocess.run([LOUPE, "path", target, found["address"]], capture_output=True,
                                  text=True, check=True)
            self.assertIn("payload (captured)", told.stdout)
            whole = self.folder / "whole.html"
            self.loupe("snapshot", target, str(whole))
            self.assertIn('"payload"', whole.read_text())
            self.assertNotIn('"+32"', whole.read_text())

    def test_what_is_lost_is_not_called_garbage(self) -> None:
        for words in (("path", self.core, self.ring), ("retained", self.core, self.ring),
                      ("find", self.core, "Node")):
            told = subprocess.run([LOUPE, *words], capture_output=True, text=True, check=True)
            self.assertIn("unreachable", told.stdout)
            self.assertNotIn("garbage", told.stdout)

    def test_cycles_of_an_object_are_told_as_text(self) -> None:
        for target in (self.id, self.core):
            told = subprocess.run([LOUPE, "cycles", target, self.ring], capture_output=True,
                                  text=True, check=True)
            self.assertIn("1 leaked retain cycle through it", told.stdout)
            self.assertIn(f"→ Node {self.ring}", told.stdout)

    def test_a_baseline_hides_the_same_from_programs(self) -> None:
        known = str(self.folder / "known")
        self.assertEqual(1, len(self.loupe("cycles", self.core, "--write-baseline", known)["knots"]))
        answer = self.loupe("cycles", self.core, "--baseline", known)
        self.assertEqual(([], 1), (answer["knots"], answer["hidden_by_baseline"]))
        for verb in ("cycles", "leaks"):
            told = subprocess.run([LOUPE, verb, self.core, "--write-baseline", known],
                                  capture_output=True, text=True, check=True)
            self.assertIn(f"The baseline {known} has 2 fingerprints now", told.stdout)

    def test_what_leaks(self) -> None:
        for target in (self.id, self.core):
            done = subprocess.run([LOUPE, "leaks", target, "--json"], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(1, done.returncode, done.stdout + done.stderr)
            answer = json.loads(done.stdout)
            [leak] = [leak for leak in answer["leaks"] if leak["class"] == "Node"
                      or "block" in leak["class"]]
            self.assertEqual(("cycle", 1, 3), (leak["kind"], leak["count"], leak["objects"]))

    def test_blocks_are_named_by_file_and_line(self) -> None:
        for target in (self.id, self.core):
            done = subprocess.run([LOUPE, "leaks", target], capture_output=True, text=True,
                                  check=False)
            self.assertIn("at ring.m:29 in make_ring", done.stdout)

    def test_a_name_with_the_end_of_a_line_is_found(self) -> None:
        moved = self.folder / "two\nlines" / "ring\n"
        moved.parent.mkdir()
        shutil.copy(RING, moved)
        with subprocess.Popen([moved], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as program:
            assert program.stdout
            while program.stdout.readline() != "ready\n":
                pass
            done = subprocess.run([LOUPE, "leaks", str(program.pid)], capture_output=True,
                                  text=True, check=False)
        self.assertEqual("", done.stderr)
        self.assertIn("at ring.m:29 in make_ring", done.stdout)

    def test_captures_have_the_names_of_their_variables(self) -> None:
        for target in (self.id, self.core):
            for words in (("leaks", target), ("cycles", target, self.ring)):
                done = subprocess.run([LOUPE, *words], capture_output=True, text=True, check=False)
                self.assertRegex(done.stdout, r"first +captured +→ Node ")
                self.assertIn("capture first weakly in the block at ring.m:29", done.stdout)

    def test_a_core_that_was_cut_off_is_incomplete(self) -> None:
        whole = pathlib.Path(self.core).read_bytes()
        moved = bytearray(whole)  # gdb writes the notes last; here the last memory stands behind them
        (table,), (count,) = struct.unpack_from("<Q", whole, 32), struct.unpack_from("<H", whole, 56)
        last = max(at for at in range(table, table + 56 * count, 56)
                   if struct.unpack_from("<II", whole, at) == (1, 6))
        struct.pack_into("<Q", moved, last + 8, len(whole) - 100)
        for content, expected in ((whole[:len(whole) // 2], ""), (bytes(moved), "incomplete: ")):
            done = subprocess.run([LOUPE, "heap", self.write(content, "cut")],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(2, done.returncode)
            self.assertIn("was cut off", done.stderr)
            self.assertIn(expected, done.stdout)

    def test_a_core_without_what_the_program_wrote(self) -> None:
        content = bytearray(pathlib.Path(self.core).read_bytes())
        (table,), (count,) = (struct.unpack_from("<Q", content, 32),
                              struct.unpack_from("<H", content, 56))
        writable = [at for at in range(table, table + 56 * count, 56)
                    if struct.unpack_from("<II", content, at)[0] == 1 and content[at + 4] & 2]
        size = sum(struct.unpack_from("<Q", content, at + 40)[0] for at in writable)
        for at in writable:
            struct.pack_into("<Q", content, at + 32, 0)
        done = subprocess.run([LOUPE, "leaks", self.write(bytes(content), "empty")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(2, done.returncode)
        self.assertIn(f"{len(writable)} regions of {size} bytes are not in it. "
                      "Write 0x33 to /proc/PID/coredump_filter", done.stderr)

    def test_a_time_that_is_over(self) -> None:
        done = subprocess.run([LOUPE, "heap", self.core, "--timeout", "0.000001"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(2, done.returncode)
        self.assertIn("the time limit (--timeout) was reached", done.stderr)

    def test_a_process_without_objects(self) -> None:
        with subprocess.Popen([BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as busy:
            assert busy.stdout
            busy.stdout.readline()
            done = subprocess.run([LOUPE, "heap", str(busy.pid)], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(0, done.returncode)
            self.assertIn("Heap without an Objective-C runtime: ", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
