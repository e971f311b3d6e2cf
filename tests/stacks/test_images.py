"""Stacks in images of other systems and machines, at every instruction: functions are run in an
emulator, step by step, and where each call goes and comes back is noted. What the unwinder makes of
the registers and the stack has to be the same.

usage: test_images.py SHOW_UNWOUND BODIES_C CLANG LD_LLD LD64_LLD OBJDUMP QEMU_X86_64 QEMU_AARCH64
77: skipped
"""
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Dict, List, NamedTuple, Tuple

SHOW, SOURCE, CLANG, LD_LLD, LD64_LLD, OBJDUMP, *QEMUS = sys.argv[1:]
STACK = 48 * 1024
MOST_STEPS = 20000


class Machine(NamedTuple):
    qemu: List[str]
    stub: str  # calls the function at image + OFFSET, then ends
    registers: List[int]  # in the order of the emulator, by DWARF's numbers
    sp: int
    pc: int
    width: int  # of the stub's call and what is before it
    call: str
    end: str


MACHINES = {
    "x86_64": Machine([QEMUS[0]], "mov $40, %edi\ncall image + OFFSET\nmov $60, %eax\nsyscall\n",
                      [0, 3, 2, 1, 4, 5, 6, 7, *range(8, 17)], 7, 16, 10, r"call", r"ret"),
    "arm64": Machine([QEMUS[1], "-cpu", "max"],
                     "mov x0, #40\nbl image + OFFSET\nmov x8, #93\nsvc #0\n",
                     [*range(33)], 31, 32, 8, r"bl(r\w*)?$", r"ret\w*$"),
}


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


class Remote:
    """The emulator's end of the protocol of gdb."""

    def __init__(self, command: List[str], path: str) -> None:
        self.process = subprocess.Popen([command[0], "-g", path, *command[1:]])
        self.socket = socket.socket(socket.AF_UNIX)
        self.path = pathlib.Path(path)
        self.pending = b""
        self.socket.settimeout(30)
        while self.process.poll() is None:
            try:
                self.socket.connect(path)
                return
            except OSError:
                time.sleep(0.01)
        raise AssertionError("the emulator does not run")

    def ask(self, text: str) -> str:
        self.socket.sendall(f"${text}#{sum(text.encode()) & 255:02x}".encode())
        while b"#" not in self.pending or len(self.pending.split(b"#", 1)[1]) < 2:
            more = self.socket.recv(65536)
            if not more:
                raise AssertionError("the emulator is gone")
            self.pending += more
        answer, rest = self.pending.split(b"#", 1)
        self.pending = rest[2:]
        self.socket.sendall(b"+")
        answer = answer.lstrip(b"+$")
        # A byte that is repeated is written once, with how often.
        return re.sub(rb"(.)\*(.)", lambda found: found[1] * (found[2][0] - 28), answer).decode()

    def registers(self, count: int) -> List[int]:
        answer = self.ask("g")
        return [int.from_bytes(bytes.fromhex(answer[i * 16:i * 16 + 16]), "little")
                for i in range(count)]

    def memory(self, start: int, size: int) -> str:
        return "".join(self.ask(f"m{at:x},{min(1024, start + size - at):x}")
                       for at in range(start, start + size, 1024))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.socket.close()
        self.path.unlink()


class Steps(NamedTuple):
    lines: List[str]
    truth: List[List[int]]
    stack: int
    base: int


def code_of(image: str) -> Dict[int, str]:
    """The name of the instruction at each address."""
    return {int(at, 16): name for at, name in
            re.findall(r"^ *([0-9a-f]+):\s+(\w+)", run(OBJDUMP, "-d", "--no-show-raw-insn", image),
                       re.M)}


def offset_of(image: str, name: str) -> int:
    return int(re.findall(rf"^([0-9a-f]+) <_?{name}>:", run(OBJDUMP, "-d", image), re.M)[0], 16)


