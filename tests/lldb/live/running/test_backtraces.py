"""Where threads are: what the helper's unwinder says of the same stop is what lldb's own does."""
import json
import os
import pathlib
import unittest

import session

PROGRAMS = session.BUILD / "tests" / "stacks" / "programs"
# LLDB 19 does not find who calls the main() of an optimised program of GNUstep; others do.
ENDS_AT_MAIN = session.debugger().endswith("lldb-19")


def ask_each(stops, *lines):
    """What the lines said at each (program, function, arguments), in one lldb."""
    runs = session.carry_out([{"program": str(program), "stop": stop, "frame": 0,
                               "arguments": arguments, "commands": list(lines)}
                              for program, stop, arguments in stops])
    for run in runs:
        assert not run["problem"], run["problem"]
        yield [result["output"] + result["error"] for result in run["commands"]]


def ask(program, stop, arguments, *lines):
    return next(ask_each([(program, stop, arguments)], *lines))


def addresses(thread):
    return [frame["address"] for frame in thread["frames"]]


@unittest.skipUnless(os.uname().sysname == "Linux", "its programs are Linux's")
class SameFrames(unittest.TestCase):
    def check_each(self, stops, threads=1):
        """Of each (way, function, place)."""
        # Loading the helper may let the other threads run; asking it does not.
        answers = ask_each([(PROGRAMS / way, stop, [place]) for way, stop, place in stops],
                           "loupe inject", "loupe backtraces -j --engine memory",
                           "loupe backtraces -j --engine helper")
        for (way, stop, place), (_, *texts) in zip(stops, answers):
            with self.subTest(way=way, stop=stop, place=place):
                self.check(texts, threads)

    def check(self, texts, threads):
        for text in texts:
            self.assertEqual(len(text.strip().split("\n")), 1, text)  # an error, below the answer
        by_lldb, by_helper = (json.loads(text) for text in texts)
        self.assertEqual([by_lldb["engine"], by_helper["engine"]], ["memory", "helper"])
        self.assertEqual(by_helper["status"], "ok", texts[1])
        self.assertEqual(len(by_lldb["threads"]), len(by_helper["threads"]))
        self.assertGreaterEqual(len(by_lldb["threads"]), threads)
        for theirs, ours in zip(by_lldb["threads"], by_helper["threads"]):
            self.assertEqual(ours["id"], theirs["id"])
            self.assertEqual(ours["end"], "outermost")
            self.assertGreater(len(ours["frames"]), 2)
            known = len(theirs["frames"]) if ENDS_AT_MAIN else None
            self.assertEqual(addresses(ours)[:known], addresses(theirs),
                             f"thread {ours['name']}:\n{texts[0]}\n{texts[1]}")

    def test_in_callbacks_handlers_and_leaf_functions(self):
        self.check_each([(way, stop, place) for way in ("plain", "fast", "framed")
                         for stop, place in (("loupe_fixture_ready", "callback"),
                                             ("loupe_fixture_ready", "handler"),
                                             ("loupe_fixture_ready", "alternate"),
                                             ("leaf", "callback"))], threads=5)

    def test_in_what_runtimes_call(self):
        programs = [f"{runtime}/{way.name}" for runtime in ("foundation", "counted")
                    for way in sorted(pathlib.Path(PROGRAMS, runtime).glob("*"))]
        if not programs:
            self.skipTest("neither GNUstep nor libobjc2 is installed")
        self.check_each([(program, "loupe_fixture_ready", "") for program in programs])


@unittest.skipUnless(os.uname().sysname == "Linux", "its programs are Linux's")
class Command(unittest.TestCase):
    def test_names_of_the_source(self):
        texts = ask(PROGRAMS / "named", "loupe_fixture_ready", [], "loupe backtraces",
                    "loupe backtraces --engine helper", "loupe backtraces -j --engine helper")
        for text in texts[:2]:
            self.assertRegex(text, r"(?m)^1   named +0x\w{16} gallery::Album::open\(int\) \+ \d+( \(\S+:\d+\))?$")
        [frame] = [frame for frame in json.loads(texts[2])["threads"][0]["frames"]
                   if frame["name"] == "gallery::Album::open(int)"]
        self.assertEqual(frame["symbol"], "_ZN7gallery5Album4openEi")

    def test_one_thread(self):
        texts = ask(PROGRAMS / "plain", "loupe_fixture_ready", ["callback"], "loupe backtraces main",
                    "loupe backtraces --engine helper polls", "loupe backtraces nobody",
                    "loupe backtraces -j 2")
        self.assertRegex(texts[0], r"(?m)^0   plain +0x\w{16} loupe_fixture_ready \+ \d+( \(\S+:\d+\))?$")
        self.assertRegex(texts[0], r"(?m)^\d+ +plain +0x\w{16} main \+ \d+ \(\S+:\d+\)$")
        self.assertRegex(texts[0], r"(?m)^0x\w{16} - 0x\w{16} plain <\w+( \w+)*> /")
        self.assertEqual(texts[0].count("Thread 0 id: "), 1)
        self.assertNotIn("Thread 1", texts[0])
        self.assertRegex(texts[1], r"(?m)^Thread 2 name: polls$")
        self.assertRegex(texts[1], r"(?m)^\d+ +plain +0x\w{16} poll_nothing \+ \d+( \(\S+:\d+\))?$")
        self.assertIn("there is no thread nobody: say main, a number", texts[2])
        [only] = json.loads(texts[3])["threads"]
        self.assertEqual(only["name"], "polls")


if __name__ == "__main__":
    unittest.main()
