"""loupe watch: the library that watches objects, loaded and asked by lldb."""
import re
import unittest

import session

ALBUM = session.BUILD / "examples" / "album"
RULES = session.SOURCE / "examples" / "album" / "album.loupe-rules"
AT_PUSH = ("b -[Navigator push:]", "run")


@unittest.skipUnless(ALBUM.exists(), "the example is not built here")
class Watch(unittest.TestCase):
    def run_album(self, *lines, arguments=""):
        begin = [f"settings set -- target.run-args {arguments}"] if arguments else []
        return session.batch(*begin, *AT_PUSH, *lines, "kill", program=ALBUM,
                             env=session.environment(LOUPE_WATCH_AFTER="0.2",
                                                     LOUPE_WATCH_LIBRARY=None))

    def test_an_object_is_reported_and_the_process_stops_there(self):
        done = self.run_album("loupe watch --after 0.2 --stop screen", "continue", "loupe watch list")
        text = done.stdout
        self.assertRegex(text, r"0x[0-9a-f]+ should die within 0\.2 s from now on")
        self.assertIn("capture the PhotoScreen (+32) weakly in the block in -[PhotoScreen init]",
                      text + done.stderr)
        self.assertIn("capture self weakly in the block at ", text)  # by debug information
        self.assertRegex(text, r"PhotoScreen 0x[0-9a-f]+ +reported +\d\.\d s +\d\.\d s ago +1 +it was")

    def test_rules_and_their_end(self):
        done = self.run_album(f"loupe watch --rules {RULES}", "loupe watch screen", "loupe watch list",
                              "loupe watch delete screen", "loupe watch list", "loupe watch delete",
                              "loupe watch list")
        self.assertIn("1 rule followed", done.stdout)
        self.assertRegex(done.stdout, r"1 object watched by weak reference, 1 rule followed\n.*\n"
                                      r"PhotoScreen 0x\w+ +waiting +\d\.\d s +in \d\.\d s +\d+ +it")
        self.assertIn("0 objects watched by weak reference, 1 rule followed", done.stdout)
        self.assertIn("0 objects watched by weak reference, 0 rules followed", done.stdout)

    def test_what_dies_is_silent(self):
        done = self.run_album(f"loupe watch --rules {RULES} --stop", "breakpoint disable 1",
                              "continue", arguments="--repaired")
        self.assertNotIn("should have died", done.stdout + done.stderr)
        self.assertIn("exited with status = 0", done.stdout)

    def test_mistakes_are_named(self):
        done = self.run_album("loupe watch list", "loupe watch --rules /nowhere")
        self.assertIn("nothing is watched: libloupe_watch is not in the process", done.stdout)
        self.assertTrue(re.search("loupe watch: the rules of /nowhere cannot be read: No such file",
                                  done.stderr + done.stdout), done.stderr)


if __name__ == "__main__":
    unittest.main()
