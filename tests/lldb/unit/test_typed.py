"""The expression as it was typed, from a line and the words that lldb made of it."""
import unittest

from lldb_commands.line.typed import rest_of_line


class RestOfLine(unittest.TestCase):
    def test_quotes_and_spaces_stay(self):
        for line, words, expected in (
                ("retain-cycles", [], ""),
                ("retain-cycles  self", ["self"], "self"),
                ('retain-c -j [d at:@"a  b"]', ["-j", "[d", "at:@a  b]"], '-j [d at:@"a  b"]'),
                ("loupe doctor -v", ["-v"], "-v"),
                ("loupe-doctor -v", ["-v"], "-v"),
                ("retain-cycles retain-cycles", ["retain-cycles"], "retain-cycles")):
            with self.subTest(line):
                self.assertEqual(expected, rest_of_line(line, words))

    def test_what_an_alias_adds_stands_in_front(self):
        self.assertEqual('-j "a b"', rest_of_line('rj "a b"', ["-j", "a b"]))

    def test_words_alone_where_the_line_has_others(self):
        self.assertEqual("2 x", rest_of_line("retain-cycles `1+1` x", ["2", "x"])
                         .replace("  ", " "))
        self.assertEqual("it's", rest_of_line("", ["it's"]))
        self.assertEqual("it's", rest_of_line("retain-cycles it's", ["it's"]))


if __name__ == "__main__":
    unittest.main()
