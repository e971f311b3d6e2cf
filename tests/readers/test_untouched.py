"""A look at a process leaves its memory as it is, to the page: what it has addresses of and no pages
is not given any, whatever kind of memory it is.

usage: test_untouched.py LOUPE SPARSE LLDB COMMANDS HELPER AT_EXIT [--table]; what is not there is
empty; with the last it prints what it measures
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from typing import Any, Dict, Optional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from lldb_options import QUICK  # noqa: E402

LOUPE, SPARSE, LLDB, COMMANDS, HELPER, AT_EXIT = sys.argv[1:7]
KINDS = {"private": "private memory", "shared": "shared memory without a file",
         "memfd": "memory of memfd_create()", "segment": "a segment of System V",
         "file": "a file of 20 GB", "short": "a file that is mapped further than it goes",
         "deleted": "a file that was deleted", "huge": "huge pages"}
HANDLED = {"handled": "shared memory that a program fills in itself (userfaultfd)",
           "handled-private": "private memory that a program fills in itself (userfaultfd)"}
NAMES = {**KINDS, **HANDLED}
# A user whom the kernel does not let follow its own links to what is mapped.
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def pages_of(process: int) -> Dict[str, int]:
    """What it has in memory, and tables for it, in kB."""
    lines = (pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:] +
             pathlib.Path(f"/proc/{process}/status").read_text().splitlines())
    numbers = {line.split(":")[0]: line.split(":")[1].split() for line in lines}
    return {name: int(numbers[name][0])
            for name in ("Rss", "Swap", "Private_Hugetlb", "Shared_Hugetlb", "VmPTE", "VmSwap")}


class Sparse:
    """A program with much memory of a kind, and what it has of it."""

    def __init__(self, kind: str, folder: str, before: Optional[list] = None,
                 **variables: str) -> None:
        self.path = pathlib.Path(folder) / f"sparse-{kind}"
        self.run = subprocess.Popen([*(before or []), SPARSE, kind, str(self.path)],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True,
                                    env={**os.environ, **variables})
        assert self.run.stdout
        self.is_ready = self.run.stdout.readline() == "ready\n"
        self.id = self.run.pid

    def __enter__(self) -> "Sparse":
        return self

    def __exit__(self, *_: object) -> None:
        self.run.communicate()
        self.path.unlink(missing_ok=True)

    def has(self) -> Dict[str, int]:
        blocks = self.path.stat().st_blocks if self.path.exists() else 0
        return {**pages_of(self.id), "blocks of the file": blocks}


def check_others_are_told(test: unittest.TestCase, answer: Dict[str, Any]) -> None:
    test.assertEqual("incomplete", answer["status"])
    [told] = [reason for reason in answer["not_followed"] if reason["code"] == "memory-of-others"]
    test.assertEqual(((1 << 30) - os.sysconf("SC_PAGESIZE"), True), (told["count"], told["lost"]))


class Untouched(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def ask(self, program: Sparse, *before: str) -> Dict[str, Any]:
        done = subprocess.run([*before, LOUPE, "leaks", str(program.id), "--json"],
                              capture_output=True, text=True, timeout=1800, check=False)
        self.assertEqual("", done.stderr)
        return json.loads(done.stdout)

    def check(self, kind: str, *before: str) -> Dict[str, Any]:
        with Sparse(kind, self.folder, [*before]) as program:
            if not program.is_ready:
                self.skipTest(f"this system has none: {NAMES[kind]}")
            had = program.has()
            answer = self.ask(program, *before)
            has = program.has()
            if "--table" in sys.argv:
                print(f"\n{NAMES[kind]}: before {had}\nafter {has}")
            self.assertEqual(had, has)
            # The only word in it was seen all the same.
            self.assertEqual([], answer["leaks"])
            return answer

    def check_all_is_told(self, kind: str) -> None:
        if kind == "deleted" and os.getuid():
            self.skipTest("the kernel tells only root of files without a name")
        self.assertEqual("ok", self.check(kind)["status"])

    def test_what_the_program_fills_in_is_not_looked_at(self) -> None:
        """It would have to answer, and stands still."""
        for kind in HANDLED:
            with self.subTest(kind=kind):
                check_others_are_told(self, self.check(kind))

    @unittest.skipIf(os.getuid() or not shutil.which("setpriv"), "not root")
    def test_what_nobody_may_read_is_not_read(self) -> None:
        os.chmod(self.folder, 0o777)
        for kind, status in (("shared", "ok"), ("memfd", "ok"), ("segment", "ok"), ("file", "ok"),
                             ("short", "ok"), ("deleted", "incomplete")):
            with self.subTest(kind=kind):
                answer = self.check(kind, *NOBODY)
                self.assertEqual(status, answer["status"], answer)
                told = [reason for reason in answer["not_followed"]
                        if reason["code"] == "shared-memory"]
                self.assertEqual(kind in ("shared", "segment", "deleted"), bool(told), answer)


class UntouchedFromInside(unittest.TestCase):
    """By the program itself. What the question takes is the program's, too, so that only its large
    mapping can have the same pages afterwards, and its file the same blocks."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def pages_of_mapping(self, program: Sparse) -> Dict[str, int]:
        smaps = pathlib.Path(f"/proc/{program.id}/smaps").read_text()
        mappings = [{name: int(size) for name, size in re.findall(r"^(\w+): +(\d+) kB", part, re.M)}
                    for part in re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", smaps, flags=re.M)[1:]]
        mapping = max(mappings, key=lambda each: each["Size"])
        return {name: mapping[name] for name in ("Rss", "Private_Hugetlb", "Shared_Hugetlb")}

    @unittest.skipUnless(HELPER, "there is no helper")
    def test_asked_from_inside(self) -> None:
        for kind in NAMES:
            with self.subTest(kind=kind), Sparse(kind, self.folder, LD_PRELOAD=HELPER) as program:
                if not program.is_ready:
                    continue
                had = (self.pages_of_mapping(program), program.has()["blocks of the file"])
                assert program.run.stdin and program.run.stdout
                program.run.stdin.write("?")
                program.run.stdin.flush()
                answer = json.loads(program.run.stdout.readline())
                has = (self.pages_of_mapping(program), program.has()["blocks of the file"])
                self.assertEqual(had, has)
                self.assertEqual([], answer["leaks"])
                # What only the kernel finds is told.
                hidden = [reason for reason in answer["not_followed"]
                          if reason["code"] == "shared-memory"]
                self.assertTrue(not hidden or kind in ("shared", "segment", "deleted"), answer)
                self.assertNotIn("unreadable-pages",
                                 [reason["code"] for reason in answer["not_followed"]])
                if kind in HANDLED:
                    check_others_are_told(self, answer)

    @unittest.skipUnless(HELPER, "there is no helper")
    def test_a_file_that_it_serves_itself(self) -> None:
        """Nobody would answer a look at it: its thread that serves stands still."""
        server = pathlib.Path(__file__).with_name("programs") / "fuse_server.py"
        with subprocess.Popen([sys.executable, str(server), self.folder], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "LD_PRELOAD": HELPER}) as program:
            assert program.stdout
            if not program.stdout.readline():
                self.skipTest("no file system of a program can be mounted here (FUSE)")
            try:
                answer, _ = program.communicate("?", timeout=1800)
            finally:  # by force, which ends those who wait
                subprocess.run(["umount", "-f", self.folder], stderr=subprocess.DEVNULL, check=False)
        self.assertIn('"query":"leaks"', answer)

    def test_a_file_of_a_server_that_stands_still(self) -> None:
        """Another program's, which stops: --max-pause ends the question, and with it the wait of the process."""
        server = pathlib.Path(__file__).with_name("programs") / "fuse_server.py"
        maps_it = ("import mmap, os, sys; mapped = mmap.mmap(os.open(sys.argv[1], os.O_RDONLY), 4096, "
                   "mmap.MAP_SHARED, mmap.PROT_READ); print('ready', flush=True); sys.stdin.read()")
        with subprocess.Popen([sys.executable, str(server), self.folder], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as serving:
            assert serving.stdout and serving.stdin
            if not serving.stdout.readline():
                self.skipTest("no file system of a program can be mounted here (FUSE)")
            try:
                with subprocess.Popen([sys.executable, "-c", maps_it, os.path.join(self.folder, "file")],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
                    assert program.stdout and program.stdin
                    program.stdout.readline()
                    os.kill(serving.pid, signal.SIGSTOP)
                    done = subprocess.run([LOUPE, "leaks", str(program.pid), "--max-pause", "1"], check=False,
                                          capture_output=True, text=True, timeout=1800)
                    os.kill(serving.pid, signal.SIGCONT)
                    program.stdin.close()
                    self.assertEqual(0, program.wait(), "it did not run on")
            finally:
                os.kill(serving.pid, signal.SIGCONT)
                serving.stdin.close()
                subprocess.run(["umount", "-f", self.folder], stderr=subprocess.DEVNULL, check=False)
        self.assertEqual(2, done.returncode, done)
        self.assertIn("stood still for as long as it may (--max-pause)", done.stderr)

    @unittest.skipUnless(AT_EXIT, "there is no library that tells leaks at exit")
    def test_at_exit(self) -> None:
        enough = 200 << 10  # kB, of 1 GB and 20 GB
        for kind in NAMES:
            with self.subTest(kind=kind):
                program = Sparse(kind, self.folder, LD_PRELOAD=AT_EXIT, LOUPE_LEAKS="at-exit")
                assert program.run.stdin and program.run.stderr and program.run.stdout
                program.run.stdin.close()
                told = program.run.stderr.read()
                _, status, used = os.wait4(program.id, 0)
                program.run.returncode = os.waitstatus_to_exitcode(status)
                program.run.stderr.close()
                program.run.stdout.close()
                program.path.unlink(missing_ok=True)
                if program.is_ready:
                    self.assertNotRegex(told, r"(?m)^\d+ leaks?\b")
                    self.assertLess(used.ru_maxrss, enough)


# In LLDB, whose own looks at code and stacks are its own business: what the large mapping has.
PAGES = r"""
import re, sys
sys.path.append(FOLDER)
def say_pages(debugger, command, result, internal):
    process = debugger.GetSelectedTarget().process.GetProcessID()
    text = open(f"/proc/{process}/smaps").read()
    found = re.findall(r"^Size: +(\d+).*?^Rss: +(\d+)", text, re.M | re.S)
    result.AppendMessage(f"mapping {max((int(size), int(rss)) for size, rss in found)}")
def compare(debugger, command, result, internal):
    import both_outside
    frame = debugger.GetSelectedTarget().process.selected_thread.frames[0]
    result.AppendMessage(f"differences: {both_outside.differences(debugger, frame, [])}")
"""
LIVE = pathlib.Path(__file__).resolve().parents[1] / "lldb" / "live"


@unittest.skipIf(not LLDB, "no LLDB")
class UntouchedByLLDB(unittest.TestCase):
    """By the plugin, and by the command-line tool, which LLDB reads for; they say the same."""

    def check(self, kind: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            module, script = pathlib.Path(folder) / "pages.py", pathlib.Path(folder) / "script"
            module.write_text(PAGES.replace("FOLDER", repr(str(LIVE))))
            script.write_text(f"command script import {COMMANDS}\ncommand script import {module}\n"
                              "command script add -f pages.say_pages say_pages\n"
                              "command script add -f pages.compare compare\nbreakpoint set -n sparse_ready\n"
                              f"process launch -i /dev/null -- {kind} {folder}/file\n"
                              "say_pages\nloupe leaks\nsay_pages\ncompare\ncompare\nsay_pages\nprocess kill\n")
            done = subprocess.run([LLDB, "-b", "-x", *QUICK, "-s",
                                   str(script), SPARSE], capture_output=True,
                                  text=True, timeout=1800, check=False, env={**os.environ, "LOUPE_TOOL": LOUPE})
        if "not available" in done.stdout:
            self.skipTest(f"this system has none: {NAMES[kind]}")
        said = [line for line in done.stdout.splitlines() if line.startswith("mapping (")]
        self.assertEqual(3, len(said), done.stdout + done.stderr)
        self.assertEqual(said[0], said[1])
        self.assertEqual(said[0], said[2])
        self.assertEqual(2, done.stdout.count("differences: none of 2\n"), done.stdout + done.stderr)
        return done.stdout

    def test_shared_memory(self) -> None:
        self.assertIn("No leaks", self.check("shared"))

    def test_a_large_file(self) -> None:
        self.assertIn("No leaks", self.check("file"))

    def test_what_the_program_fills_in_is_not_looked_at(self) -> None:
        self.check("handled")


def add_test(kind: str) -> None:
    setattr(Untouched, f"test_{kind}", lambda self: self.check_all_is_told(kind))


for each_kind in KINDS:
    add_test(each_kind)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
