"""Native heaps written as heap dumps, as VisualVM's library reads them: the same objects, classes and
sizes, and what each retains. Skipped where VisualVM is not installed (Debian's package visualvm).

usage: test_visualvm.py LOUPE BENCH_FOLDER WRITE_DRAWN
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import typing
import unittest

import java

LOUPE = ""
WRITE_DRAWN = ""
FOLDER = pathlib.Path()
LIBRARY = "/usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar"
Instance = typing.Tuple[str, int, int]  # class, size, retained size
CLASSES = "java.lang.Class"  # no instances there


def by_visualvm(dump: pathlib.Path) -> typing.Dict[str, Instance]:
    java.run_java(f"{FOLDER / 'classes'}:{LIBRARY}", "VisualVm", str(dump), str(FOLDER / "objects"))
    instances = {}
    for line in (FOLDER / "objects").read_text().splitlines():
        address, rest = line.split(" ", 1)
        name, size, retained, _ = rest.rsplit(" ", 3)
        instances[address] = (name, int(size), int(retained))
    return instances


def by_loupe(dump: pathlib.Path) -> typing.Dict[str, Instance]:
    done = subprocess.run([LOUPE, "find", str(dump), "*", "--limit", "0", "--count-as", "visualvm",
                           "--json"], capture_output=True, text=True, check=True)
    return {each["address"]: (each["class"], each["size"], each["retained"])
            for each in json.loads(done.stdout)["objects"] if each["class"] != CLASSES}


class TestVisualVm(unittest.TestCase):
    def test_random_heaps(self) -> None:
        for seed in range(1, 9):
            dump = FOLDER / f"drawn{seed}.hprof"
            subprocess.run([WRITE_DRAWN, str(dump), str(seed)], check=True)
            theirs, ours = by_visualvm(dump), by_loupe(dump)
            self.assertEqual(set(theirs), set(ours))
            differing = [(address, theirs[address], ours[address]) for address in theirs
                         if theirs[address] != ours[address]]
            self.assertEqual(differing[:10], [])


if __name__ == "__main__":
    java.need_java()
    if not pathlib.Path(LIBRARY).exists():
        java.skip("VisualVM is not installed: " + LIBRARY)
    LOUPE, BENCH, WRITE_DRAWN = sys.argv[1:4]
    del sys.argv[1:4]
    with tempfile.TemporaryDirectory() as made:
        FOLDER = pathlib.Path(made)
        java.compile_sources(FOLDER / "classes", sorted(pathlib.Path(BENCH).glob("*.java")),
                             LIBRARY)
        unittest.main()
