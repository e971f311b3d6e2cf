"""The reader of running processes: what it says, and that it leaves no trace.

usage: test_process.py ASK_TARGET LOUPE BUSY FIXTURES NEVER_READ TOLD_SLEEPS SPARSE; 77: skipped
"""
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from share import share_of

ASK, LOUPE, BUSY, FIXTURES, NEVER_READ, TOLD_SLEEPS, SPARSE = sys.argv[1:]
FUSE_SERVER = pathlib.Path(__file__).with_name("programs") / "fuse_server.py"
ROUNDS = int(os.environ.get("LOUPE_ROUNDS") or max(20, len(share_of(range(200)))))


def state(process: int) -> str:
    found = re.search(r"^State:\s+(\S)", pathlib.Path(f"/proc/{process}/status").read_text(), re.M)
    assert found
    return found[1]


def threads(process: int) -> list:
    return sorted(int(task.name) for task in pathlib.Path(f"/proc/{process}/task").iterdir())


def ask(process: int, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([ASK, str(process), *words], capture_output=True, text=True, timeout=1800,
                          check=False)


class Program:
    """The busy program, from its start to its own verdict."""

    def __init__(self, *words: str) -> None:
        self.run = subprocess.Popen([BUSY, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    text=True)
        assert self.run.stdout and self.run.stdout.readline() == "ready\n"
        self.id = self.run.pid

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: object) -> None:
        if self.run.poll() is None:
            self.run.kill()
        self.run.communicate()

    def verdict(self) -> str:
        out, _ = self.run.communicate(timeout=1800)
        return out.strip()


class Leaves_No_Trace(unittest.TestCase):
    def assert_runs(self, process: int) -> None:
        for thread in threads(process):
            try:
                text = pathlib.Path(f"/proc/{process}/task/{thread}/status").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            self.assertIn("TracerPid:\t0\n", text)
            self.assertNotRegex(text, r"State:\s+[tT]")

    def test_a_busy_program_notices_nothing(self) -> None:
        with Program() as program:
            for _ in range(ROUNDS):
                done = ask(program.id, "parts")
                self.assertEqual(0, done.returncode, done.stdout)
                self.assertEqual(threads(program.id), sorted(
                    int(line.split()[1]) for line in done.stdout.splitlines()
                    if line.startswith("thread ")))
                self.assertIn("threads=0 damaged=0", done.stdout)
            self.assert_runs(program.id)
            self.assertEqual("sound", program.verdict())

    def test_threads_and_children_that_come_and_go(self) -> None:
        with Program("restless") as program:
            for _ in range(ROUNDS // 4):
                done = ask(program.id, "parts")
                self.assertEqual(0, done.returncode, done.stdout)
            self.assertEqual("sound", program.verdict())

    def test_it_runs_on_when_the_tool_is_killed(self) -> None:
        chance = random.Random(1)
        with Program() as program:
            for i in range(ROUNDS // 4):
                tool = subprocess.Popen([ASK, str(program.id), "parts"], stdout=subprocess.DEVNULL)
                time.sleep(chance.random() * 0.02)
                tool.send_signal(chance.choice((signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM,
                                                signal.SIGINT)))
                tool.wait()
                self.assert_runs(program.id)
            # Killed between the stop and what it does about it, it leaves what Linux does by itself.
            self.assertIn(program.verdict(), ("sound", "epoll_wait failed"))

    def test_what_its_shell_stopped_stays_stopped(self) -> None:
        with Program() as program:
            program.run.send_signal(signal.SIGSTOP)
            while state(program.id) != "T":
                time.sleep(0.01)
            self.assertEqual(0, ask(program.id, "parts").returncode)
            # The kernel wakes each thread that is let go, which then goes back to its stop.
            deadline = time.monotonic() + 60
            while state(program.id) != "T" and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual("T", state(program.id))
            program.run.send_signal(signal.SIGCONT)
            while state(program.id) == "T":
                time.sleep(0.01)
            program.run.communicate(timeout=1800)

    def test_signals_that_come_meanwhile_are_delivered(self) -> None:
        script = ("import signal, time\ncount = 0\ndef note(*_):\n    global count\n    count += 1\n"
                  "signal.signal(signal.SIGUSR1, note)\nprint('ready', flush=True)\n"
                  "while not input():\n    print(count, flush=True)\n")
        with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout and program.stdin
            program.stdout.readline()
            for expected in range(1, ROUNDS // 4):
                tool = subprocess.Popen([ASK, str(program.pid), "parts"], stdout=subprocess.DEVNULL)
                program.send_signal(signal.SIGUSR1)
                tool.wait()
                program.stdin.write("\n")
                program.stdin.flush()
                self.assertEqual(expected, int(program.stdout.readline()))
            program.kill()

    def test_a_program_that_becomes_others(self) -> None:
        """exec() again and again, also from another thread than the first."""
        script = ("import os, sys, threading\nleft = int(sys.argv[1])\n"
                  "go = lambda: os.execv(sys.executable, [sys.executable, '-c', sys.argv[2], "
                  "str(left - 1), sys.argv[2]])\n"
                  "if left == 0:\n    sys.exit(5)\n"
                  "thread = threading.Thread(target=go)\nthread.start()\nthread.join()\n")
        with subprocess.Popen([sys.executable, "-c", script, "40", script]) as program:
            while program.poll() is None:
                done = ask(program.pid, "parts")
                self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertEqual(5, program.returncode)


    def test_a_thread_that_waits_for_its_child_in_vfork(self) -> None:
        """It stops no sooner than its child ends: it has no registers, the others have theirs."""
        with Program("lent") as program:
            while "D" not in {state(thread) for thread in threads(program.id)}:
                time.sleep(0.01)
            for _ in range(3):
                done = ask(program.id, "parts")
                self.assertEqual(0, done.returncode, done.stdout + done.stderr)
                self.assertIn("threads=1 damaged=0", done.stdout)
                self.assertEqual(threads(program.id), sorted(
                    int(line.split()[1]) for line in done.stdout.splitlines()
                    if line.startswith("thread ")))
            self.assert_runs(program.id)
            self.assertEqual("sound", program.verdict())

    def test_a_thread_in_vfork_is_waited_for_no_longer_than_the_program_may_stand_still(self) -> None:
        """A quarter of that, a millisecond or more at a time, and not a fifth of a second. For other
        threads, which may have to wait for their turn, it may wait as well."""
        def waits(pause: str) -> int:
            done = subprocess.run([LOUPE, "heap", str(program.id), "--max-pause", pause],
                                  env={**os.environ, "LD_PRELOAD": TOLD_SLEEPS,
                                       "TOLD_PROCESS": str(program.id)},
                                  capture_output=True, text=True, timeout=1800, check=False)
            self.assertEqual(2, done.returncode, done.stderr)
            self.assertIn("slept", done.stderr)
            return done.stderr.count("slept, others stood still\n")

        with Program("lent") as program:
            while "D" not in {state(thread) for thread in threads(program.id)}:
                time.sleep(0.01)
            stopped_meanwhile = len(threads(program.id))
            self.assertLessEqual(waits("0.04"), 10 + stopped_meanwhile)
            self.assertLessEqual(waits("0"), 200 + stopped_meanwhile)
            self.assert_runs(program.id)
            self.assertEqual("sound", program.verdict())

    def test_files_that_the_program_serves_itself(self) -> None:
        """Whoever reads a page of them waits for it, and it stands still."""
        with tempfile.TemporaryDirectory() as folder, \
                subprocess.Popen([sys.executable, str(FUSE_SERVER), folder], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout
            address = program.stdout.readline().strip()
            if not address:
                self.skipTest("no file system of a program can be mounted here (FUSE)")
            try:
                done = ask(program.pid, "parts")
                self.assertEqual(0, done.returncode, done.stdout + done.stderr)
                self.assertIn(f"region {address} ", done.stdout)
                self.assert_runs(program.pid)
            finally:
                program.communicate()
                subprocess.run(["umount", "-l", folder], stderr=subprocess.DEVNULL, check=False)

    def test_it_stands_still_no_longer_than_it_may(self) -> None:
        with Program() as program:
            done = subprocess.run([LOUPE, "heap", str(program.id), "--max-pause", "0.000001"],
                                  capture_output=True, text=True, timeout=1800, check=False)
            self.assertEqual(2, done.returncode)
            self.assertIn("--max-pause", done.stderr)
            self.assert_runs(program.id)
            self.assertEqual("sound", program.verdict())

    def test_the_environment_says_how_long_it_may_stand_still(self) -> None:
        def asked(pause: str, *options: str) -> "subprocess.CompletedProcess[str]":
            return subprocess.run([LOUPE, "heap", str(program.id), *options], capture_output=True,
                                  env={**os.environ, "LOUPE_MAX_PAUSE": pause}, text=True,
                                  timeout=1800, check=False)

        with Program() as program:
            self.assertIn("--max-pause", asked("0.000001").stderr)
            self.assertNotIn("--max-pause", asked("0.000001", "--max-pause", "0").stderr)
            self.assertNotIn("MAX_PAUSE", asked("").stderr)
            refused = asked("soon")
            self.assertEqual((2, "loupe: heap: LOUPE_MAX_PAUSE cannot be 'soon'"),
                             (refused.returncode, refused.stderr.splitlines()[0]))


class Ends(unittest.TestCase):
    """When its time is over and when it is interrupted, whatever the program does that it asks."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, words: list, line: str = "") -> int:
        """A program that ends with its input, whose first line this is."""
        program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(program.communicate)
        assert program.stdout
        told = program.stdout.readline()
        if not told.startswith(line or "ready"):
            self.skipTest(f"not on this system: {words}")
        return program.pid

    def check(self, process: int, end: int = 0) -> None:
        """end: a signal to the program when it stands still."""
        done = subprocess.run([LOUPE, "heap", str(process), "--timeout", "0.000001"],
                              capture_output=True, text=True, timeout=1800, check=False)
        self.assertEqual(2, done.returncode, done.stderr)
        for delay in (0, 0.02):
            tool = subprocess.Popen([LOUPE, "heap", str(process), "--max-pause", "0"],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while tool.poll() is None and not self.is_held(process):
                time.sleep(0.001)
            if end:
                os.kill(process, end)
            time.sleep(delay)
            tool.send_signal(signal.SIGINT)
            self.assertIn(tool.wait(timeout=1800), (-signal.SIGINT, 0, 2))
            while self.is_held(process):
                time.sleep(0.001)

    def is_held(self, process: int) -> bool:
        return "TracerPid:\t0\n" not in pathlib.Path(f"/proc/{process}/status").read_text()

    def stop(self, process: int) -> None:
        os.kill(process, signal.SIGSTOP)
        self.addCleanup(os.kill, process, signal.SIGCONT)
        while state(process) != "T":
            time.sleep(0.001)

    def test_one_that_runs(self) -> None:
        self.check(self.start([BUSY]))

    def test_one_that_is_stopped(self) -> None:
        process = self.start([BUSY])
        self.stop(process)
        self.check(process)

    def test_one_that_is_stopped_meanwhile(self) -> None:
        process = self.start([BUSY])
        self.addCleanup(os.kill, process, signal.SIGCONT)
        self.check(process, signal.SIGSTOP)

    def test_one_with_a_thread_in_vfork(self) -> None:
        process = self.start([BUSY, "lent"])
        while "D" not in {state(thread) for thread in threads(process)}:
            time.sleep(0.01)
        self.check(process)

    def test_one_whose_first_thread_has_ended(self) -> None:
        with Program("headless") as program:
            while state(program.id) != "Z":
                time.sleep(0.01)
            self.check(program.id)

    @unittest.skipUnless(SPARSE, "no Objective-C here")
    def test_one_that_fills_in_memory_itself(self) -> None:
        self.check(self.start([SPARSE, "handled", f"{self.folder}/file"]))
        self.check(self.start([SPARSE, "handled-private", f"{self.folder}/file"]))

    @unittest.skipUnless(SPARSE, "no Objective-C here")
    def test_one_with_much_memory(self) -> None:
        self.check(self.start([SPARSE, "private", f"{self.folder}/file"]))

    def test_one_that_serves_files_itself(self) -> None:
        self.addCleanup(subprocess.run, ["umount", "-f", self.folder], stderr=subprocess.DEVNULL,
                        check=False)
        self.check(self.start([sys.executable, str(FUSE_SERVER), self.folder], "0x"))

    def test_memory_that_never_comes(self) -> None:
        """The tool cannot look at its clock, and waits in the kernel."""
        process = self.start([BUSY])
        for options, place in (((), "stderr"), (("--json",), "stdout")):
            done, seconds = None, 0.5
            while not done or "never read" not in done.stderr:  # it was over before that
                done = subprocess.run([LOUPE, "heap", str(process), "--timeout", str(seconds),
                                       *options], env={**os.environ, "LD_PRELOAD": NEVER_READ},
                                      check=False, capture_output=True, text=True, timeout=1800)
                seconds *= 2
            self.assertEqual(2, done.returncode)
            self.assertIn("waits for memory or a file that does not come", getattr(done, place))
            self.assertFalse(self.is_held(process))


class What_It_Says(unittest.TestCase):
    def assert_refused(self, process: int, pattern: str) -> None:
        done = ask(process, "parts")
        self.assertEqual(1, done.returncode)
        self.assertRegex(done.stdout, pattern)

    def test_processes_that_cannot_be_read(self) -> None:
        self.assert_refused(2 ** 22 + 1, "there is no process 4194305")
        self.assert_refused(0, "there is no process 0")
        if pathlib.Path("/proc/2/comm").exists() and not pathlib.Path("/proc/2/maps").read_text():
            self.assert_refused(2, "kernel|may not be read")
        with subprocess.Popen(["true"]) as ended:
            while state(ended.pid) != "Z":
                time.sleep(0.01)
            self.assert_refused(ended.pid, "has ended")

    def test_a_thread_is_no_process(self) -> None:
        with Program() as program:
            self.assert_refused(threads(program.id)[-1], f"is a thread, of process {program.id}")

    def test_a_process_that_a_debugger_has(self) -> None:
        with Program() as program:
            tracer = subprocess.Popen(["gdb", "-nx", "-batch", "-p", str(program.id), "-ex",
                                       "shell sleep 60"],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                while "TracerPid:\t0\n" in pathlib.Path(f"/proc/{program.id}/status").read_text():
                    time.sleep(0.05)
                self.assert_refused(program.id, "is traced by process")
            finally:
                tracer.kill()
                tracer.wait()

    def test_another_users_process(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        with Program() as program, tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)  # the tool may stand where others cannot see it
            tool = shutil.copy(ASK, folder)
            done = subprocess.run([tool, str(program.id), "parts"], capture_output=True, text=True,
                                  user=65534, group=65534, extra_groups=[], check=False)
            self.assertRegex(done.stdout, "belongs to another user")

    def test_a_program_whose_first_thread_has_ended(self) -> None:
        with Program("headless") as program:
            while state(program.id) != "Z":
                time.sleep(0.01)
            done = ask(program.id, "parts")
            self.assertEqual(0, done.returncode, done.stdout)
            told = [line.split() for line in done.stdout.splitlines()]
            self.assertEqual([id for id in threads(program.id) if id != program.id],
                             sorted(int(words[1]) for words in told if words[0] == "thread"))
            self.assertIn("threads=0 damaged=0", done.stdout)
            found = ask(program.id, "symbol", "take_turns").stdout.split()[1]
            self.assertRegex(ask(program.id, "name", found).stdout, r"take_turns\+0 .*busy\.c:\d+")

    def test_a_program_that_was_replaced_has_its_symbols(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("only root may open files that were removed")
        with tempfile.TemporaryDirectory() as folder:
            program = shutil.copy(BUSY, folder)
            with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as busy:
                assert busy.stdout
                busy.stdout.readline()
                os.unlink(program)
                found = ask(busy.pid, "symbol", "take_turns").stdout.split()[1]
                self.assertRegex(ask(busy.pid, "name", found).stdout, r"take_turns\+0 .*busy\.c:\d+")

    def test_regions_are_those_of_the_kernel(self) -> None:
        with Program() as program:
            told = {tuple(line.split()[1:3]) for line in ask(program.id, "parts").stdout.splitlines()
                    if line.startswith("region ")}
            maps = pathlib.Path(f"/proc/{program.id}/maps").read_text().splitlines()
            self.assertEqual({tuple(f"0x{int(part, 16):x}" for part in line.split()[0].split("-"))
                              for line in maps}, told)

    def test_loupe_takes_a_number(self) -> None:
        done = subprocess.run([LOUPE, "cycles", "4194305", "0x1000"], capture_output=True, text=True,
                              check=False)
        self.assertEqual((2, "loupe: cycles: 4194305: there is no process 4194305\n"),
                         (done.returncode, done.stderr))


if __name__ == "__main__":
    if not sys.platform.startswith("linux"):
        print("skipped: processes are read on Linux alone")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
