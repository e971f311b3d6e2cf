"""A program without debug information: what is left is shown, and what is missing is said."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import session

ADDRESS = ("!hex(frame.FindVariable('{}').GetNonSyntheticValue().GetData()"
           ".GetUnsignedInt64(lldb.SBError(), 0))")
NAME = "captures_mixed"


@unittest.skipUnless(shutil.which("objcopy"), "there is no objcopy to take debug information away")
class WithoutDebugInfo(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        stripped = os.path.join(directory.name, NAME)
        subprocess.run(["objcopy", "-g", session.fixture(NAME), stripped], check=True)
        # lldb starts every program at the same addresses.
        [named] = session.carry_out([{"program": session.fixture(NAME), "stop": session.READY,
                                      "commands": [ADDRESS.format("seed"),
                                                   ADDRESS.format("block")]}])
        seed, block = (answer["output"] for answer in named["commands"])
        cls.lines = [f"retain-cycles {seed}", f"block-layout {block}", "strong-refs seed"]
        [run] = session.carry_out([{"program": stripped, "stop": session.READY,
                                    "commands": cls.lines}])
        cls.cycles, cls.block, cls.error = run["commands"]

    def test_a_ring_has_offsets_and_symbols(self):
        self.assertEqual("""\
1 retain cycle through Owner <A1>, leaked: 5 objects and 5 references walked

A ring of 2 objects, leaked: nothing outside keeps it alive
  ╭─▶ Owner <A1>
  │   _handler  ivar      → block <A2> in -[Owner listenAs:ratio:limit:armed:]
  ╰── +32       captured  → Owner <A1>
  To break it, best first:
    • capture the variable at +32 weakly in the block that runs \
__36-[Owner listenAs:ratio:limit:armed:]_block_invoke_2
    • set Owner._handler to nil when the block is no longer needed

Without names: a block of captures_mixed, which has no debug info
""", session.normalised(self.cycles["output"]))

    def test_a_block_has_offsets_and_kinds(self):
        rows = re.findall(r"^  \+(\d+) +(\d+) +(strong|block|byref|weak|unretained|data) ",
                          self.block["output"], re.M)
        self.assertEqual(
            [("32", "8", "strong"), ("40", "8", "strong"), ("48", "8", "block"),
             ("56", "8", "byref"), ("64", "8", "weak"), ("72", "8", "data"),
             ("80", "8", "unretained"), ("88", "5", "data")], rows)
        self.assertIn("\nvoid (^)(void) in -[Owner listenAs:ratio:limit:armed:]\n",
                      self.block["output"])
        self.assertIn("\n  93 bytes, all described\n", self.block["output"])
        self.assertTrue(self.block["output"].endswith(
            "\nWithout names: a block of captures_mixed, which has no debug info\n"))

    def test_a_name_that_is_not_known_here_asks_for_an_address(self):
        self.assertEqual("error: strong-refs: cannot evaluate seed: use of undeclared identifier "
                         "'seed'; there is no debug info here, so give an address\n",
                         self.error["error"])


if __name__ == "__main__":
    unittest.main()
