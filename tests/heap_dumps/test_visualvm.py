"""Every instance of a dump as VisualVM's heap library has it: class, size, retained size, and how far
it is from a root, to the byte. Skipped where VisualVM is not installed (Debian's package visualvm).

usage: test_visualvm.py LOUPE BENCH_FOLDER
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Dict

import java
import visualvm

LOUPE = ""
FOLDER = pathlib.Path()
LIBRARY: visualvm.Library
SKIPPED_CLASS = "java.lang.Class"  # whose objects are no instances there


def ask(*arguments: str) -> Dict[str, object]:
    done = subprocess.run([LOUPE, *arguments, "--count-as", "visualvm", "--json"],
                          capture_output=True, text=True, check=True)
    answer: Dict[str, object] = json.loads(done.stdout)
    return answer


def by_loupe(dump: str) -> Dict[str, visualvm.Instance]:
    objects = ask("find", str(FOLDER / dump), "*", "--limit", "0")["objects"]
    assert isinstance(objects, list)
    return {each["address"]: (each["class"], each["size"], each["retained"]) for each in objects}


class SameAsVisualVm(unittest.TestCase):
    maxDiff = 4000

    def compare(self, *heap: str) -> None:
        java.run_java(str(FOLDER / "classes"), "Heaps", heap[0], heap[1],
                      str(FOLDER / "heap.hprof"), *heap[2:])
        self.compare_dump("heap.hprof")

    def compare_dump(self, dump: str) -> None:
        theirs, distances = LIBRARY.instances(FOLDER / dump)
        ours = by_loupe(dump)
        (FOLDER / dump).unlink()
        self.assertGreater(len(theirs), 1000)
        self.assertEqual({address for address in ours if address not in theirs and
                          ours[address][0] != SKIPPED_CLASS}, set())
        differing = {address: (theirs[address], ours.get(address), distances[address])
                     for address in theirs if theirs[address] != ours.get(address)}
        self.assertEqual(dict(list(differing.items())[:10]), {})

    def test_tangled(self) -> None:
        self.compare("tangled", "20000")

    def test_deep(self) -> None:
        self.compare("deep", "2000")

    def test_ladder(self) -> None:
        self.compare("ladder", "1000")

    def test_with_garbage(self) -> None:
        self.compare("tangled", "5000", "all")

    def test_distances_from_roots(self) -> None:
        java.planted_app(FOLDER, "app.hprof")
        _, distances = LIBRARY.instances(FOLDER / "app.hprof")
        paths = ask("path", str(FOLDER / "app.hprof"), "--to-class", "com.example.App*",
                    "-n", "100", "--each")["paths"]
        assert isinstance(paths, list)
        self.assertGreater(len(paths), 90)
        for path in paths:
            self.assertEqual(path["length"], distances[path["objects"][-1]["address"]], path)


if __name__ == "__main__":
    java.need_java()
    if not visualvm.jar():
        java.skip("VisualVM is not installed: " + " or ".join(visualvm.PLACES))
    LOUPE = sys.argv.pop(1)
    BENCH = pathlib.Path(sys.argv.pop(1))
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        LIBRARY = visualvm.Library(FOLDER, BENCH)
        unittest.main()
