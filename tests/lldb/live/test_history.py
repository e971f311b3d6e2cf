"""loupe history: who retained and released an object, while the program runs."""
import unittest

import session

PROGRAMS = {"Apple's layouts": session.BUILD / "tests" / "lldb" / "programs" / "history",
            "GCC's runtime": session.BUILD / "tests" / "lldb" / "programs" / "history_gnustep"}
SOURCE = session.SOURCE / "tests" / "lldb" / "programs" / "history.m"
START = ("breakpoint set -n historyBegins", "breakpoint set -n historyGoesOn",
         "process launch --stdout /dev/null -- to-its-end", "up", "loupe history thing")


def line_of(text):
    [line] = [number for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
              if text in line]
    return line


class History(unittest.TestCase):
    def each(self):
        """Every program that was built here."""
        built = {name: path for name, path in PROGRAMS.items() if path.exists()}
        self.assertTrue(built)
        for name, path in built.items():
            with self.subTest(name):
                yield path

    def test_the_guilty_line_is_marked(self):
        for program in self.each():
            done = session.batch(*START, "continue", "loupe history", program=program)
            self.assertIn("retain count 1 when it began, 2 now", done.stdout, done.stderr)
            self.assertRegex(done.stdout, rf"\+3  retained at \S*history.m:{line_of('_kept = [')} "
                                          r"in -\[Keeper keep:\], 3 times\n")
            self.assertRegex(done.stdout, rf"-3  released at \S*history.m:{line_of('[_kept rel')} "
                                          r"in -\[Keeper drop\], 3 times\n")
            self.assertRegex(done.stdout, rf"\+1  retained at \S*history.m:"
                                          rf"{line_of('    [thing retain]')} in -\[Keeper take:\]"
                                          "  <- without a release\n")
            self.assertIn("4 retains, 3 releases: 1 retain without a release", done.stdout)

    def test_it_ends_by_itself_when_the_object_is_freed(self):
        for program in self.each():
            done = session.batch(*START, "continue", "continue", "loupe history", "watchpoint list",
                                 "continue", program=program)
            self.assertIn("retain count 1 when it began, freed", done.stdout, done.stderr)
            self.assertIn("4 retains, 5 releases", done.stdout)
            self.assertIn("No watchpoints currently set", done.stdout)
            self.assertIn("exited with status = 0", done.stdout)

    def test_it_can_be_ended(self):
        for program in self.each():
            done = session.batch(*START, "loupe history --stop", "watchpoint list", "continue",
                                 "loupe history", program=program)
            self.assertIn("No watchpoints currently set", done.stdout)
            self.assertNotIn("retained", done.stdout)

    def test_a_second_history_of_one_object_is_refused(self):
        for program in self.each():
            done = session.batch(*START, "loupe history thing", program=program)
            self.assertIn("is watched already", done.stderr)

    def test_without_any_it_says_how_to_begin(self):
        for program in self.each():
            done = session.batch("breakpoint set -n historyBegins",
                                 "process launch --stdout /dev/null", "loupe history",
                                 program=program)
            self.assertIn("loupe history EXPR begins", done.stderr)


if __name__ == "__main__":
    unittest.main()
