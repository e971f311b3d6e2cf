"""Writes seeds, one per line with \\xNN for bytes that are no text, as one file each.

    write_corpus.py SEEDS.txt|SEEDS.py DIRECTORY
"""
import pathlib
import re
import subprocess
import sys
from typing import List


def lines_of(seeds: pathlib.Path) -> List[str]:
    if seeds.suffix == ".py":
        return subprocess.run([sys.executable, "-B", str(seeds)], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.splitlines()
    return seeds.read_text().splitlines()


def to_bytes(line: str) -> bytes:
    return re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes([int(match[1], 16)]), line.encode())


def main() -> None:
    seeds, directory = map(pathlib.Path, sys.argv[1:3])
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob("seed-*"):
        old.unlink()
    for number, line in enumerate(line for line in lines_of(seeds) if line):
        (directory / f"seed-{number:03}").write_bytes(to_bytes(line))


main()
