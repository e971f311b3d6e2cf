"""Options in front, the expression verbatim."""
import unittest

from lldb_commands import verbs
from lldb_commands.errors import LoupeError
from lldb_commands.line import options
from lldb_commands.line.options import Option, split

ROWS = {row["name"]: row for row in verbs.of_command("retain-cycles")["lldb"]["options"]}
TABLE = (*options.of_table([ROWS["engine"], ROWS["json"], ROWS["output"], ROWS["verbose"]], False),
         Option("timeout", "", short="t", value="SECONDS", read=options.seconds, default=10.0),
         Option("max-rings", "", short="n", value="N", read=options.count, default=0),
         Option("quiet", "", short="q"))


class Options(unittest.TestCase):
    def check(self, line, expression, table=TABLE, **expected):
        values, rest = split(line, table)
        self.assertEqual(expression, rest)
        for key, value in expected.items():
            self.assertEqual(value, values[key], key)

    def test_defaults(self):
        self.check("self", "self", engine="auto", json=False, timeout=10.0, output=None,
                   max_rings=0)

    def test_no_expression(self):
        self.check("", "")
        self.check("  -j  ", "", json=True)

    def test_long_short_attached_and_bundled(self):
        self.check("--max-rings 3 --json x", "x", max_rings=3, json=True)
        self.check("--max-rings=3 x", "x", max_rings=3)
        self.check("-n3 -j x", "x", max_rings=3, json=True)
        self.check("-jq -t 0.5 x", "x", json=True, quiet=True, timeout=0.5)
        self.check("-jqn 4 x", "x", json=True, quiet=True, max_rings=4)

    def test_long_name_that_is_not_finished(self):
        self.check("--max 3 --js --en=memory x", "x", max_rings=3, json=True, engine="memory")
        self.check("--q x", "x", quiet=True)
        with self.assertRaises(LoupeError) as caught:
            split("--ex x", (*TABLE, Option("explain", ""), Option("export", "")))
        self.assertEqual("unknown or ambiguous option --ex, which may be --explain or --export", str(caught.exception))
        self.check("--ex x", "x", table=(*TABLE, Option("ex", ""), Option("explain", "")), ex=True)

    def test_options_behind_the_expression(self):
        for text, expression, given in (
                ("self -j", "self", {"json": True}), ("[a b] --max-rings 3", "[a b]", {"max_rings": 3}),
                ("a --max=3", "a", {"max_rings": 3}), ("a -n3", "a", {"max_rings": 3}),
                ("a -jq", "a", {"json": True, "quiet": True}),
                ("a -j -o 'b c'", "a", {"json": True, "output": "b c"}),
                ("a - b", None, None), ("a -z", None, None), ("a-j", None, None), ("-j", None, None),
                ("--nothing", None, None), ("a -j b", None, None), ("a -n", None, None)):
            with self.subTest(text):
                found = options.from_behind(text, TABLE)
                if expression is None:
                    self.assertIsNone(found)
                    continue
                self.assertEqual(({**options.defaults(TABLE), **given}, expression), found)

    def test_the_expression_keeps_its_spaces_quotes_and_dashes(self):
        for text in ('[self  delegate]', '(id) "a  b"', 'self->_x[1]', '-[Foo bar]', '-1', "a -j",
                     "a --json", "'x' - 1"):
            with self.subTest(text):
                self.check("-j " + text, text, json=True)

    def test_double_dash_ends_the_options(self):
        self.check("-j -- -x->y", "-x->y", json=True)
        self.check("-- --json", "--json", json=False)

    def test_quoted_file_names(self):
        self.check('-o "a b.json" x', "x", output="a b.json")
        self.check("-o 'a b.json' x", "x", output="a b.json")
        self.check("-o a\\ b.json x", "x", output="a b.json")

    def test_errors_say_what_is_wanted(self):
        for line, message in (
                ("--jsn x", "unknown or ambiguous option --jsn; did you mean --json?"),
                ("-z x", "unknown or ambiguous option -z; write -- before such an expression"),
                ("-x->y", "unknown or ambiguous option -x->y; write -- before such an expression"),
                ("-n x", "--max-rings takes a number above 0, not 'x'"),
                ("-n 0 x", "--max-rings takes a number above 0, not '0'"),
                ("-t -5 x", "--timeout takes a number of seconds above 0, not '-5'"),
                ("-t nan x", "--timeout takes a number of seconds above 0, not 'nan'"),
                ("--engine fast x", "--engine takes auto, memory or helper, not 'fast'"),
                ("-n", "last option requires an argument: --max-rings needs a number above 0"),
                ("--json=1 x", "--json takes no value"),
                ("-o 'x", "a quote is not closed in the options")):
            with self.subTest(line):
                with self.assertRaises(LoupeError) as caught:
                    split(line, TABLE)
                self.assertEqual(message, str(caught.exception))

    def test_words_instead_of_an_expression(self):
        for line, words, expected in (
                ("a b", ["a", "b"], {}), ("a -j b", ["a", "b"], {"json": True}),
                ("-jqn 4 'a  b'", ["a  b"], {"json": True, "quiet": True, "max_rings": 4}),
                ("-json a", ["a"], {"json": True}), ("-max 3", [], {"max_rings": 3}),
                ("-j -- -a --json 'b c'", ["-a", "--json", "b c"], {"json": True}),
                ("- ''", ["-", ""], {}), ("--timeout -o a", None, None), ("-5", None, None)):
            with self.subTest(line):
                if words is None:
                    self.assertRaises(LoupeError, options.split_words, line, TABLE)
                    continue
                values, left = options.split_words(line, TABLE)
                self.assertEqual(words, left)
                for key, value in {**options.defaults(TABLE), **expected}.items():
                    self.assertEqual(value, values[key], key)

    def test_options_that_lldb_took_off_the_line(self):
        values = options.of_given([("json", ""), ("max-rings", "3"), ("max-rings", "4")], TABLE)
        self.assertEqual((True, 4, "auto"), (values["json"], values["max_rings"],
                                             values["engine"]))
        with self.assertRaises(LoupeError):
            options.of_given([("max-rings", "none")], TABLE)


if __name__ == "__main__":
    unittest.main()