def run_in_emulator(arch: str, image: str, folder: pathlib.Path) -> Steps:
    machine = MACHINES[arch]
    source, program = folder / "run.s", str(folder / "run")
    stub = machine.stub.replace("OFFSET", str(offset_of(image, "all")))
    source.write_text(f'.text\n.globl _start\n_start:\n{stub}.balign 65536\nimage:\n.incbin "{image}"\n')
    target = {"x86_64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[arch]
    run(CLANG, f"--target={target}", "-c", "-o", f"{program}.o", str(source))
    run(LD_LLD, "-o", program, f"{program}.o")
    code = code_of(image)
    remote = Remote([*machine.qemu, program], str(folder / "socket"))
    try:
        return follow(machine, remote, code)
    finally:
        remote.close()


def follow(machine: Machine, remote: Remote, code: Dict[int, str]) -> Steps:
    values = remote.registers(len(machine.registers))
    pc, sp = (machine.registers.index(number) for number in (machine.pc, machine.sp))
    start, top = values[pc], values[sp] + 64
    base = (start // 65536 + 1) * 65536
    back = start + machine.width
    calls: List[int] = []
    page = start & ~4095
    steps = Steps([f"@{page:x} {remote.memory(page, 4096)}"], [], top - STACK, base)
    for _ in range(MOST_STEPS):
        here = values[pc]
        if here == back:
            return steps
        if here >= base:
            steps.lines.append(
                " ".join(f"{number}={value:x}" for number, value in zip(machine.registers, values))
                + f" @{values[sp]:x} {remote.memory(values[sp], top - values[sp])}")
            steps.truth.append([here, *reversed(calls)])
        name = code.get(here - base, "")
        remote.ask("s")
        values = remote.registers(len(machine.registers))
        if re.match(machine.call, name) or here < base <= values[pc]:
            # arm64 has instructions of one size; x86-64 has just pushed it.
            size = 8 if machine.sp == 7 else 0
            calls.append(int.from_bytes(bytes.fromhex(remote.memory(values[sp], size)), "little")
                         if size else here + 4)
        elif re.match(machine.end, name):
            calls.pop()
    raise AssertionError("it does not end")


WAYS: List[Tuple[str, ...]] = [
    ("-O0",), ("-O1", "-fno-omit-frame-pointer"), ("-O2", "-fno-omit-frame-pointer"),
    ("-O2", "-fomit-frame-pointer"), ("-Os", "-fomit-frame-pointer")]


class Images(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def link_macho(self, arch: str, *options: str) -> str:
        made, image = str(self.folder / "bodies.o"), str(self.folder / "bodies.dylib")
        run(CLANG, f"--target={arch}-apple-macos11", "-g0", "-fno-stack-protector", *options, "-c",
            "-o", made, SOURCE)
        run(LD64_LLD, "-arch", arch, "-platform_version", "macos", "11", "11", "-dylib",
            "-undefined", "dynamic_lookup", "-o", image, made)
        return image

    def link_elf(self, arch: str, *options: str) -> str:
        made, image = str(self.folder / "bodies.o"), str(self.folder / "bodies.so")
        target = {"x86_64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[arch]
        run(CLANG, f"--target={target}", "-g0", "-fPIC", "-fvisibility=hidden",
            "-fno-stack-protector", *options, "-c", "-o", made, SOURCE)
        run(LD_LLD, "-shared", "--no-rosegment", "--eh-frame-hdr", "-z",
            "max-page-size=4096", "-o", image, made)
        return image

    def unwound(self, arch: str, image: str, steps: Steps, *options: str) -> List[List[str]]:
        done = subprocess.run([SHOW, arch, image, f"{steps.base:x}", f"{steps.stack:x}", *options],
                              input="\n".join(steps.lines) + "\n", capture_output=True, text=True,
                              check=False)
        self.assertEqual(0, done.returncode, done.stderr)
        return [line.split() for line in done.stdout.splitlines()]

    def check(self, arch: str, image: str, *options: str) -> None:
        steps = run_in_emulator(arch, image, self.folder)
        found = self.unwound(arch, image, steps, *options)
        self.assertGreater(len(steps.truth), 300)
        self.assertEqual(len(steps.truth), len(found))
        wrong = [(truth, frames) for truth, frames in zip(steps.truth, found)
                 if [f"{address:x}" for address in truth] + ["outermost"] != frames]
        text = "\n".join(f"{[hex(at - steps.base) for at in truth]}\n"
                         f"{[hex(int(at, 16) - steps.base) for at in frames[:-1]]} {frames[-1]}"
                         for truth, frames in wrong[:8])
        self.assertFalse(wrong, f"{len(wrong)} of {len(found)} steps of {image}\n{text}")

    def test_compact_unwind_of_macho(self) -> None:
        for arch in MACHINES:
            for options in WAYS:
                with self.subTest(arch, options=options):
                    self.check(arch, self.link_macho(arch, *options))

    def test_call_frames_of_elf_for_arm64(self) -> None:
        for options in WAYS:
            with self.subTest(options):
                self.check("arm64", self.link_elf("arm64", *options))

    def test_return_addresses_that_are_signed(self) -> None:
        for options in WAYS[:3]:
            with self.subTest(options):
                self.check("arm64", self.link_elf("arm64", *options, "-mbranch-protection=standard"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
