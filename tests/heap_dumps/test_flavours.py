"""Heaps that virtual machines lay out differently: sizes against what the machine counts itself.

usage: test_flavours.py LOUPE [--all]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import typing
import unittest

import java
import zoo

LOUPE = ""
FLAVOURS: typing.Dict[str, zoo.Flavour] = {}
QUICK = ("wide classes", "aligned 16")
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


class Sizes(unittest.TestCase):
    def test_bytes_of_each_class_are_those_that_the_machine_counts(self) -> None:
        made = 0
        for name, flavour in FLAVOURS.items():
            with self.subTest(flavour=name), tempfile.TemporaryDirectory() as folder:
                heap = zoo.make(pathlib.Path(folder), flavour)
                if heap is None:
                    print(f"left out: {name}: no such machine here", file=sys.stderr)
                    continue
                made += 1
                self.compare(heap)
        self.assertGreater(made, 0)

    def compare(self, heap: zoo.Made) -> None:
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


if __name__ == "__main__":
    LOUPE = sys.argv.pop(1)
    takes_all = "--all" in sys.argv and not sys.argv.remove("--all")
    FLAVOURS = {name: flavour for name, flavour in zoo.FLAVOURS.items()
                if takes_all or name in QUICK}
    java.need_java("jcmd")
    unittest.main()
