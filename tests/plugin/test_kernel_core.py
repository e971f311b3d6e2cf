"""Core files that the kernel writes: they leave out what the files of the program hold.

usage: test_kernel_core.py KernelCore with the environment that CMakeLists.txt sets.
"""
import glob
import os
import resource
import shutil
import struct
import subprocess
import tempfile
import unittest

from lldb_runs import (comparable, first_difference, in_lldb, named_answers, options_of,
                       run_lldb)

PATTERN_FILE = "/proc/sys/kernel/core_pattern"
PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
PT_LOAD = 1
READABLE, WRITABLE = 4, 2


def why_no_cores():
    """What keeps the kernel from writing a core into the working directory, or None."""
    if not os.path.exists(PATTERN_FILE):
        return "this is not Linux"
    with open(PATTERN_FILE, encoding="utf-8") as file:
        pattern = file.read().strip()
    if pattern.startswith("|") or "/" in pattern:
        return f"core_pattern sends cores elsewhere: {pattern}"
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        return "the hard limit of the size of cores is 0"
    return None


def allow_cores():
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def die_at_the_stop(program, work):
    """The core of a fixture that got SIGABRT at its stop; the breakpoint is gone by then."""
    commands = ["set breakpoint pending on", "break loupe_fixture_ready", "run", "delete",
                "signal SIGABRT"]  # fmt: skip
    options = [part for command in commands for part in ("-ex", command)]
    subprocess.run(
        [os.environ["LOUPE_GDB"], "-nx", "-batch", *options, program],
        cwd=work, preexec_fn=allow_cores, capture_output=True, check=False,
    )  # fmt: skip
    cores = glob.glob(os.path.join(work, "*core*"))
    return cores[0] if cores else None


def left_out(core):
    """The readable segments, of those that cannot be written, that are not in the core."""
    with open(core, "rb") as file:
        header = file.read(64)
        (table,), (count,) = (
            struct.unpack_from("<Q", header, 32),
            struct.unpack_from("<H", header, 56),
        )
        file.seek(table)
        entries = [PROGRAM_HEADER.unpack(file.read(PROGRAM_HEADER.size)) for _ in range(count)]
    return [
        entry for entry in entries
        if entry[0] == PT_LOAD and entry[1] & READABLE and not entry[1] & WRITABLE
        and entry[5] < entry[6]
    ]  # fmt: skip


class KernelCore(unittest.TestCase):
    FIXTURES = ("captures_mixed", "assoc_pair", "collections_mixed")

    def setUp(self):
        reason = why_no_cores()
        if reason:
            self.skipTest(reason)

    def answers(self, fixture, core):
        output = in_lldb("one_fixture.py", LOUPE_FIXTURE=fixture, LOUPE_CORE=core)
        return named_answers(output)

    def core_of(self, program, work):
        core = die_at_the_stop(program, work)
        if not core:
            self.skipTest("the kernel wrote no core")
        return core

    def test_with_the_program_answers_are_those_of_the_live_process(self):
        for fixture in self.FIXTURES:
            with self.subTest(fixture), tempfile.TemporaryDirectory() as work:
                core = self.core_of(os.path.join(os.environ["LOUPE_FIXTURES"], fixture), work)
                self.assertTrue(left_out(core), "this core holds all there was")
                live, dead = self.answers(fixture, ""), self.answers(fixture, core)
                self.assertEqual(set(dead), set(live))
                for question, answer in live.items():
                    one, other = (comparable(told, same_process=False)
                                  for told in (answer, dead[question]))
                    self.assertTrue(one == other, f"{question}: {first_difference(one, other)}")
                self.assertEqual(live["retain-cycles seed"]["status"], "ok")

    def test_without_the_program_it_says_what_is_missing(self):
        with tempfile.TemporaryDirectory() as work:
            program = os.path.join(work, "program")
            shutil.copy(os.path.join(os.environ["LOUPE_FIXTURES"], "self_block"), program)
            core = self.core_of(program, work)
            os.unlink(program)
            run = run_lldb(options_of([
                f"plugin load '{os.environ['LOUPE_PLUGIN']}'", f"target create --core '{core}'",
                "loupe-engine retain-cycles --address 0x1000",
            ]))  # fmt: skip
        self.assertIn("lldb knows no image of this core: give it the program too", run.stderr)

    def test_of_a_process_whose_program_was_deleted_it_says_where_that_is(self):
        with tempfile.TemporaryDirectory() as work:
            program = os.path.join(work, "program")
            shutil.copy(shutil.which("sleep"), program)
            with subprocess.Popen([program, "1000"]) as process:
                os.unlink(program)
                run = run_lldb(options_of([
                    f"plugin load '{os.environ['LOUPE_PLUGIN']}'",
                    f"process attach -p {process.pid}",
                    "loupe-engine retain-cycles --address 0x1000",
                ]))  # fmt: skip
                process.kill()
        if "attach failed" in run.stderr:
            self.skipTest("this system lets nobody attach")
        self.assertIn(f"target create /proc/{process.pid}/exe", run.stderr)


if __name__ == "__main__":
    unittest.main()
