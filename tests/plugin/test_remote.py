"""The plugin and a live process behind a link: what it asks for, and what stops it. And a process on
this machine, of which the kernel tells.

usage: test_remote.py (Requests|Interruption|Here) with the environment that CMakeLists.txt sets. The
program is long_walk.m.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from lldb_runs import QUICK, answers_in, commands_to_ask, not_followed, options_of, run_lldb
from remote_link import RemoteLink, is_memory_read

LLDB = os.environ["LOUPE_LLDB"]
PROGRAM = os.path.join(os.environ["LOUPE_PROGRAMS"], "long_walk")
MARK = "qLoupeTestMark"
MARK_COMMAND = f"process plugin packet send {MARK}"
ALL_CYCLES = "ask-seed"


def find_server():
    """The lldb-server that belongs to the lldb under test."""
    folder = "lldb.SBHostOS.GetLLDBPath(lldb.ePathTypeSupportExecutableDir)"
    told = run_lldb(["-o", f"script print('servers', {folder})"]).stdout
    beside = re.search(r"^servers (.*)$", told, re.M)
    return beside and shutil.which("lldb-server", path=beside[1])


class Session:
    """One run of lldb on the program, stopped at heap_ready, through a link."""

    def __init__(self, links, commands, on_request=lambda session, request: None):
        server = find_server()
        if not server:
            raise unittest.SkipTest("there is no lldb-server")
        link = RemoteLink(server, [PROGRAM, str(links)], lambda r: on_request(self, r))
        if not link.server_port:
            link.close()
            raise unittest.SkipTest(f"{server} does not start (one that is not installed)")
        before = [f"target create '{PROGRAM}'", "breakpoint set --name heap_ready",
                  f"gdb-remote 127.0.0.1:{link.port}", "continue",
                  *commands_to_ask(), MARK_COMMAND]  # fmt: skip
        self._lldb = subprocess.Popen(
            [LLDB, "-b", "--no-lldbinit", *QUICK, *options_of(before + commands)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        try:
            self.output, _ = self._lldb.communicate(timeout=1800)
        finally:
            self._lldb.kill()
            link.close()
        self.answers = answers_in(self.output)
        self.requests = _parts_between_marks(link.requests)

    def press_ctrl_c(self):
        self._lldb.send_signal(signal.SIGINT)
        time.sleep(0.5)  # lldb handles it in a thread of its own, while the request is held back


def _parts_between_marks(requests):
    parts = [[]]
    for request in requests:
        if request == MARK:
            parts.append([])
        else:
            parts[-1].append(request)
    return parts


def length_of(read):
    return int(read.split(",")[1], 16)


class Requests(unittest.TestCase):
    """What one question after another asks of the other end."""

    LINKS = 50000

    @classmethod
    def setUpClass(cls):
        cls.session = Session(cls.LINKS, [
            ALL_CYCLES, MARK_COMMAND,
            ALL_CYCLES, MARK_COMMAND,
            "memory write --size 8 `&seed->_partner->_owner` 0", MARK_COMMAND,
            ALL_CYCLES,
        ])  # fmt: skip
        cls.connecting, cls.first, cls.second, cls.writing, cls.last = cls.session.requests
        cls.answers = cls.session.answers

    def test_program_is_walked_whole_and_its_knot_found(self):
        self.assertEqual(len(self.answers), 3, self.session.output)
        for answer in self.answers[:2]:
            self.assertEqual((answer["status"], answer["knots_found"]), ("ok", 1))
            self.assertEqual(answer["stats"]["objects"], self.LINKS + 2)

    def test_a_walk_takes_round_trips_by_megabytes_not_by_objects(self):
        stats = self.answers[0]["stats"]
        self.assertLess(len(self.first), self.LINKS / 500)
        self.assertLess(stats["bytes"] / stats["objects"], 200)

    def test_stats_tell_the_reads_and_their_bytes(self):
        stats = self.answers[0]["stats"]
        reads = [request for request in self.first if is_memory_read(request)]
        self.assertEqual(sum(map(length_of, reads)), stats["bytes"])
        # lldb parts a read that is longer than a packet.
        self.assertGreaterEqual(len(reads), stats["reads"])
        self.assertLessEqual(len(reads), stats["reads"] + stats["bytes"] / (64 * 1024))

    def test_no_region_is_asked_for_twice(self):
        regions = [r for r in self.first + self.second if r.startswith("qMemoryRegionInfo:")]
        self.assertTrue(regions)
        self.assertEqual(len(set(regions)), len(regions))

    def test_the_same_question_at_the_same_stop_asks_for_nothing(self):
        self.assertEqual(self.second, [])

    def test_what_somebody_wrote_is_seen_by_the_next_question(self):
        self.assertEqual((self.answers[2]["status"], self.answers[2]["knots_found"]), ("ok", 0))


class Interruption(unittest.TestCase):
    LINKS = 60000

    @classmethod
    def setUpClass(cls):
        cls.reads_left = None
        # How many reads a whole walk takes depends on the runtime: a first run counts them.
        whole = Session(cls.LINKS, [ALL_CYCLES, MARK_COMMAND])
        cls.half = sum(map(is_memory_read, whole.requests[1])) // 2

        def press_ctrl_c_in_the_middle(session, request):
            if request == MARK and cls.reads_left is None:
                cls.reads_left = cls.half
            elif cls.reads_left and is_memory_read(request):
                cls.reads_left -= 1
                if cls.reads_left == 0:
                    session.press_ctrl_c()

        cls.session = Session(cls.LINKS, [ALL_CYCLES, MARK_COMMAND], press_ctrl_c_in_the_middle)

    def test_ctrl_c_ends_the_walk_with_what_was_found(self):
        version = re.search(r"version (\d+)", run_lldb(["--version"]).stdout)
        if version and int(version[1]) < 16 and "... Interrupted" in self.session.output:
            self.skipTest("this lldb drops what an interrupted command prints")
        self.assertEqual(self.reads_left, 0, self.session.output)
        (answer,) = self.session.answers
        self.assertEqual(answer["status"], "incomplete")
        self.assertEqual(not_followed(answer), {"objects left when the search was interrupted": 1})
        self.assertEqual([knot["objects"] for knot in answer["knots"]], [2])
        self.assertGreater(answer["stats"]["objects"], 2)
        self.assertLess(answer["stats"]["objects"], self.LINKS)

    def test_lldb_goes_on_with_the_next_command(self):
        self.assertEqual(len(self.session.requests), 3)


def may_read_others():
    """Whether the kernel lets lldb read what its server has started."""
    try:
        with open("/proc/sys/kernel/yama/ptrace_scope", encoding="ascii") as file:
            return int(file.read()) < 2
    except OSError:
        return sys.platform == "linux"


@unittest.skipUnless(may_read_others(), "lldb's server alone may read the process")
class Here(unittest.TestCase):
    LINKS = 50000

    def test_data_is_not_read_by_lldbs_server(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "packets")
            ran = run_lldb(options_of([
                f"target create '{PROGRAM}'", "breakpoint set --name heap_ready",
                f"process launch -- {self.LINKS}", *commands_to_ask(),
                f"log enable --file '{log}' gdb-remote packets", MARK_COMMAND,
                ALL_CYCLES, MARK_COMMAND, "process kill",
            ]))  # fmt: skip
            with open(log, encoding="latin-1") as file:
                requests = re.findall(r"send packet: \$([^#]*)#", file.read())
        (answer,) = answers_in(ran.stdout)
        self.assertEqual((answer["status"], answer["knots_found"]), ("ok", 1))
        self.assertEqual(answer["stats"]["objects"], self.LINKS + 2)
        _, asked, _ = _parts_between_marks(requests)
        by_server = sum(length_of(request) for request in asked if is_memory_read(request))
        self.assertLess(by_server, answer["stats"]["bytes"] / 10)


if __name__ == "__main__":
    unittest.main()
