"""Heaps that virtual machines lay out differently, and dumps that others than HotSpot write: sizes against
what the machine counts itself, and what is alive and owned against VisualVM's library and the published
rules of Eclipse MAT, object by object.

usage: test_flavours.py LOUPE BENCH_FOLDER [--all]
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import typing
import unittest

import drawn_dump
import mat_rules
import visualvm
import zoo
from hprof_reader import HeapDump

LOUPE = ""
FOLDER = pathlib.Path()
LIBRARY: typing.Optional[visualvm.Library] = None
FLAVOURS: typing.Dict[str, zoo.Flavour] = {}
QUICK = ("wide classes", "aligned 16")
DRAWN = {
    "an agent's": drawn_dump.by_an_agent,
    "an agent's of 32 bits": lambda: drawn_dump.by_an_agent(4),
    "a ring": drawn_dump.ring,
    "a ring, 1.0.1": lambda: drawn_dump.ring(8, "1.0.1", False),
    "a ring of 32 bits": lambda: drawn_dump.ring(4),
}
# To these the machine adds fields or room that no dump shows.
WITH_HIDDEN_FIELDS = ("Module", "MemberName", "ResolvedMethodName", "Thread", "Loader", "Handler",
                      "Cleaner", "CallSite", "InternalError", "Context", "StackFrameInfo",
                      "Continuation")


def by_class(dump: pathlib.Path) -> typing.Dict[str, typing.Tuple[int, int]]:
    done = subprocess.run([LOUPE, "heap", str(dump), "--limit", "0", "--json"], check=True,
                          capture_output=True, text=True)
    found: typing.Dict[str, typing.Tuple[int, int]] = {}
    for entry in json.loads(done.stdout)["classes"]:
        before = found.get(entry["class"], (0, 0))
        found[entry["class"]] = (before[0] + entry["count"], before[1] + entry["size"])
    return found


def objects_by(tool: str, dump: pathlib.Path) -> typing.List[typing.Dict[str, typing.Any]]:
    done = subprocess.run([LOUPE, "find", str(dump), "*", "--limit", "0", "--count-as", tool,
                           "--json"], check=True, capture_output=True, text=True)
    found: typing.List[typing.Dict[str, typing.Any]] = json.loads(done.stdout)["objects"]
    return found


class Flavours(unittest.TestCase):
    maxDiff = 4000

    @unittest.skipUnless(all(map(shutil.which, ("java", "javac", "jcmd"))), "there is no JDK")
    def test_of_each_machine(self) -> None:
        made = 0
        for name, flavour in FLAVOURS.items():
            with self.subTest(flavour=name), tempfile.TemporaryDirectory() as folder:
                heap = zoo.make(pathlib.Path(folder), flavour)
                if heap is None:
                    print(f"left out: {name}: no such machine here", file=sys.stderr)
                    continue
                made += 1
                self.compare_sizes(heap)
                self.compare_owners(heap.dump)
                print(f"compared: {name}", file=sys.stderr, flush=True)
        self.assertGreater(made, 0)

    def test_drawn_as_others_write_them(self) -> None:
        for number, (name, draw) in enumerate(DRAWN.items()):
            with self.subTest(dump=name):
                file = FOLDER / f"{number}.hprof"  # VisualVM remembers files by their names
                file.write_bytes(draw().bytes())
                self.compare_with_mat(file)
                # It needs classes of all arrays, and of 64 bits the properties of the system.
                if LIBRARY and "[B" in draw().strings and draw().id_size == 4:
                    self.compare_with_visualvm(file, LIBRARY)

    def compare_sizes(self, heap: zoo.Made) -> None:
        """Asking changes what is asked: classes of which some came or went are not compared."""
        got, same = by_class(heap.dump), 0
        for name, (count, size) in heap.histogram.items():
            if name == "java.lang.Class" or name not in got or got[name][0] != count:
                continue
            if name.endswith(WITH_HIDDEN_FIELDS):
                self.assertLessEqual(got[name][1], size, name)
                continue
            self.assertEqual(got[name][1], size, name)
            same += 1
        self.assertGreater(same, 0.8 * len(heap.histogram))
        for name in ("Zoo$A", "Zoo$B", "Zoo$C", "Zoo$D", "Zoo$E", "Zoo$F", "long[]"):
            self.assertEqual(got[name], heap.histogram[name], name)

    def compare_owners(self, dump: pathlib.Path) -> None:
        self.compare_with_mat(dump)
        if LIBRARY:
            self.compare_with_visualvm(dump, LIBRARY)

    def compare_with_mat(self, dump: pathlib.Path) -> None:
        """Sizes are ours, since MAT's are other ones; who is alive and who owns whom is not."""
        found = {int(entry["address"], 16): entry for entry in objects_by("mat", dump)}
        sizes = {address: entry["size"] for address, entry in found.items()}
        want = mat_rules.retained(mat_rules.graph_of(HeapDump(dump)), sizes)
        alive = {address for address, entry in found.items() if entry["reachable"]}
        self.assertEqual(alive ^ set(want), set())
        differing = {hex(address): (want[address], found[address]["retained"]) for address in want
                     if want[address] != found[address]["retained"]}
        self.assertEqual(dict(list(differing.items())[:10]), {})

    def compare_with_visualvm(self, dump: pathlib.Path, library: visualvm.Library) -> None:
        theirs, _ = library.instances(dump)
        ours = {entry["address"]: (entry["class"], entry["size"], entry["retained"])
                for entry in objects_by("visualvm", dump)}
        differing = {address: (theirs[address], ours.get(address)) for address in theirs
                     if theirs[address] != ours.get(address)}
        self.assertEqual(dict(list(differing.items())[:10]), {})


if __name__ == "__main__":
    LOUPE = sys.argv.pop(1)
    BENCH = pathlib.Path(sys.argv.pop(1))
    takes_all = "--all" in sys.argv and not sys.argv.remove("--all")
    FLAVOURS = {name: flavour for name, flavour in zoo.FLAVOURS.items()
                if takes_all or name in QUICK}
    with tempfile.TemporaryDirectory() as scratch:
        FOLDER = pathlib.Path(scratch)
        if takes_all and visualvm.jar():
            LIBRARY = visualvm.Library(FOLDER, BENCH)
        else:
            print("without VisualVM's library: it is not installed, or this is the quick test",
                  file=sys.stderr)
        unittest.main()
