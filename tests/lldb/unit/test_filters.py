"""Filters in a file: what a line means, what is wrong with one, and where the file is found."""
import os
import pathlib
import tempfile
import unittest

from lldb_commands.errors import LoupeError
from lldb_commands.reporting import filters
from lldb_commands.reporting.filters import Filter


# Which core/graph/filter_line.c reads, too.
SHARED = pathlib.Path(__file__).resolve().parents[2] / "unit" / "graph" / "filter_lines.txt"


class FilterFiles(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.path = self.directory / "ours.txt"

    def read(self, text):
        self.path.write_text(text, encoding="utf-8")
        return filters.read(str(self.path))

    def test_each_part_may_be_left_out(self):
        self.assertEqual([
            Filter("Router", "_current", "Screen", "it lives as long as the app"),
            Filter("Session", "_delegate", None, "why"),
            Filter("Cache", None, None, "why"),
            Filter("Cache", None, "Entry", "why"),
            Filter(None, "_st.peer", None, "why"),
            Filter(None, None, "Entry", "why"),
        ], self.read("Router._current -> Screen  # it lives as long as the app\n"
                     "Session._delegate # why\n"
                     "Cache\t# why\n"
                     "Cache -> Entry # why\n"
                     "*._st.peer # why\n"
                     "* -> Entry # why\n"))

    def test_lines_mean_what_they_mean_elsewhere(self):
        for line in SHARED.read_text(encoding="utf-8").splitlines()[1:]:
            text, _, meaning = line.partition("\t")
            with self.subTest(text):
                if "|" in meaning or not meaning:
                    shown = ["|".join((one.source or "", one.path or "", one.target or "", one.reason))
                             for one in self.read(text)]
                    self.assertEqual([meaning] if meaning else [], shown)
                    continue
                with self.assertRaises(LoupeError) as caught:
                    self.read(text)
                self.assertIn(meaning.partition(" ")[2], str(caught.exception))

    def test_comments_and_blank_lines(self):
        self.assertEqual([], self.read("# ours\n\n   # A._b # no\n"))

    def test_paths_with_signs(self):
        [first, second, third] = self.read('List.[3] # why\nBox.["a title"] -> X # why\n'
                                           'Box.key "x#y" # why # more\n')
        self.assertEqual("[3]", first.path)
        self.assertEqual('["a title"]', second.path)
        self.assertEqual(('key "x#y"', "why # more"), (third.path, third.reason))

    def test_a_star_matches_anything_in_any_place(self):
        self.assertEqual([Filter("Router", "_current", None, "why"),
                          Filter("Router", None, "A", "why"), Filter(None, "_x", None, "why")],
                         self.read("Router._current -> * # why\nRouter.* -> A # why\n"
                                   "*._x -> * # why\n"))

    def test_a_path_in_brackets_needs_no_dot(self):
        self.assertEqual([Filter("NSArray", "[1]", "Item", "why"),
                          Filter("NSDictionary", '["a.b"]', None, "why"),
                          Filter("Item", "[kKey]", None, "why")],
                         self.read('NSArray[1] -> Item # why\nNSDictionary["a.b"] # why\n'
                                   "Item[kKey] # why\n"))

    def test_a_wrong_line_is_named_with_its_place(self):
        shape = "is not a filter: write CLASS.ivar -> CLASS  # reason"
        for line, message in (
                ("Router _current # why", f"'Router _current' {shape}"),
                ("-> Screen # why", f"'-> Screen' {shape}"),
                ("Router. # why", f"'Router.' {shape}"),
                ("Router._x -> # why", f"'Router._x ->' {shape}"),
                ("Router._x -> A -> B\u202e # why", f"'Router._x -> A -> B\\u202e' {shape}"),
                ("Router._current", "the filter gives no reason: write one after a #"),
                ("Router._current #  ", "the filter gives no reason: write one after a #"),
                ("*.* -> * # why", "the filter would hide everything: name a class or an ivar"),
                ("block.self -> A # why", "captured variables have no names in filters: write "
                 "their class (block -> CLASS) or their offset (block.+0x20)"),
                ("* # why", "the filter would hide everything: name a class or an ivar")):
            with self.subTest(line):
                with self.assertRaises(LoupeError) as raised:
                    self.read(f"# ours\n{line}\n")
                self.assertEqual(f"{self.path}:2: {message}", str(raised.exception))

    def test_a_file_that_cannot_be_read(self):
        with self.assertRaises(LoupeError) as raised:
            filters.read(str(self.directory / "nothing"))
        self.assertEqual(f"cannot read the filters {self.directory}/nothing: No such file or "
                         "directory", str(raised.exception))
        self.path.write_bytes(b"\xff\xfe")
        with self.assertRaises(LoupeError) as raised:
            filters.read(str(self.path))
        self.assertEqual(f"cannot read the filters {self.path}: it is not UTF-8 text", str(raised.exception))

    def test_the_nearest_default_file_is_taken(self):
        inner = self.directory / "a" / "b"
        inner.mkdir(parents=True)
        outer = self.directory / filters.DEFAULT
        outer.write_text("", encoding="utf-8")
        self.assertEqual(str(outer), filters.default_file([str(inner)]))
        (self.directory / "a" / filters.DEFAULT).write_text("", encoding="utf-8")
        self.assertEqual(str(self.directory / "a" / filters.DEFAULT),
                         filters.default_file([str(inner), str(self.directory)]))
        self.assertEqual(str(outer), filters.default_file([str(self.directory), str(inner)]))

    def test_a_directory_of_that_name_is_no_file(self):
        (self.directory / filters.DEFAULT).mkdir()
        found = filters.default_file([str(self.directory)])
        self.assertFalse(found and os.path.dirname(found) == str(self.directory))


class Arguments(unittest.TestCase):
    def test_the_standard_filters_can_be_left_out(self):
        item = Filter("A", None, None, "w")
        self.assertEqual("filter A * * w", filters.as_arguments([item]))
        self.assertEqual("no-filters", filters.as_arguments([], standard=False))
        self.assertEqual("", filters.as_arguments([]))


if __name__ == "__main__":
    unittest.main()
