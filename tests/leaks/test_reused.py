"""Objects that took the places of equal ones, told apart by `loupe diff` as far as that can be.

usage: test_reused.py LOUPE PROGRAM RECORDER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LOUPE, PROGRAM, RECORDER = sys.argv[1:]

# By class: new, gone, still, reused, maybe_reused. What another stack allocated is told surely.
BY_NEIGHBOURS = {
    "Untouched": (0, 0, 1, 0, 0),
    "OneChanged": (0, 0, 1, 0, 0),
    "BothChanged": (0, 0, 1, 0, 1),  # it is the same: nothing tells that
    "OtherParts": (0, 0, 1, 0, 1),
    "EqualElsewhere": (0, 0, 1, 0, 0),  # it is another: nothing tells that
    "EqualAgain": (0, 0, 1, 0, 0),  # the same
    "Leaf": (0, 0, 1, 0, 1),
    "MovedHolder": (0, 0, 2, 0, 0),
}
BY_STACKS = {**BY_NEIGHBOURS,
             "OtherParts": (1, 1, 0, 1, 0),
             "EqualElsewhere": (1, 1, 0, 1, 0),
             "EqualAgain": (1, 1, 0, 1, 0),
             "Leaf": (1, 1, 0, 1, 0)}
FIELDS = ("new", "gone", "still", "reused", "maybe_reused")


def run(*words):
    return subprocess.run([LOUPE, *map(str, words)], stdout=subprocess.PIPE, encoding="utf-8",
                          timeout=1800, check=True).stdout


class Reused(unittest.TestCase):
    def snapshots(self, **variables):
        """Before and after; the program says whether malloc did what it wanted."""
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        folder = pathlib.Path(directory.name)
        files = [folder / "before.loupe", folder / "after.loupe"]
        with subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, **variables}) as process:
            for file in files:
                self.assertEqual(process.stdout.readline(), "ready\n")
                run("snapshot", process.pid, file)
                if file is files[0]:
                    process.stdin.write("go\n")
                    process.stdin.flush()
            process.stdin.close()
            self.assertEqual(process.wait(timeout=1800), 0)
        return files

    def of_class(self, files, name):
        rows = json.loads(run("diff", "--json", "--class", name, *files))["classes"]
        return tuple(rows[0][field] for field in FIELDS) if rows else None

    def check(self, files, truth):
        for name, counts in truth.items():
            with self.subTest(name):
                unchanged = not counts[0] and not counts[4]
                self.assertEqual(self.of_class(files, name), None if unchanged else counts)

    def test_by_neighbours(self):
        files = self.snapshots()
        self.check(files, BY_NEIGHBOURS)
        answer = json.loads(run("diff", "--json", *files))
        self.assertEqual((answer["same_process"], answer["reused"], answer["maybe_reused"]),
                         (True, 0, 3))
        text = run("diff", *files)
        self.assertIn("3 of those still there may be new ones at the same address", text)
        self.assertIn("libloupe_record tells some apart", text)
        self.assertEqual("No new leaks" in text, "held only by the kernel" not in text, text)

    def test_by_recorded_stacks(self):
        files = self.snapshots(LD_PRELOAD=RECORDER)
        self.check(files, BY_STACKS)
        text = run("diff", *files)
        self.assertIn("stand where another of the class was freed", text)
        self.assertNotIn("libloupe_record tells", text)

    def test_two_processes(self):
        before, after = self.snapshots()[0], self.snapshots()[1]
        answer = json.loads(run("diff", "--json", before, after))
        self.assertFalse(answer["same_process"])
        self.assertNotIn("maybe_reused", answer)
        self.assertIn("these are two processes", run("diff", before, after))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
