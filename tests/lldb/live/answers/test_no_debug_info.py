"""A program without debug information: what is left is shown, and what is missing is said."""
import ast
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
1 leaked retain cycle through Owner <A1>
Fix: capture the Owner (+32) weakly in the block that runs __36-[Owner listenAs:ratio:limit:armed:]_block_invoke_2

Retain cycle of 2 objects, leaked: nothing outside the cycle retains it
  ╭─▶ Owner <A1>
  │   _handler  ivar      → block <A2> in -[Owner listenAs:ratio:limit:armed:]
  ╰── +32       captured  → Owner <A1>
  Fixes, best first:
    • capture the Owner (+32) weakly in the block that runs \
__36-[Owner listenAs:ratio:limit:armed:]_block_invoke_2
    • set Owner._handler to nil when the block is no longer needed
  Known mistake: A block that its owner stores captures the owner

Without names: a block of captures_mixed, which has no debug info
searched 5 objects, 5 references
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


NAMED_LATE = """!(lambda module, answer: (module("lldb_commands.names.debug_names").add_names(
    answer, module("lldb_commands.session.context").Context(
        debugger, target, process, process.GetSelectedThread(), frame, deadline=0)), answer)[1])(
    __import__("importlib").import_module,
    {"query": "strong-refs", "objects": {"0x10": {"kind": "object", "class": "Owner"},
                                         "0x20": {"kind": "class", "class": "NSObject"}}})
""".replace("\n", "")


class TooLate(unittest.TestCase):
    """When the time is up before all is named, the answer says so, whatever was to be named next."""

    def test_classes_of_which_nothing_more_is_told_are_counted(self):
        [run] = session.carry_out([{"program": session.fixture(NAME), "stop": session.READY,
                                    "commands": [NAMED_LATE]}])
        self.assertEqual("", run["problem"])
        answer = ast.literal_eval(run["commands"][0]["output"])
        self.assertEqual(["2 objects and references, for want of time: allow more with --timeout"],
                         [item["what"] for item in answer.get("unnamed", [])])


@unittest.skipUnless(shutil.which("objcopy"), "there is no objcopy to take debug information away")
class Paths(unittest.TestCase):
    """What the symbol table and registers name; ivars by the runtime."""

    def ask(self, *lines):
        program = session.BUILD / "tests" / "lldb" / "programs" / "holders"
        with tempfile.TemporaryDirectory() as directory:
            stripped = os.path.join(directory, "holders")
            subprocess.run(["objcopy", "-g", str(program), stripped], check=True)
            [run] = session.carry_out([{"program": stripped, "stop": "holdersReady", "frame": 0,
                                        "commands": list(lines)}])
        return [answer["output"] + answer["error"] for answer in run["commands"]]

    def test_a_path_begins_at_a_variable_of_the_symbol_table(self):
        whole, path, wrong = self.ask("strong-refs shared", "strong-refs shared->_window",
                                      "strong-refs shared->_windows")
        self.assertRegex(whole, r"\Ashared \(AppDelegate 0x\w+\) holds 2 objects strongly\n")
        self.assertRegex(path, r"\Ashared->_window \(Window 0x\w+\) holds 1 object strongly\n")
        self.assertEqual("error: strong-refs: shared has no _windows; it has _window, _onQuit\n",
                         wrong)

    def test_data_without_a_variable_goes_by_its_library(self):
        program = session.BUILD / "tests" / "lldb" / "programs" / "holders"
        with tempfile.TemporaryDirectory() as directory:
            stripped = os.path.join(directory, "holders")
            subprocess.run(["objcopy", "--strip-debug", "--strip-symbol=shared", str(program),
                            stripped], check=True)
            held = f"strong-refs --incoming {{}}"
            [run] = session.carry_out([{"program": stripped, "stop": "holdersReady", "frame": 0,
                                        "commands": [held.format("lastView")]}])
        [text] = [answer["output"] + answer["error"] for answer in run["commands"]]
        self.assertIn("(global in holders)", text)
        self.assertNotRegex(text, r"__bss_start|_edata|\b_end\b")

    def test_a_path_begins_at_a_register(self):
        register = "rax" if os.uname().machine == "x86_64" else "x0"
        put = (f"!frame.FindRegister('{register}').SetValueFromCString(hex(process."
               "ReadPointerFromMemory(target.FindSymbols('shared')[0].symbol.addr.GetLoadAddress("
               "target), lldb.SBError())), lldb.SBError())")
        _, path = self.ask(put, f"strong-refs ${register}->_window")
        self.assertRegex(path, r"_window \(Window 0x\w+\) holds 1 object strongly\n")


if __name__ == "__main__":
    unittest.main()
