"""What threads lost that have ended is told, though their stacks are kept, and what they gave back is not.

usage: test_ended.py LOUPE PROGRAM
"""
import json
import subprocess
import sys
import unittest

LOUPE, PROGRAM = sys.argv[1:]


class Ended(unittest.TestCase):
    def test_live(self) -> None:
        with subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout and program.stdin
            self.assertEqual("ready\n", program.stdout.readline())
            done = subprocess.run([LOUPE, "leaks", str(program.pid), "--json", "--limit", "0"], check=False,
                                  capture_output=True, text=True, timeout=1800)
            program.stdin.close()
            self.assertEqual(0, program.wait())
        leaks = json.loads(done.stdout)["leaks"]
        self.assertEqual([(4 * 64, 4 * 64)], [(leak["count"], leak["objects"]) for leak in leaks], leaks)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
