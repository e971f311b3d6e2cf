"""Tables of lines of files that others made, row by row against llvm-dwarfdump: debug files of packages
that are installed, the largest of three.

usage: test_dwarfdump.py SHOW_LINES DWARFDUMP OBJCOPY; 77: skipped
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Dict, Iterator, List, NamedTuple, Tuple

from share import share_of

SHOW, DWARFDUMP, OBJCOPY = sys.argv[1:]
PACKAGES = 3
ROWS = 200_000  # of a file
LARGEST = 64 << 20
FOLDERS = ("usr/lib/debug/**/*.debug", "usr/lib/*/debug/*.so*")


class Sequence(NamedTuple):
    rows: List[Tuple[int, int, str]]  # address, line, path
    end: int


class Table:
    """What a table lists before its rows."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.folders: Dict[int, str] = {}
        self.files: Dict[int, Tuple[str, int]] = {}

    def path(self, number: int) -> str:
        name, folder = self.files.get(number, ("", 0))
        if not folder:  # from version 5 on where the compiler ran, before that nowhere
            return os.path.join(self.folders.get(0, ""), name)
        path = os.path.join(self.folders.get(folder, ""), name)
        return os.path.join(self.folders.get(0, ""), path)


def sequences(file: pathlib.Path) -> Iterator[Sequence]:
    table, rows, number = Table(0), [], 0
    with subprocess.Popen([DWARFDUMP, "--debug-line", str(file)], stdout=subprocess.PIPE, text=True, errors="surrogateescape") as process:
        assert process.stdout
        for line in process.stdout:
            if line.startswith("0x"):
                words = line.split()
                address = int(words[0], 16)
                if "end_sequence" in words:
                    yield Sequence(rows, address)
                    rows = []
                else:
                    rows.append((address, int(words[1]), table.path(int(words[3]))))
            elif found := re.match(r"\s*version: (\d+)", line):
                table = Table(int(found[1]))
            elif found := re.match(r'include_directories\[\s*(\d+)\] = "(.*)"', line):
                table.folders[int(found[1])] = found[2]
            elif found := re.match(r"file_names\[\s*(\d+)\]:", line):
                number = int(found[1])
            elif found := re.match(r'\s*name: "(.*)"', line):
                table.files[number] = (found[1], 0)
            elif found := re.match(r"\s*dir_index: (\d+)", line):
                table.files[number] = (table.files[number][0], int(found[1]))


def wanted(file: pathlib.Path) -> Dict[int, Tuple[int, str]]:
    """The line of each address that a row begins at, and of one in the middle; where sequences overlap nobody knows."""
    found: Dict[int, Tuple[int, str]] = {}
    spans: List[Tuple[int, int]] = []
    for sequence in sequences(file):
        if not sequence.rows or not sequence.rows[0][0]:
            continue  # of code that the linker took out
        spans.append((sequence.rows[0][0], sequence.end))
        for row, following in zip(sequence.rows, [*sequence.rows[1:], (sequence.end, 0, "")]):
            if row[0] < following[0]:
                for address in {row[0], (row[0] + following[0]) // 2}:
                    found[address] = row[1:]
    spans.sort()
    overlaps = [(max(a[0], b[0]), min(a[1], b[1])) for a, b in zip(spans, spans[1:]) if a[1] > b[0]]
    return {address: told for address, told in found.items() if not any(start <= address < end for start, end in overlaps)}


def packages_of(paths: List[pathlib.Path]) -> Dict[str, str]:
    """By path, as far as somebody knows whose it is; asked once, since that searches the lists of all packages."""
    if not paths or not shutil.which("dpkg"):
        return {}
    done = subprocess.run(["dpkg", "-S", *map(str, paths)], capture_output=True, text=True, check=False)
    owned = (line.rpartition(": ") for line in done.stdout.splitlines())
    return {path: package.split(":")[0] for package, _, path in owned}


def debug_files() -> List[Tuple[str, pathlib.Path]]:
    """The largest of each package."""
    paths = [path for folder in FOLDERS for path in pathlib.Path("/").glob(folder)]
    files = [(path.stat().st_size, path) for path in paths if path.is_file() and not path.is_symlink()]
    ordered = [path for size, path in sorted(files, reverse=True) if size < LARGEST]
    packages = packages_of(ordered)
    found: Dict[str, pathlib.Path] = {}
    for path in ordered:
        if len(found) < PACKAGES and str(path) in packages:
            found.setdefault(packages[str(path)], path)
    return list(found.items())


class Lines(unittest.TestCase):
    def section(self, file: pathlib.Path, name: str) -> pathlib.Path:
        to, rest = self.folder / name, self.folder / "rest"  # for root llvm-objcopy puts a file in the place of a device
        subprocess.run([OBJCOPY, "--dump-section", f".{name}={to}", str(file), str(rest)], capture_output=True, check=False)
        return to

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_rows(self) -> None:
        for package, file in debug_files():
            whole = self.folder / "whole"
            subprocess.run([OBJCOPY, "--decompress-debug-sections", str(file), str(whole)], check=True)
            told = wanted(whole)
            self.assertTrue(told, file)
            addresses = sorted(told)
            if len(addresses) > ROWS:
                addresses = sorted(random.Random(7).sample(addresses, ROWS))
            addresses = share_of(addresses)
            sections = [self.section(whole, name) for name in ("debug_line", "debug_line_str", "debug_str")]
            said = subprocess.run([SHOW, *map(str, sections)], input="".join(f"{address:x}\n" for address in addresses), capture_output=True,
                                  text=True, errors="surrogateescape", check=True).stdout.splitlines()
            different = []
            for address, line in zip(addresses, said):
                number, path = told[address]
                ours = line.split(" ", 1)
                same = number == 0 and line == "-" or (ours[0] == str(number) and os.path.normpath(ours[-1]) == os.path.normpath(path))
                if not same:
                    different.append(f"{address:#x}: {line}, not {number} {path}")
            print(f"{package}: {len(addresses)} addresses of {file.name}")
            self.assertEqual([], different[:5], f"{len(different)} of {len(addresses)} in {file}")


if __name__ == "__main__":
    if not debug_files():
        print("no debug files of packages are installed")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
