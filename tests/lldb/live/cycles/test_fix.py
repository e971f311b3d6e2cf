"""`loupe fix` in LLDB: a fix of the last answer, as a patch of the source."""
import os
import pathlib
import re
import shutil
import tempfile
import unittest

import session

NONE = "error: loupe fix: no answer with fixes yet: ask retain-cycles, loupe leaks or loupe cycles first\n"


class Fix(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.source = pathlib.Path(cls.folder.name) / "main.m"
        shutil.copy(session.FIXTURES / "self_block" / "main.m", cls.source)
        cls.before = cls.source.read_text()
        os.utime(cls.source, (1, 1))
        os.environ["LOUPE_LIBCLANG"] = "none"  # as on a machine that has none
        patch = f"loupe fix 1a --source {cls.folder.name}"
        [run] = session.carry_out([{"program": session.fixture("self_block"), "stop": session.READY, "commands": [
            "loupe fix", "retain-cycles seed", "loupe fix", patch, "strong-refs seed", "loupe leaks", patch, "loupe fix 1b",
            "loupe cycles", f"{patch} --apply", f"{patch} --json"]}])
        cls.said = [answer["output"] or answer["error"] for answer in run["commands"]]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_of_no_answer(self):
        self.assertEqual(NONE, self.said[0])

    def test_the_list_is_that_of_the_last_answer(self):
        self.assertEqual("1a   capture self weakly in the block at main.m:24\n"
                         "1b   set Owner._handler to nil when the block is no longer needed (main.m:16)\n", self.said[2])

    def test_a_patch(self):
        self.assertIn("+    __weak __typeof__(self) weakSelf = self;\n", self.said[3])
        self.assertIn("-        [self finish];\n+        [strongSelf finish];\n", self.said[3])
        self.assertEqual(self.said[3], self.said[6])  # of a whole heap, and after a question without fixes
        page = (session.SOURCE / "docs" / "fix.md").read_text(encoding="utf-8")
        page = page.replace("Compiled by clang without a new warning.", "Not compiled: there is no libclang on this machine.")
        shown = re.search(r"^\(lldb\) loupe fix 1a .*\n((?:.*\n)*?)```$", page, re.M)
        self.assertEqual([line.rstrip() for line in self.said[3].splitlines()],
                         [line.rstrip() for line in shown[1].rstrip().splitlines()])

    def test_what_is_done_by_hand(self):
        self.assertIn("the code of class Owner is in no source below", self.said[7])

    def test_it_is_written_once(self):
        self.assertIn("Written to main.m.\n", self.said[9])
        self.assertEqual(len(self.before.splitlines()) + 4, len(self.source.read_text().splitlines()))
        self.assertIn('"status":"error"', self.said[10])


if __name__ == "__main__":
    unittest.main()
