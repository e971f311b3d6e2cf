"""The tool itself: help that teaches, options, words that make no sense."""
import json
import os
import re
import shlex
import subprocess
import unittest

from tool import ToolTest

TOPICS = ["layout", "symbol", "ivar-layout", "encoding", "flags"]


class Help(ToolTest):
    def test_help_shows_an_example_of_each_topic(self) -> None:
        for words in (["explain", "--help"], ["explain", "-h"], ["help", "explain"]):
            text = self.text(*words)
            for topic in TOPICS:
                self.assertRegex(text, rf"(?m)^  loupe explain {topic} .+\n      \w.*$")

    def test_each_topic_has_help_of_its_own(self) -> None:
        for topic in TOPICS:
            text = self.text("explain", topic, "--help")
            self.assertTrue(text.startswith(f"usage: loupe explain {topic} "), text)
            self.assertEqual(text, self.text("explain", topic, "nonsense", "-h"))
            for line in text.splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_examples_in_help_work(self) -> None:
        pages = [["explain", "--help"]]
        pages += [["explain", topic, "--help"] for topic in TOPICS]
        for page in pages:
            examples = re.findall(r"(?m)^  loupe (explain .*?)(?: {3,}.*)?$", self.text(*page))
            self.assertTrue(examples, page)
            for example in examples:
                self.text(*shlex.split(example))

    def test_version_is_a_word_and_a_number(self) -> None:
        self.assertRegex(self.text("--version"), r"^loupe \d+\.\d+\.\d+\n$")
        self.assertEqual(self.text("--version"), self.text("-V"))


class Nonsense(ToolTest):
    def test_missing_and_unknown_words(self) -> None:
        self.assertIn("missing COMMAND", self.refuse())
        self.assertEqual(self.refuse("frobnicate"), "no command 'frobnicate' (see loupe --help)")
        self.assertRegex(self.refuse("explain"), r"^explain: say what: .* or \S+$")
        self.assertRegex(self.refuse("explain", "lay"), r"^explain: no topic 'lay': take .*$")
        self.assertRegex(self.refuse("--json", "explain"), r"no command '--json'")

    def test_one_document_in_the_output(self) -> None:
        for form in ("sarif", "github", "junit"):
            done = self.run_tool("leaks", "--format", form, "--json", "a.loupe")
            said = "--json and --format each write a document to the output: take one"
            self.assertEqual((2, f"loupe: leaks: {said}\n"), (done.returncode, done.stderr.decode("ascii")))
            self.assertEqual(said, json.loads(done.stdout)["error"]["message"])  # --json asks for failures, too

    def test_options_may_stand_in_front_of_the_topic(self) -> None:
        behind = self.text("explain", "layout", "0x111", "--json", "--pointer-size", "4")
        for words in (("--json", "--pointer-size", "4", "layout", "0x111"),
                      ("-j", "--pointer-size=4", "layout", "0x111"),
                      ("--json", "layout", "0x111", "--pointer-size", "4")):
            self.assertEqual(behind, self.text("explain", *words))
        self.assertRegex(self.refuse("explain", "--json"), r"^explain: say what: ")
        self.assertRegex(self.refuse("explain", "--pointer-size"), r"^explain: say what: ")
        self.assertEqual(self.refuse("explain", "--frob", "layout", "0x111"),
                         "explain layout: unknown option --frob")

    def test_options_that_are_none(self) -> None:
        self.assertEqual(self.refuse("explain", "encoding", "i", "--frob"),
                         "explain encoding: unknown option --frob")
        self.assertEqual(self.refuse("explain", "encoding", "i", "-x"),
                         "explain encoding: unknown option -x")
        self.assertEqual(self.refuse("explain", "encoding", "i", "--weak"),
                         "explain encoding: unknown option --weak")
        self.assertEqual(self.refuse("explain", "encoding", "i", "--jsonx"),
                         "explain encoding: unknown option --jsonx")

    def test_values_of_options(self) -> None:
        self.assertEqual(self.refuse("explain", "encoding", "i", "--json=1"),
                         "explain encoding: --json takes no value")
        self.assertEqual(self.refuse("explain", "encoding", "i", "--pointer-size"),
                         "explain encoding: --pointer-size needs a value")
        for value in ("", "5", "16", "eight", "-8", "8 ", "0x", "99999999999999999999"):
            self.assertEqual(self.refuse("explain", "encoding", "i", "--pointer-size", value),
                             f"explain encoding: --pointer-size cannot be '{value}'")
        self.assertEqual(self.refuse("explain", "ivar-layout", "01", "--start=-1"),
                         "explain ivar-layout: --start cannot be '-1'")
        self.assertEqual(self.refuse("explain", "encoding", "i", "--size=0"),
                         "explain encoding: --size cannot be '0'")

    def test_options_may_stand_anywhere(self) -> None:
        want = self.text("explain", "encoding", "@", "--json", "--pointer-size=4")
        for words in (["--json", "--pointer-size", "4", "@"], ["-j", "@", "--pointer-size=0x4"],
                      ["--pointer-size", "4", "-j", "--", "@"]):
            self.assertEqual(self.text("explain", "encoding", *words), want)

    def test_bytes_of_an_argument_cannot_break_the_line(self) -> None:
        self.assertEqual(self.refuse("explain", "a\nb\x1b[31m\x7f"),
                         self.refuse("explain", b"a\nb\x1b[31m\x7f"))
        self.assertIn("no command '\\xff\\xfe\\x0a'", self.refuse(b"\xff\xfe\n"))
        self.assertLess(len(self.refuse("explain", "x" * 100000)), 400)
        self.assertLess(len(self.refuse("explain", "\n" * 100000)), 400)


class Output(ToolTest):
    def test_full_disk_is_no_success(self) -> None:
        if not os.path.exists("/dev/full"):
            self.skipTest("this system has no /dev/full")
        for words in (["--help"], ["explain", "encoding", "[900i]"],
                      ["explain", "encoding", "[900i]", "--json"]):
            with open("/dev/full", "wb") as full:
                result = subprocess.run([os.environ["LOUPE"], *words], stdout=full,
                                        stderr=subprocess.PIPE, timeout=1800)
            self.assertEqual(result.returncode, 2)  # 1 says that a gate found something
            self.assertEqual(result.stderr, b"loupe: the output cannot be written: No space left on device\n")


if __name__ == "__main__":
    unittest.main()
