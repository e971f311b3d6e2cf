"""The demo: what it shows, and what it leaves at the prompt."""
import re
import subprocess
import unittest

import session

EXAMPLES = session.SOURCE / "examples"


def demo(*options):
    finished = subprocess.run(
        [str(EXAMPLES / "demo.sh"), "--lldb", session.debugger(), "--build", str(session.BUILD),
         *options], capture_output=True, text=True, encoding="utf-8", check=False,
        env=session.environment(), stdin=subprocess.DEVNULL, timeout=session.TIMEOUT)
    return finished.returncode, finished.stdout, finished.stderr


def answer_to(question, text):
    """What was printed behind a prompt, the first time."""
    match = re.search(rf"^\(lldb\) {re.escape(question)}\n(.*?)(?=^\(lldb\) |^-{{20}}|^```|\Z)", text,
                      re.M | re.S)
    return match.group(1).strip() if match else None


class Demo(unittest.TestCase):
    maxDiff = None

    def test_three_leaks_are_shown_each_with_its_ring(self):
        status, text, errors = demo()
        self.assertEqual((0, ""), (status, errors))
        verdicts = re.findall(r"^1 (?:leaked|held) retain cycle through screen \((\w+) 0x", text, re.M)
        self.assertEqual(["PhotoScreen", "AlbumScreen", "SlideShowScreen"], verdicts)
        for advice in ("capture self weakly in the block at PhotoScreen.m:34",
                       "make PhotoGrid._delegate weak",
                       "invalidate the NSTimer before SlideShowScreen is to be freed"):
            self.assertIn(f"    • {advice}", text)
        for question in ("block-layout screen->_completion", "strong-refs screen->_grid"):
            self.assertIsNotNone(answer_to(question, text))
        self.assertTrue(text.rstrip().endswith("help retain-cycles"), text[-500:])

    def test_it_ends_with_all_three_and_no_object_named(self):
        _, text, _ = demo()
        leaks = answer_to("loupe leaks", text)
        entries = re.split(r"^\d\. ", leaks, flags=re.M)[1:]
        self.assertEqual(3, len(entries), leaks)
        for name, advice, objects in (
                ("PhotoScreen 0x", "capture self weakly in the block at PhotoScreen.m:34", 4),
                ("AlbumScreen 0x", "make PhotoGrid._delegate weak", 3),
                ("SlideShowScreen 0x", "before SlideShowScreen is to be freed", 3)):
            entry = next((entry for entry in entries if name in entry), "")
            self.assertIn(advice, entry)
            self.assertIn("╭─▶", entry)
            self.assertRegex(entry, rf"In all: {objects} objects, ")

    def test_interactive_stays_at_the_first_leak_with_things_to_type(self):
        finished = subprocess.run(
            [str(EXAMPLES / "demo.sh"), "--lldb", session.debugger(), "--build",
             str(session.BUILD), "--interactive"], capture_output=True, text=True, check=False,
            encoding="utf-8", env=session.environment(), timeout=session.TIMEOUT,
            input="retain-cycles screen\nprocess kill\nquit\n")
        self.assertIn("You are at the prompt, stopped in screenShouldBeGone.", finished.stdout)
        self.assertRegex(finished.stdout, r"1 leaked retain cycle through screen \(PhotoScreen 0x")


if __name__ == "__main__":
    unittest.main()
