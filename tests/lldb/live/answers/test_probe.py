"""--probe of block-layout and ivar-layout: what is described beside what is released."""
import unittest

import session

PROGRAM = str(session.BUILD / "tests" / "lldb" / "programs" / "probed")
BLOCK, ITEM = "*(void **)&probedBlock", "*(void **)&probedItem"


class Stripped(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.questions = [f"block-layout {BLOCK}", f"block-layout --probe {BLOCK}",
                         f"ivar-layout --probe {ITEM}", "ivar-layout --probe Item"]
        [run] = session.carry_out([{"program": PROGRAM, "stop": "probedReady", "core": None,
                                    "commands": cls.questions}])
        assert not run["problem"], run["problem"]
        cls.texts = {question: result["output"] + result["error"]
                     for question, result in zip(cls.questions, run["commands"])}

    def table(self, question, column):
        """What stands in a column, for each line of a table that begins with an offset."""
        return [line.split()[column] for line in self.texts[question].splitlines()
                if line.startswith("  +")]

    def test_without_names_the_layout_is_believed(self):
        text = self.texts[f"block-layout {BLOCK}"]
        self.assertRegex(text, r"\+32 +8 +strong .*layout")
        self.assertRegex(text, r"\+40 +8 +strong .*layout")
        self.assertNotIn("Dispose probe", text)

    def test_probe_shows_that_this_is_not_owned(self):
        text = self.texts[f"block-layout --probe {BLOCK}"]
        self.assertRegex(text, r"\+32 +8 +strong .*layout, probe")
        self.assertRegex(text, r"\+40 +8 +unretained .*probe")
        self.assertIn("Dispose probe: its helper releases 1 of them", text)
        self.assertIn("Conflict at +40: probe says unretained, layout says strong; taken as "
                      "unretained", text)

    def test_ivars_of_an_object_and_of_a_class(self):
        for question in (f"ivar-layout --probe {ITEM}", "ivar-layout --probe Item"):
            text = self.texts[question]
            self.assertIn("  probe: .cxx_destruct destroys 4 of them\n", text)
            self.assertIn("  probe: not made, it has no .cxx_destruct", text)
            self.assertNotIn("Conflict", text)


if __name__ == "__main__":
    unittest.main()
