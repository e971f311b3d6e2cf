"""What GNUstep's test framework says of assertions that hold, and of those that do not.

usage: test_gnustep.py PROGRAM SOURCE
"""
import re
import subprocess
import sys
import unittest

PROGRAM, SOURCE = sys.argv[1:]


def run(*words):
    """Results of tests by line, and what was reported."""
    done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=1800, check=True)
    results = re.findall(r"^(Passed|Failed) test: .*gnustep_tests\.m:(\d+) \.\.\.", done.stdout, re.M)
    return [(result, int(line)) for result, line in results], done.stdout


class Framework(unittest.TestCase):
    def test_three_pass_and_with_a_mistake_three_fail_at_the_same_lines(self):
        passed, text = run()
        self.assertEqual(["Passed"] * 3, [result for result, _ in passed], text)
        self.assertNotIn("error:", text)
        failed, text = run("mistake")
        self.assertEqual([("Failed", line) for _, line in passed], failed, text)
        with open(SOURCE, encoding="utf-8") as file:
            source = file.read().splitlines()
        heads = re.findall(r"gnustep_tests\.m:(\d+): error: (.*)", text)
        self.assertEqual([line for _, line in failed], [int(line) for line, _ in heads])
        for (line, said), wanted in zip(heads, ("is possibly in, or reaches, a retain cycle",
                                                " lives: the report is above", " leaks")):
            self.assertIn(wanted, said)
            self.assertRegex(source[int(line) - 1], r"\);$")
        self.assertGreaterEqual(text.count("╭─▶ Node"), 3)
        self.assertGreaterEqual(text.count("hold Node._next without retaining it"), 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
