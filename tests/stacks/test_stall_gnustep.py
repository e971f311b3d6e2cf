"""The run loop of GNUstep, which the preloaded library finds by itself: a main thread that computes
and one that waits for a lock are told by what they do, one that waits for its timers is not.

usage: test_stall_gnustep.py LIBRARY SLOW_LIBRARY
"""
import os
import re
import subprocess
import sys
import unittest

LIBRARY, PROGRAM = sys.argv[1:]
TOLD = re.compile(r"(?m)^loupe: main thread hang: (\d+\.\d+) s so far\n"
                  r"(Computing|Waiting) \d+ % of the time\. Frames common to 4 samples:\n\n"
                  r"((?:.+\n)+)")


def run(**environment):
    return subprocess.run([PROGRAM], env={**os.environ, **environment}, capture_output=True,
                          text=True, timeout=1800, check=True).stderr


class Stalls(unittest.TestCase):
    def test_two_of_them_are_told_and_no_more(self):
        text = run(LD_PRELOAD=LIBRARY, LOUPE_STALLS="0.4")
        told = TOLD.findall(text)
        self.assertEqual(["computes", "waits"], [kind for _, kind, _ in told], text)
        for (_, _, stack), method in zip(told, ("sortByDate:", "showNewest:")):
            self.assertRegex(stack, rf"(?m)^\d+ +slow_library +0x\w{{16}} -\[PhotoLibrary {method}\] \+ \d+$")
            self.assertRegex(stack, r"(?m)^\d+ +slow_library +0x\w{16} main \+ \d+$")
        self.assertRegex(told[1][2], r"-\[NSLock lock\] \+ ")
        lengths = re.findall(r"hang: (\d+\.\d+) s, over now", text)
        self.assertEqual(2, len(lengths), text)
        for length in lengths:
            self.assertGreater(float(length), 0.8)

    def test_without_a_time_nothing_is_watched(self):
        self.assertEqual("", run(LD_PRELOAD=LIBRARY))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
