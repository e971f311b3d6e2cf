"""./run demo --watch: the ring and the change to make on the terminal, and nothing else."""
import os
import re
import subprocess
import sys
import unittest

DEMO = sys.argv.pop(1)
BUILD = sys.argv.pop(1)
EXPECTED = """\
loupe: PhotoScreen <A> should have died and is alive: it was closed
Retain cycle of 3 objects, leaked: nothing outside the cycle retains it
  ╭─▶ PhotoScreen <A>
  │   _download    ivar      → Download <B>
  │   _onProgress  ivar      → block <C> in -[PhotoScreen init]
  ╰── +32          captured  → PhotoScreen <A>
  Fixes, best first:
    • capture the PhotoScreen (+32) weakly in the block in -[PhotoScreen init]
    • set Download._onProgress to nil when the block is no longer needed
"""


class Demo(unittest.TestCase):
    maxDiff = None

    def test_what_is_on_the_terminal(self) -> None:
        done = subprocess.run([DEMO, "--build", BUILD], capture_output=True, text=True, timeout=1800,
                              env={**os.environ, "LC_ALL": "C.UTF-8"}, check=True)
        names = {}
        text = re.sub("0x[0-9a-f]+", lambda address: names.setdefault(
            address[0], f"<{chr(ord('A') + len(names))}>"), done.stderr)
        self.assertEqual(text, EXPECTED)
        self.assertEqual(len(done.stdout.splitlines()), 3)


if __name__ == "__main__":
    unittest.main()
