"""The plugin in a real lldb, by scripts that run inside lldb.

usage: test_plugin.py (Differential|Untouched|Damaged) with the environment that CMakeLists.txt sets.
LOUPE_ONLY, a regular expression, picks fixtures.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.environ["LOUPE_SOURCES"])
import expectation  # noqa: E402

VARIES = ("engine", "stats")  # what the answers of engines may differ in


def in_lldb(script, timeout=600, **environment):
    """The output of a script of this folder, run inside lldb. A crash of lldb fails the test."""
    command = [os.environ["LOUPE_LLDB"], "-b", "--no-lldbinit"]
    command += ["-o", f"command script import '{os.path.join(HERE, script)}'"]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
    )  # fmt: skip
    if run.returncode < 0 or "Traceback" in run.stderr:
        raise AssertionError(f"lldb ended with {run.returncode}:\n{run.stdout}\n{run.stderr}")
    return run.stdout


def comparable(answer):
    """The answer without what may vary, its addresses numbered by first appearance."""
    text = json.dumps({key: value for key, value in answer.items() if key not in VARIES})
    numbers = {}
    return re.sub(
        r"0x[0-9a-f]{5,}", lambda m: f"A{numbers.setdefault(m.group(), len(numbers))}", text
    )


def first_difference(one, other):
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return f"...{one[max(0, at - 60) : at + 80]}... / ...{other[max(0, at - 60) : at + 80]}..."


def ask_everywhere(fixture):
    """The answers of all engines, by engine and question; {"problem": text} if that fails."""
    with tempfile.TemporaryDirectory() as work:
        answers = {}
        for phase in ("live", "cores"):
            in_lldb("differential.py", timeout=120,
                    LOUPE_WORK=work, LOUPE_PHASE=phase, LOUPE_FIXTURE=fixture)  # fmt: skip
            with open(os.path.join(work, f"{phase}.json"), encoding="utf-8") as file:
                answers.update(json.load(file))
    return answers


class Differential(unittest.TestCase):
    """Live, helper, ELF core and minidump give the same JSON, and it is the expected one."""

    @classmethod
    def setUpClass(cls):
        pattern = os.environ.get("LOUPE_ONLY", "")
        cls.fixtures = [name for name in expectation.all_fixtures() if re.search(pattern, name)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            cls.answers = dict(zip(cls.fixtures, pool.map(ask_everywhere, cls.fixtures)))

    def test_every_engine_gives_the_same_answer(self):
        for name, engines in self.answers.items():
            self.assertNotIn("problem", engines, name)
            for question, live in engines["live"].items():
                for engine in ("helper", "minidump", "elf"):
                    with self.subTest(f"{name}: {question}, {engine}"):
                        one, other = comparable(live), comparable(engines[engine][question])
                        self.assertTrue(one == other, first_difference(one, other))

    def test_the_answer_is_the_expected_one(self):
        for name in self.fixtures:
            for expression, expected in expectation.load(name).items():
                answers = self.answers[name]["live"]
                with self.subTest(f"{name}: {expression}"):
                    wrong = [
                        *expectation.cycles_mismatches(expected, answers[f"retain-cycles {expression}"]),
                        *expectation.block_mismatches(expected, answers[f"block-layout {expression}"]),
                    ]  # fmt: skip
                    self.assertEqual(wrong, [])


class Untouched(unittest.TestCase):
    """No question runs code in the debuggee or changes a byte of it."""

    def test_process_is_as_before(self):
        for fixture in ("self_block", "assoc_pair"):
            program = os.path.join(os.environ["LOUPE_FIXTURES"], fixture)
            output = in_lldb("no_code_runs.py", LOUPE_FIXTURE=program)
            found = re.search(r"asked (\d+) questions; (\d+) writable regions; changed: (.*)", output)
            self.assertIsNotNone(found, output)
            self.assertGreaterEqual(int(found[1]), 4)
            self.assertGreater(int(found[2]), 0)
            self.assertEqual(found[3], "nothing")


class Damaged(unittest.TestCase):
    """Damaged cores give answers or clean errors; lldb survives all of them."""

    def test_elf_core(self):
        count = os.environ.get("LOUPE_MUTATIONS", "60")
        with tempfile.TemporaryDirectory() as work:
            core = os.path.join(work, "whole.core")
            printed = in_lldb("save_core.py", LOUPE_CORE=core)
            addresses = re.search(r"^addresses (\S+) content (\d+)$", printed, re.M)
            self.assertIsNotNone(addresses, printed)
            output = in_lldb(
                "damaged_cores.py", timeout=3000, LOUPE_CORE=core, LOUPE_WORK=work,
                LOUPE_MUTATIONS=count, LOUPE_ADDRESSES=addresses[1], LOUPE_CONTENT=addresses[2],
            )  # fmt: skip
        print(output)
        self.assertIn(f"survived {count} damaged cores", output)
        self.assertNotIn("failed without a message", output)
        # Damage must not be so great that nothing was tested.
        self.assertRegex(output, r"\d+ (ok|incomplete)")


if __name__ == "__main__":
    unittest.main()
