"""Blocks in `frame variable`, and completion: what lldb itself does with what Loupe tells it."""
import unittest

import session

PROGRAMS = session.BUILD / "tests" / "lldb" / "programs"
COMPLETE = ("!(lambda found: [debugger.GetCommandInterpreter().HandleCompletion({line!r}, "
            "len({line!r}), 0, -1, found), [found.GetStringAtIndex(at) for at in "
            "range(1, found.GetSize())]][1])(lldb.SBStringList())")


def ask(fixture, *lines):
    [run] = session.carry_out([{"program": session.fixture(fixture), "stop": session.READY,
                                "commands": list(lines)}])
    assert not run["problem"], run["problem"]
    return run["commands"]


def recognises_types() -> bool:
    """Whether this LLDB asks a function which types a formatter is for: 14 does not."""
    return "recognizer" in session.batch("help type synthetic add").stdout


class Blocks(unittest.TestCase):
    maxDiff = None

    def outputs(self, fixture, *lines):
        return [session.normalised(answer["output"] + answer["error"])
                for answer in ask(fixture, *lines)]

    def test_only_who_enables_the_category_sees_them(self):
        session.end_planned()  # the next debugger has not been told yet
        before, _, after = self.outputs("captures_mixed", "frame variable block",
                                        "type category enable loupe", "frame variable block")
        self.assertNotIn("main.m", before)
        self.assertEqual("(void (^)()) block = <A1> void (^)(void) at main.m:44 in "
                         "-[Owner listenAs:ratio:limit:armed:]\n", after)

    def test_captured_variables_are_children(self):
        _, text = self.outputs("captures_mixed", "type category enable loupe",
                               "frame variable -P1 block")
        says = ' "upload"' if recognises_types() else ""
        self.assertEqual(f"""\
(void (^)()) block = <A1> void (^)(void) at main.m:44 in -[Owner listenAs:ratio:limit:armed:] {{
  self = <A2>
  title = <A3>{says}
  done = <A4> void (^)(void) at main.m:39 in -[Owner listenAs:ratio:limit:armed:]
  count = 1
  peer = <A2>
  ratio = 0.5
  raw = <A2>
  limit = 3
  armed = YES
}}
""", text)

    def test_paths_lead_through_blocks(self):
        _, number, variable, back = self.outputs(
            "captures_mixed", "type category enable loupe", "frame variable block->limit",
            "frame variable block->count", "frame variable block->self->_handler->limit")
        self.assertEqual("(int) block->limit = 3\n", number)
        self.assertEqual("(int) block->count = 1\n", variable)
        self.assertEqual("(int) block->self->_handler->limit = 3\n", back)

    def test_a_block_that_captures_nothing_has_no_children(self):
        _, text = self.outputs("global_block", "type category enable loupe",
                               "frame variable -P1 block")
        self.assertEqual("(int (^)(int)) block = <A1> int (^)(int number) at main.m:25 in main\n",
                         text)

    def test_nil_is_nil(self):
        [run] = session.carry_out([{
            "program": str(PROGRAMS / "things"), "stop": "thingsReady", "frame": 2,
            "commands": ["type category enable loupe", "frame variable noBlock"]}])
        self.assertEqual("(void (^)()) noBlock = nil\n", run["commands"][1]["output"])


class Objects(unittest.TestCase):
    """Where the runtime has the ivars, not where debug information places them."""

    maxDiff = None

    def ask(self, *lines):
        [run] = session.carry_out([{
            "program": str(PROGRAMS / "hidden"), "stop": "hiddenReady", "frame": 1,
            "commands": ["type category enable loupe", *lines]}])
        self.assertEqual("", run["problem"])
        outputs = [session.normalised(answer["output"] + answer["error"])
                   for answer in run["commands"][1:]]
        if not recognises_types():
            self.skipTest("this lldb takes no function that recognises types")
        return outputs

    def test_ivars_behind_those_that_a_header_does_not_show(self):
        pointer, object_itself = self.ask("frame variable -P1 shown", "frame variable *shown")
        members = """{
  _number = 7
  _other = <A2>
  _handler = <A3> void (^)(void) at hidden.m:36 in main
  _place = (x = 0, y = 3)
  _first = 11
  _kept = <A2>
  _last = 0.25
}
"""
        self.assertEqual(f"(Shown *) shown = <A1> {members}", pointer)
        self.assertEqual(f"(Shown) *shown = {members}".replace("<A2>", "<A1>")
                         .replace("<A3>", "<A2>"), object_itself)

    def test_what_is_no_object_has_no_children(self):
        [text] = self.ask("frame variable -P1 garbage")
        self.assertRegex(text, r"^\(Shown \*\) garbage = <A1>( \{\})?\n$")

    def test_what_is_no_block_is_called_none(self):
        [text] = self.ask("frame variable -P1 noBlock")
        self.assertEqual("(void (^)()) noBlock = <A1>, which is not a block\n", text)


class Completion(unittest.TestCase):
    def complete(self, *lines):
        [run] = session.carry_out([{
            "program": str(PROGRAMS / "things"), "stop": "thingsReady", "frame": 2,
            "commands": [COMPLETE.format(line=line) for line in lines]}])
        return [answer["output"] for answer in run["commands"]]

    def test_variables_and_their_members_also_behind_options(self):
        [helps] = ask("self_block", "help command script add")
        if "--completion-type" not in helps["output"]:
            self.skipTest("this lldb completes nothing for commands that are written in Python")
        variables, members, after_options = self.complete(
            "retain-cycles thi", "strong-refs pair.", "retain-cycles -v --limit 3 thi")
        self.assertEqual("['thing', 'things']", variables)
        self.assertEqual("['pair.first', 'pair.number']", members)
        self.assertEqual("['thing', 'things']", after_options)


if __name__ == "__main__":
    unittest.main()
