"""Message sends, styles, fixes: the small pieces of wording."""
import pathlib
import re
import unittest
import unittest.mock

from answers import block, edge, fix, knot, ring, thing
from reports import report
from lldb_commands.render import short, words
from lldb_commands.errors import LoupeError
from lldb_commands.expressions.message_sends import dotted_paths, has_message_send
from lldb_commands.render.style import for_terminal


class Classes(unittest.TestCase):
    def test_the_tool_of_the_terminal_has_the_same_names(self):
        source = pathlib.Path(__file__).parents[4] / "core" / "report" / "class_words.c"
        listed = re.findall(r'\{"(\w+)", "(\w+)"\}', source.read_text())
        self.assertEqual(words._PUBLIC_NAMES, dict(listed))
        self.assertEqual(len(words._PUBLIC_NAMES), len(listed))


class IvarTypes(unittest.TestCase):
    def test_encodings_as_a_person_writes_them(self):
        for encoding, expected in (
                ('@"View"', "View *"), ("@?", "block"), ("#", "Class"), ("i", "int"),
                ('[3@"Node"]', "Node *[3]"), ('{deep="tag"c"in"{?="k"s}}', "struct deep"),
                ('(?="object"@"address"^v)', "union {…}"), ("^^i", "int **"), ("b3", "int : 3"),
                ('@"<Delegate>"', "id<Delegate>"), ("", ""), ("$", "$"), ("ii", "ii"),
                ("%", "atom"), ("^?", "function pointer"), ("^^?", "function pointer *"), ("Vv", "oneway void"),
                ("nri", "in const int"), ("![16,16i]", "![16,16i]"),
                ('{Point="x"i', '{Point="x"i')):
            with self.subTest(encoding):
                self.assertEqual(expected, self.in_report(encoding))

    def in_report(self, encoding):
        ivar = {"offset": 8, "size": 8, "name": "it", "type": encoding, "ownership": "none"}
        level = {"class": "Cell", "instance_start": 8, "instance_size": 16, "ivars": [ivar]}
        text = report({"query": "ivar-layout", "class": {"name": "Cell"}, "levels": [level]})
        return re.fullmatch(r"  \+8 +8 +it +(.*?) *none", text.split("\n")[4])[1]


class MessageSends(unittest.TestCase):
    def test_recognised(self):
        for text in ("[self foo]", "[self foo:1]", "x + [[A new] b]", "(id)[(Foo *)x bar]",
                     "[self setA:1 b:2]", "f([x y])", "[items objectAtIndex:i + 1]",
                     "[@\"a\" length]", "[a[1] foo]"):
            with self.subTest(text):
                self.assertTrue(has_message_send(text))

    def test_subscripts_and_arithmetic_are_none(self):
        for text in ("a[1]", "a[i + 1]", "self->_x[2]", "(a)[b]", "a[(int)i]", "a[b[c]]", "x",
                     "a[i * j]", "*(void **)(a + 8)", "a[sizeof(int)]", "]x[", "[]"):
            with self.subTest(text):
                self.assertFalse(has_message_send(text))

    def test_dots_after_a_path(self):
        self.assertEqual([("self", "delegate")], list(dotted_paths("self.delegate")))
        self.assertEqual([("self->_box", "item")], list(dotted_paths("self->_box.item")))
        self.assertEqual([("a", "b"), ("a.b", "c")], list(dotted_paths("a.b.c")))
        self.assertEqual([], list(dotted_paths("1.5 + x")))


class Terminals(unittest.TestCase):
    def test_colour_needs_lldb_and_a_terminal_that_want_it(self):
        self.assertTrue(for_terminal(True, {"TERM": "xterm"}, 80).color)
        self.assertFalse(for_terminal(False, {"TERM": "xterm"}, 80).color)
        self.assertFalse(for_terminal(True, {"TERM": "xterm"}, 0).color)
        self.assertFalse(for_terminal(True, {}, 80).color)
        self.assertFalse(for_terminal(True, {"TERM": "dumb"}, 80).color)
        self.assertFalse(for_terminal(True, {"TERM": "xterm", "NO_COLOR": "1"}, 80).color)

    def test_glyphs_follow_the_locale_unless_chosen(self):
        self.assertTrue(for_terminal(False, {"LANG": "de_DE.UTF-8"}).unicode)
        self.assertFalse(for_terminal(False, {"LANG": "de_DE.UTF-8", "LC_ALL": "C"}).unicode)
        self.assertFalse(for_terminal(False, {"LANG": "C.UTF-8", "LOUPE_GLYPHS": "ascii"}).unicode)
        self.assertTrue(for_terminal(False, {"LANG": "C", "LOUPE_GLYPHS": "unicode"}).unicode)


class Fixes(unittest.TestCase):
    OBJECTS = {"0x1": thing("Cell"), "0x2": block(9, "load", "/s/Cell.m")}

    def test_sentence_of_the_answer(self):
        said = fix(edge("0x2", "0x1", "capture", "self"), text="capture self weakly")
        self.assertEqual("capture self weakly", short.fix(said, {"objects": self.OBJECTS}))

    def test_in_short_where_nobody_says_it(self):
        change = fix(edge("0x1", "0x2", "ivar", "_done"), do="set-to-nil")
        self.assertEqual("set to nil: Cell._done",
                         short.fix(change, {"objects": self.OBJECTS}))


class WithoutALibrary(unittest.TestCase):
    """Neither the library nor the tool is there: an answer is told in short, and why."""

    def test_every_report(self):
        stored = edge("0x1", "0x2", "ivar", "_done")
        objects = {"0x1": thing("Cell"), "0x2": block(9, "load", "/s/Cell.m")}
        slot = {"offset": 8, "name": "_done", "kind": "strong", "ownership": "strong", "value": "0x2"}
        with unittest.mock.patch("lldb_commands.reporting.answers._said", side_effect=LoupeError("no tool")):
            for answer, expected in (
                    ({"query": "retain-cycles", "seed": "0x1", "knots_found": 1,
                      "knots": [knot([ring(stored)], fixes=[fix(stored)])]},
                     "1 retain cycle: self (Cell 0x1)\n\nRetain cycle of 1 objects, leaked\n"
                     "  Cell 0x1 _done -> block 0x2\n    * make weak: Cell._done"),
                    ({"query": "retain-cycles", "seed": "0x1", "status": "incomplete"},
                     "0 retain cycles, incomplete: self (Cell 0x1)"),
                    ({"query": "strong-refs", "object": "0x1", "edges": [stored]},
                     "strong-refs: self (Cell 0x1)\n  Cell 0x1 _done -> block 0x2"),
                    ({"query": "incoming-refs", "object": "0x2", "verdict": {"kind": "held"},
                      "holders": [{"edge": stored}]},
                     "incoming-refs: self (block 0x2), held\n  Cell 0x1 _done -> block 0x2"),
                    ({"query": "ivar-layout", "class": {"name": "Cell"}, "levels": [{"class": "Cell", "ivars": [slot]}]},
                     "ivar-layout: self (class Cell)\n  Cell\n    +8 _done, strong, 0x2"),
                    ({"query": "block-layout", "block": {"address": "0x2"}, "captures": [slot]},
                     "block-layout: self (block 0x2)\n    +8 _done, strong, 0x2")):
                text = report({**answer, "objects": objects}, asked="self")
                self.assertEqual(f"{expected}\nShown in short: no tool", text)


if __name__ == "__main__":
    unittest.main()
