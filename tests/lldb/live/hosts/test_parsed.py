"""The verbs whose options lldb parses where it can: the same lines, the same texts in each lldb."""
import ast
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

import session

sys.path.insert(0, str(session.SOURCE))
from lldb_commands import verbs  # noqa: E402

PROGRAM = str(session.BUILD / "tests" / "lldb" / "programs" / "things")
VERBS = ("backtraces", "diff", "doctor", "find", "heap", "inject", "leaks", "mark", "snapshot",
         "summary", "suspects")
# A command that is made as lldb makes it: what it tells of itself, and its help without lldb's part.
COMMAND = "__import__('lldb_commands.registered').registered.made({name!r}, debugger)"


def run(*commands, **rest):
    [answer] = session.carry_out([{"program": PROGRAM, "stop": "thingsReady", "frame": 2,
                                   "commands": list(commands), **rest}])
    assert not answer["problem"], answer["problem"]
    return [(command["ok"], command["output"], command["error"]) for command in answer["commands"]]


def command(verb, what):
    return f"!{COMMAND.format(name=f'loupe {verb}')}.{what}"


def described(text):
    """Each option of a help text with all that is said of it, however it is folded."""
    listed = text.split("Command Options Usage:\n")[1]
    entries = re.findall(r"^ {7}(-\S.*(?:\n {12}\S.*)+)", listed, re.M)
    return {" ".join(entry.split()) for entry in entries}


class Texts(unittest.TestCase):
    maxDiff = None

    def test_help_lists_options_as_lldb_does(self):
        """In lldb 19 and later the left side is lldb's writing, the right one always Loupe's."""
        texts = [text for _, text, _ in run(*(line for verb in VERBS for line in (
            f"help loupe {verb}", command(verb, "_help(lists_options=True)"))))]
        for verb, shown, ours in zip(VERBS, texts[::2], texts[1::2]):
            with self.subTest(verb):
                self.assertEqual(described(shown), described(ours))
                self.assertIn("-h ( --help ) show this help", described(shown))
                self.assertEqual(1, shown.count(f"\nUsage: loupe {verb} [options]"))

    def test_every_option_has_a_letter_of_its_own(self):
        told = run(*(command(verb, "options and [o.short for o in COMMAND.options]")
                     .replace("COMMAND", COMMAND.format(name=f"loupe {verb}")) for verb in VERBS))
        for verb, (_, text, _) in zip(VERBS, told):
            letters = ast.literal_eval(text)
            self.assertEqual(sorted(set(letters)), sorted(letters), verb)
            self.assertNotIn("", letters, verb)

    def test_help_as_an_option_has_all_of_it(self):
        [(ok, text, _)] = run("loupe leaks --help")
        self.assertTrue(ok)
        self.assertIn("-F ( --fail-if-found )", text)
        self.assertIn("\nExamples:\n", text)

    def test_the_list_of_verbs(self):
        [(_, text, _)] = run("help loupe")
        for verb in VERBS:
            self.assertRegex(text, rf"\n +{verb} +-- ")


