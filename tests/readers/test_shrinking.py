"""A file that becomes shorter while it is read: one sentence and status 2, no signal.

usage: test_shrinking.py LOUPE RING SHRINK
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LOUPE, RING, SHRINK = sys.argv[1:]


class Shrinking(unittest.TestCase):
    def test_it_is_said(self) -> None:
        with tempfile.TemporaryDirectory() as folder, \
                subprocess.Popen([RING], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 text=True) as program:
            assert program.stdout
            while program.stdout.readline() != "ready\n":
                pass
            for name in ("heap.loupe", "heap.hprof"):
                path = str(pathlib.Path(folder) / name)
                subprocess.run([LOUPE, "snapshot", str(program.pid), path], check=True,
                               stdout=subprocess.DEVNULL)
                self.assertGreater(os.path.getsize(path), 0)
                done = subprocess.run([LOUPE, "heap", path], capture_output=True, text=True,
                                      timeout=1800, check=False,
                                      env={**os.environ, "LD_PRELOAD": SHRINK, "SHRINK": path})
                self.assertEqual(0, os.path.getsize(path), "the tool did not map it")
                self.assertEqual((2, 1), (done.returncode, len(done.stderr.splitlines())), done)
                self.assertIn("became shorter", done.stderr)
            program.communicate()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
