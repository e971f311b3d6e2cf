"""Values beside names in lldb's own variables, and numbers of the last answer in its own expressions: live and in cores,
without running code."""
import json
import pathlib
import re
import shutil
import tempfile
import unittest

import session

PROGRAM = session.BUILD / "tests" / "heap" / "heap_tagged"
STOP = "tagged_ready"
SAID = {"bytes": '"seven77"', "six": '"New_Views"', "five": '"instruments"', "empty": '""', "one": "1",
        "negative": "-9000000000", "real": "2.5", "vast": "18446744073709551615", "yes": "true",
        "date": "2023-11-14T22:13:20.25Z", "path": "{1, 3}", "list": "3 items"}


def ask(*lines, core=None, program=PROGRAM, stop=STOP):
    [run] = session.carry_out([{"program": str(program), "stop": stop, "core": core, "commands": list(lines)}])
    assert not run["problem"], run["problem"]
    return run["commands"]


class Live(unittest.TestCase):
    """Each also in a core."""

    core = None

    def ask(self, *lines):
        return ask(*lines, core=self.core)

    def test_variables_say_what_objects_say(self):
        if "recognizer" not in session.batch("help type synthetic add").stdout:
            self.skipTest("this lldb takes no function that recognises types")
        *_, plain, title, members = self.ask(
            "type category disable loupe", "frame variable title", "type category enable loupe", "frame variable title",
            "frame variable -P1 sample")[1:]
        self.assertNotIn("local", plain["output"])
        self.assertRegex(title["output"], r'^\(NSString \*\) title = 0x[0-9a-f]+ "local"')
        said = dict(re.findall(r"(?m)^  (\w+) = 0x[0-9a-f]+ (.*?)(?: \{\})?$", members["output"]))
        self.assertEqual(SAID, {name: said.get(name) for name in SAID})
        self.assertRegex(members["output"], r'(?m)^  label = 0x[0-9a-f]+ "said in C ')

    def test_ivars_show_what_pointers_say_that_are_values(self):
        [answer] = self.ask("ivar-layout --json sample")
        shown = {ivar["name"]: ivar["shown"] for ivar in json.loads(answer["output"])["levels"][0]["ivars"] if "shown" in ivar}
        self.assertEqual(('"seven77"', "1", '"said in C \x1b[31m"', "setObject:forKey:"),
                         tuple(shown[name] for name in ("bytes", "one", "label", "action")))

    def test_show_says_what_fields_hold(self):
        [answer] = self.ask("loupe show --json sample")
        fields = {field["name"]: field for field in json.loads(answer["output"])["fields"]}
        said = {name: (fields[name].get("object") or {}).get("value") for name in SAID}
        self.assertEqual(SAID, said)
        self.assertEqual('"said in C \x1b[31m"', fields["label"]["value"])

    def test_numbers_of_the_last_answer_are_known_to_expressions(self):
        refs, printed, compared, cast, none, taken = self.ask(
            "strong-refs sample", "p $loupe1", "expression $loupe1 == (id)sample",
            "expression ((Sample *)$loupe1) == sample", "expression $loupe999",
            "!str(frame.EvaluateExpression('$loupe1').GetValueAsUnsigned() == frame.FindVariable('sample').GetValueAsUnsigned())")
        address = re.search(r"Sample (0x[0-9a-f]+)", refs["output"])[1]
        self.assertRegex(printed["output"], rf"^\(id\) (\$\d+ = )?0x0*{address[2:]}\b")
        self.assertIn("(bool)", compared["output"])
        self.assertIn("= true", compared["output"] + cast["output"])
        self.assertIn("$loupe999", none["error"])
        self.assertEqual("True", taken["output"])


@unittest.skipUnless(shutil.which("gdb"), "there is no gdb, which writes the core")
class Core(Live):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.core = str(pathlib.Path(folder.name) / "core")
        session.save_core(cls.core, PROGRAM, STOP)


class Numbers(unittest.TestCase):
    """What they cost, and what they leave as it is."""

    PREFIX = "settings show target.expr-prefix"

    def test_the_process_does_not_notice(self):
        maps = "!open(f'/proc/{process.GetProcessID()}/maps').read()"
        before, stops, _, after, same = ask(maps, "!process.GetStopID(True)", "strong-refs sample", maps,
                                            "!process.GetStopID(True)")
        self.assertEqual((before["output"], stops["output"]), (after["output"], same["output"]))

    def test_answers_for_programs_lend_none(self):
        session.end_planned()
        _, prefix = ask("strong-refs --json sample", self.PREFIX)
        self.assertNotIn("numbers_", prefix["output"])

    def test_silent_breakpoint_actions_lend_none(self):
        session.end_planned()
        quiet, prefix = ask("retain-cycles -q seed", self.PREFIX, program=session.fixture("self_block_weak"), stop=session.READY)
        self.assertEqual("", quiet["output"])
        self.assertNotIn("numbers_", prefix["output"])

    def test_what_the_user_puts_before_expressions_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            theirs = pathlib.Path(folder) / "mine.h"
            theirs.write_text("#define MINE 42\n")
            *_, mine, number = ask(f"settings set target.expr-prefix {theirs}", "strong-refs sample", "strong-refs sample",
                                   "expression MINE", "expression $loupe1")
        self.assertIn("42", mine["output"])
        self.assertIn("(id)", number["output"])


if __name__ == "__main__":
    unittest.main()
