"""What lets a program grow is named: a cache, observers; and nothing is said of what does not grow.

usage: test_growing.py LOUPE PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from waiting import snapshots_of

LOUPE, PROGRAM = sys.argv[1:]


def diff(*words):
    return subprocess.run([LOUPE, "diff", *words], capture_output=True, text=True, timeout=1700,
                          check=False).stdout


class Growing(unittest.TestCase):
    def test_known_mistakes_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            files, trouble = snapshots_of([PROGRAM], LOUPE, pathlib.Path(folder))
            self.assertFalse(trouble)
            answer = json.loads(diff("--json", "--limit", "0", *files))
            text = diff(*files)
        named = {row["class"]: row.get("pattern")
                 for row in answer["classes"]}
        self.assertEqual("cache-never-shrinks", named["Thumbnail"], answer)
        self.assertEqual("observers-never-removed", named["Screen"], answer)
        self.assertEqual("singleton-collects", named["Preview"], answer)
        self.assertNotIn("Row", named)
        self.assertNotIn("pool-never-drained", named.values(), "what most new ones show, and not one of them")
        holders = {row["class"]: (row.get("held_by") or {}).get("culprit") for row in answer["classes"]}
        self.assertEqual(("Store._thumbnailCache", "Store._observers"), (holders["Thumbnail"], holders["Screen"]))
        self.assertEqual("Preview._title", holders["GSMutableString"])
        self.assertRegex(holders["Preview"] or "", r"^previews \((static|global) in growing(\.m)?\)$")
        self.assertIn("What holds the new ones:\n", text)
        self.assertRegex(text, r"Known mistake: A cache grows and never shrinks \((?:[^\n]*, )?Thumbnail(?:, [^\n]*)?\)\n")
        self.assertEqual(3, text.count("Known mistake: "))  # each once, with its classes
        self.assertIn("Known mistake: Observers are added and never removed (Screen)\n", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
