"""The tab key behind the commands, where lldb asks scripts for it."""
import ast
import os
import pathlib
import tempfile
import unittest

import session

PROGRAM = str(session.BUILD / "tests" / "lldb" / "programs" / "things")


def run(*commands, **rest):
    [answer] = session.carry_out([{"program": PROGRAM, "stop": "thingsReady", "frame": 2,
                                   "commands": list(commands), **rest}])
    return [command["output"] + command["error"] for command in answer["commands"]]


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        [able] = run("!hasattr(lldb.SBCommandReturnObject, 'GetCommand')")
        if able != "True":
            raise unittest.SkipTest("this lldb asks no script for completions")

    def offers(self, *lines):
        return [ast.literal_eval(text) for text in run(*(f"!offers({line!r})" for line in lines))]

    def test_options_and_their_values(self):
        self.assertEqual(
            [["--filters"], ["--fail-if-found"], ["memory"], ["--engine=helper"], ["--verbose"], []],
            self.offers("retain-cycles --fi", "retain-cycles -q --fa", "retain-cycles --engine m",
                        "retain-cycles --engine=h", "loupe doctor --v",
                        "retain-cycles thing --fi"))
        [options] = self.offers("strong-refs --")
        for name in ("--incoming", "--from", "--json", "--help"):
            self.assertIn(name, options)

    def test_files_whose_names_would_rule_the_terminal_are_not_offered(self):
        with tempfile.TemporaryDirectory() as directory:
            for name in ("plain.txt", "pl\x1b[2J.txt", "pl\u202e.txt", "pl\n.txt"):
                pathlib.Path(directory, name).write_text("", encoding="utf-8")
            self.assertEqual([[f"{directory}/plain.txt"]],
                             self.offers(f"retain-cycles -o {directory}/pl"))

    def test_variables_ivars_and_captures(self):
        variables, ivars, begun, deep, captured, given, none = self.offers(
            "retain-cycles th", "strong-refs thing->", "strong-refs -j thing->_n",
            "strong-refs thing->_next->_h", "strong-refs thing->_handler->",
            "strong-refs --from thing->_h", "strong-refs nothing->")
        self.assertEqual(["thing", "things"], variables)
        self.assertLessEqual({"thing->_next", "thing->_pair.first", "thing->isa"}, set(ivars))
        self.assertEqual(["thing->_next", "thing->_none", "thing->_number"], begun)
        self.assertEqual(["thing->_next->_handler"], deep)
        self.assertEqual(["thing->_handler->thing"], captured)
        self.assertEqual(["thing->_handler"], given)
        self.assertEqual([], none)

    def test_classes_only_where_one_can_be_asked_about(self):
        ivars, cycles = self.offers("ivar-layout Thi", "retain-cycles Thi")
        self.assertEqual((["Thing"], []), (ivars, cycles))

    def test_file_names(self):
        with tempfile.TemporaryDirectory() as directory:
            for name in ("known one.txt", "known two.txt"):
                (pathlib.Path(directory) / name).touch()
            os.mkdir(os.path.join(directory, "deeper"))
            files, below, quoted = self.offers(
                f"retain-cycles --baseline {directory}/k", f"retain-cycles -o {directory}/d",
                f"retain-cycles --dot '{directory}/known o")
        self.assertEqual([f"{directory}/known one.txt", f"{directory}/known two.txt"], files)
        self.assertEqual([f"{directory}/deeper/"], below)
        self.assertEqual([f"{directory}/known one.txt"], quoted)


class AsTyped(unittest.TestCase):
    """Commands that complete get words without quotes from lldb, and mean the line all the same."""

    def test_expressions_keep_their_quotes_and_spaces(self):
        spaced, quoted, dashed, substituted = run(
            "strong-refs (id)   thing", 'strong-refs (long)"a  b"[9]',
            "strong-refs -[Thing ask]", "strong-refs `thing`")
        self.assertIn("thing (Thing 0x", spaced)
        self.assertIn('(long)"a  b"[9]', quoted)
        self.assertIn("instead of -[Thing ask]\n", dashed)
        self.assertRegex(substituted, "holds 2 objects strongly")

    def test_an_alias_with_words_of_its_own(self):
        _, answer = run("!debugger.HandleCommand('command alias sj strong-refs --json')",
                        "sj (id) thing")
        self.assertTrue(answer.startswith('{"loupe":1'), answer)


if __name__ == "__main__":
    unittest.main()
