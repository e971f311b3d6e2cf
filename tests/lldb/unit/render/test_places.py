"""What source files are called in reports, and where they are links."""
import unittest

from lldb_commands.render.places import name_files, with_links
from lldb_commands.render.style import for_terminal
from lldb_commands.render.words import place


def written(file, line=12, verbose=False, directory="/home/me/app"):
    thing = {"file": file, "line": line}
    answer = {"objects": {"0x1": {"invoke": thing}}}
    name_files(answer, verbose, directory)
    return thing, answer


class Names(unittest.TestCase):
    def test_below_the_working_directory_from_there(self):
        for file, expected in (("/home/me/app/Cell.m", "Cell.m:12"),
                               ("/home/me/app/ui/Cell.m", "ui/Cell.m:12"),
                               ("/home/me/app/build/../ui/Cell.m", "ui/Cell.m:12"),
                               ("/home/me/application/Cell.m", "Cell.m:12"),
                               ("/elsewhere/Cell.m", "Cell.m:12"),
                               ("Cell.m", "Cell.m:12")):
            with self.subTest(file):
                self.assertEqual(expected, place(written(file)[0]))
        self.assertEqual("me/Cell.m:12", place(written("/me/Cell.m", directory="/")[0]))

    def test_verbose_has_the_whole_path(self):
        self.assertEqual("/elsewhere/Cell.m:12", place(written("/elsewhere/Cell.m",
                                                               verbose=True)[0]))


class Links(unittest.TestCase):
    def test_places_are_links_wherever_they_stand(self):
        _, answer = written("/home/me/app/ui/a cell.m")
        text = with_links("the block at ui/a cell.m:12.\nnot ui/a cell.m:123", answer)
        first, second = text.splitlines()
        self.assertRegex(first, r"\Athe block at \x1b\]8;;file://[\w.%-]*/home/me/app/ui/a%20cell"
                                r"\.m#12\x1b\\ui/a cell\.m:12\x1b\]8;;\x1b\\\.\Z")
        self.assertEqual("not ui/a cell.m:123", second)

    def test_nothing_in_a_path_rules_the_terminal(self):
        _, answer = written("/home/me/app/\x1b]8;;evil\x07.m")
        text = with_links(f"at {place(answer['objects']['0x1']['invoke'])}", answer)
        self.assertEqual(1, text.count("%1B%5D8%3B%3Bevil%07.m#12"))

    def test_only_for_terminals_that_have_them(self):
        def links(columns=80, **environment):
            return for_terminal(True, {"TERM": "xterm-256color", **environment}, columns).links
        for environment in ({"VTE_VERSION": "7200"}, {"TERM": "xterm-kitty"},
                            {"TERM_PROGRAM": "iTerm.app"}, {"WT_SESSION": "x"},
                            {"LOUPE_LINKS": "always"}):
            self.assertTrue(links(**environment), environment)
            self.assertFalse(links(columns=0, **environment), environment)
        for environment in ({}, {"TERM_PROGRAM": "Apple_Terminal"}, {"VTE_VERSION": "4999"},
                            {"VTE_VERSION": "7200", "TERM": "screen-256color"},
                            {"TERM": "xterm-kitty", "LOUPE_LINKS": "never"}):
            self.assertFalse(links(**environment), environment)


if __name__ == "__main__":
    unittest.main()
