"""Which lines run of what is built for a Mac, as the tests of the box run it.

    coverage.py BUILD [ARGUMENT OF CTEST]...

BUILD is a build tree with LOUPE_BOX_COVERAGE. Runs its tests of the box without a debugger, or those that the
arguments pick, and prints the share of lines that ran: of each file for Darwin alone, and of each folder that has an aim. Exit status 1:
a test failed, or an aim was missed.

LLVM's own runtime would write what was counted into a file when a process ends. Here the box keeps the counters
(loader/counters.h), and this program puts them into that form: a header, then three sections as the image has them
(compiler-rt: include/profile/InstrProfData.inc, version 10 of the format, LLVM 19 and later).
"""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

PROJECT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = ("helper/libloupe_helper", "watch/libloupe_watch", "record/libloupe_record",
             "stacks/stalls/libloupe_stalls", "testing/libloupe_testing")
# Percent of the lines of each folder that has one; of files for Darwin alone that of all together.
AIMS = {"helper": 75, "record": 80, "watch": 80, "stacks/stalls": 75, "testing": 75}
DARWIN_AIM = 95
LLVM_VERSIONS = range(22, 18, -1)


class Section(NamedTuple):
    address: int
    size: int
    offset: int


class Lines(NamedTuple):
    ran: int
    all: int

    def __str__(self) -> str:
        return f"{self.ran:6} of {self.all:6}   {100 * self.ran / self.all if self.all else 100:5.1f} %"

    def reaches(self, percent: int) -> bool:
        return 100 * self.ran >= percent * self.all


def add(lines: List[Lines]) -> Lines:
    return Lines(sum(one.ran for one in lines), sum(one.all for one in lines))


# ---- Counters ----

def sections(image: bytes) -> Iterator[Tuple[str, Section]]:
    """All sections of a Mach-O file of 64 bits, by name."""
    segment_command = 0x19
    commands = struct.unpack_from("<I", image, 16)[0]
    at = 32
    for _ in range(commands):
        kind, size = struct.unpack_from("<II", image, at)
        count = struct.unpack_from("<I", image, at + 64)[0] if kind == segment_command else 0
        for i in range(count):
            name, _, address, length, offset = struct.unpack_from("<16s16sQQI", image, at + 72 + 80 * i)
            yield name.rstrip(b"\0").decode(), Section(address, length, offset)
        at += size


def raw_profile(image: bytes, counters: bytes) -> bytes:
    found = dict(sections(image))
    data, counts, names = (found[f"__llvm_prf_{part}"] for part in ("data", "cnts", "names"))
    magic, version, record_size, last_kind = b"\x81rforpl\xff", 10, 64, 2
    header = struct.pack("<8s15Q", magic, version, 0, data.size // record_size, 0, counts.size // 8, 0, 0, 0,
                         names.size, (counts.address - data.address) % (1 << 64), 0, names.address, 0, 0, last_kind)
    content = [image[part.offset:part.offset + part.size] for part in (data, names)]
    return header + content[0] + counters[:counts.size] + content[1] + bytes(-names.size % 8)


def llvm_tool(name: str) -> str:
    for version in LLVM_VERSIONS:
        path = shutil.which(f"{name}-{version}")
        if path:
            return path
    sys.exit(f"coverage: no {name} of LLVM {LLVM_VERSIONS[-1]} or later")


# ---- What is told of them ----

def by_file(images: List[pathlib.Path], folder: pathlib.Path) -> Dict[str, Lines]:
    """Lines of each file of the project, by its path there; a file of several libraries ran if it did in one."""
    profiles = []
    for image in images:
        counters = folder / f"{image.name}.counters"
        if not counters.exists():
            sys.exit(f"coverage: no test has loaded {image.name}")
        profiles.append(folder / f"{image.name}.profraw")
        profiles[-1].write_bytes(raw_profile(image.read_bytes(), counters.read_bytes()))
    merged = folder / "merged.profdata"
    subprocess.run([llvm_tool("llvm-profdata"), "merge", *map(str, profiles), "-o", str(merged)], check=True)
    objects = [part for image in images[1:] for part in ("-object", str(image))]
    told = subprocess.run([llvm_tool("llvm-cov"), "export", "-summary-only", f"-instr-profile={merged}",
                           str(images[0]), *objects], check=True, capture_output=True, text=True)
    files = json.loads(told.stdout)["data"][0]["files"]
    return {os.path.relpath(file["filename"], PROJECT):
            Lines(file["summary"]["lines"]["covered"], file["summary"]["lines"]["count"]) for file in files}


def show(name: str, lines: Lines, aim: Optional[int] = None) -> bool:
    """Whether the aim is reached."""
    reached = aim is None or lines.reaches(aim)
    told = "" if aim is None else f"   (aim {aim} %{'' if reached else ', MISSED'})"
    print(f"{name:40} {lines}{told}")
    return reached


def report(files: Dict[str, Lines]) -> bool:
    """Whether all aims are reached."""
    darwin = {name: lines for name, lines in files.items() if name.endswith("_darwin.c")}
    for name, lines in sorted(darwin.items()):
        show(name, lines)
    reached = [show("files for Darwin alone", add(list(darwin.values())), DARWIN_AIM)]
    print()
    for folder, aim in AIMS.items():
        inside = [lines for name, lines in files.items() if name.startswith(f"{folder}/")]
        reached.append(show(f"{folder}/", add(inside), aim))
    show("all that the libraries consist of", add(list(files.values())))
    return all(reached)


def main(build: str, arguments: List[str]) -> int:
    tree = pathlib.Path(build).resolve()
    folder = tree / "coverage"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    tested = subprocess.run(["ctest", "--test-dir", str(tree), "-L", "box", "-LE", "lldb|elf", "--output-on-failure", *arguments],
                            env={**os.environ, "BOX_COVERAGE": str(folder)}, check=False).returncode
    images = [tree / "tests" / "box" / "product" / f"{name}.dylib" for name in LIBRARIES]
    reached = report(by_file(images, folder))
    return 0 if reached and not tested else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
