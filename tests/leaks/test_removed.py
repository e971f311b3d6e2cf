"""What was taken out of a collection is not held by what its memory still has behind the last element.

usage: test_removed.py LOUPE PROGRAM
"""
import collections
import json
import os
import subprocess
import sys
import unittest

LOUPE, PROGRAM = sys.argv[1:]


class Removed(unittest.TestCase):
    def test_each_ring_is_found(self) -> None:
        with subprocess.Popen([PROGRAM], stdin=subprocess.DEVNULL) as process:
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
            done = subprocess.run([LOUPE, "leaks", str(process.pid), "--json", "--limit", "0"],
                                  capture_output=True, text=True, check=False)
            process.kill()
        found = collections.Counter(leak["class"] for leak in json.loads(done.stdout)["leaks"])
        rings = {name: count for name, count in found.items() if name.startswith(("From", "Kept"))}
        self.assertEqual({"From" + place: 1 for place in (
            "Array", "Cache", "Center", "CountedSet", "Dictionary", "HashTable", "MapTable",
            "NotificationQueue", "OrderedSet", "PointerArray", "Pool", "RunLoop", "Set", "Text",
            "Thread", "TimedPerformers", "UndoManager")}, rings, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