class Lines(unittest.TestCase):
    def test_options_in_front_behind_short_long_bundled_and_begun(self):
        answers = run("loupe find Thing -j", "loupe find --json Thing", "loupe find -jv Thing",
                      "loupe find --js Thing", "loupe find -json -- Thing", "loupe find 'Thing' -j",
                      "loupe find -n1 -j Thing", "loupe find --limit=1 -j Thing")
        found = [json.loads(output) for _, output, _ in answers]
        self.assertGreater(found[0]["found"], 1)
        for one in found:
            self.assertEqual(found[0]["found"], one["found"])
        self.assertEqual([1, 1], [len(one["objects"]) for one in found[-2:]])

    def test_words_with_spaces(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "a b.loupe")
            [(ok, _, error)] = run(f'loupe snapshot "{path}"')
            self.assertTrue(ok, error)
            self.assertTrue(os.path.exists(path))
        for ok, _, error in run("loupe find Th ing", "loupe mark a b", "loupe snapshot a b"):
            self.assertFalse(ok)
            self.assertIn("and got 2: quote what has spaces", error)

    def test_errors_have_lldbs_words(self):
        for line, words in (("loupe leaks --jsn", "unknown or ambiguous option"),
                            ("loupe leaks -z", "unknown or ambiguous option"),
                            ("loupe leaks -5", "unknown or ambiguous option"),
                            ("loupe leaks --timeout", "last option requires an argument"),
                            ("loupe leaks x", "'leaks' doesn't take any arguments"),
                            ("loupe doctor x", "'doctor' doesn't take any arguments")):
            with self.subTest(line):
                [(ok, output, error)] = run(line)
                self.assertEqual((False, ""), (ok, output))
                self.assertRegex(error, rf"^error: (loupe \w+: )?{re.escape(words)}")

    def test_wrong_values_go_where_answers_go(self):
        message = "--sort takes count, size or retained, not 'big'"
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "heap.json")
            path.write_text("older", encoding="utf-8")
            [(ok, _, error)] = run(f"loupe heap -j -o {path} --sort big")
            answer = json.loads(path.read_text(encoding="utf-8"))
        self.assertFalse(ok)
        self.assertEqual(f"error: loupe heap: {message}\n", error)
        self.assertEqual(("error", "usage"), (answer["status"], answer["error"]["code"]))
        self.assertEqual(message, answer["error"]["message"])

    def test_the_table_of_verbs_has_every_key_of_an_answer(self):
        always = {"loupe", "query", "engine", "status", "abi", "pointer_size", "snapshot",
                  "allocators", "not_followed", "stats", "unread"}
        known = {verb["lldb"]["command"]: {*verb["keys"], *always} for verb in verbs.OF_LLDB}
        lines = ("loupe leaks -j", "loupe cycles -j", "loupe cycles -j thing", "loupe suspects -j",
                 "loupe heap -j", "loupe find -j Thing", "loupe path -j thing", "loupe retained -j",
                 "loupe retained -j thing", "loupe backtraces -j", "loupe summary -j",
                 "retain-cycles -j thing", "strong-refs -j thing", "strong-refs --incoming -j thing",
                 "ivar-layout -j thing", "block-layout -j thing->_handler")
        for line, (ok, output, error) in zip(lines, run(*lines)):
            with self.subTest(line):
                self.assertTrue(ok, error)
                self.assertLessEqual(set(json.loads(output)), known[line.split(" -")[0]])

    def test_what_one_line_sets_is_gone_in_the_next(self):
        (_, first, _), (_, second, _) = run("loupe find -j -n 1 Thing", "loupe find Thing")
        self.assertTrue(first.startswith("{"))
        self.assertFalse(second.startswith("{"))


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        [(_, able, _)] = run("!hasattr(lldb.SBCommandReturnObject, 'GetCommand')")
        if able != "True":
            raise unittest.SkipTest("this lldb asks no script for completions")

    def offers(self, *lines):
        return [ast.literal_eval(text) for _, text, _ in
                run(*(f"!offers({line!r})" for line in lines))]

    def test_verbs_options_and_values(self):
        self.assertEqual(
            [["leaks"], ["--filters"], ["--filters"], ["sarif"], ["count", "size", "retained"],
             ["--subclasses"], ["Thing"], ["Thing"], []],
            self.offers("loupe le", "loupe leaks --fi", "loupe leaks -j --fi",
                        "loupe leaks --format s", "loupe heap --sort ", "loupe find Thing --sub",
                        "loupe find Thi", "loupe find -n 3 Thi", "loupe diff "))

    def test_no_option_is_offered_as_a_control_character(self):
        for offers in self.offers(*(f"loupe {verb} -" for verb in VERBS)):
            self.assertGreater(len(offers), 1)
            for offer in offers:
                self.assertRegex(offer, r"^-[A-Za-z]$")

    def test_marks(self):
        *_, (_, offers, _) = run("loupe mark before", "loupe mark after", "!offers('loupe diff b')")
        self.assertEqual(["before"], ast.literal_eval(offers))

    def test_files(self):
        with tempfile.TemporaryDirectory() as directory:
            for name in ("known.txt", "kn\x1b[2J.txt"):
                pathlib.Path(directory, name).touch()
            self.assertEqual([[f"{directory}/known.txt"]] * 3,
                             self.offers(f"loupe leaks --baseline {directory}/k", f"loupe leaks -o {directory}/k",
                                         f"loupe snapshot {directory}/k"))


if __name__ == "__main__":
    unittest.main()
