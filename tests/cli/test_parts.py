"""How much memory a container, a shell and a machine leave, of folders that stand for /; and what progress shows, by a
clock that the test moves.

usage: test_parts.py ASK_PARTS
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Dict, Tuple

ASK = sys.argv[1]
NOTHING = 2**64 - 1
MB = 1 << 20


def ask(*words: str) -> str:
    return subprocess.run([ASK, *words], capture_output=True, check=True).stdout.decode()


class Room(unittest.TestCase):
    def room(self, files: Dict[str, str]) -> Tuple[int, str]:
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text + "\n")
            left, by = ask("room", root).rstrip("\n").split(" ", 1)
        return int(left), by

    def test_nothing_is_known(self) -> None:
        self.assertEqual((NOTHING, ""), self.room({}))
        self.assertEqual((NOTHING, ""), self.room({"proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/memory.max": "max"}))

    def test_version_2(self) -> None:
        group = {"proc/self/cgroup": "0::/kube/pod", "sys/fs/cgroup/kube/pod/memory.max": str(200 * MB),
                 "sys/fs/cgroup/kube/pod/memory.current": str(90 * MB),
                 "sys/fs/cgroup/kube/pod/memory.stat": f"anon {10 * MB}\nfile {80 * MB}\nfile_mapped 1"}
        self.assertEqual((190 * MB, "this container"), self.room(group))
        # The one around it has less.
        group["sys/fs/cgroup/kube/memory.max"] = str(150 * MB)
        group["sys/fs/cgroup/kube/memory.current"] = str(149 * MB)
        self.assertEqual((MB, "this container"), self.room(group))
        # A container that sees its own group as the topmost one.
        self.assertEqual((9 * MB, "this container"),
                         self.room({"proc/self/cgroup": "0::/", "sys/fs/cgroup/memory.max": str(10 * MB),
                                    "sys/fs/cgroup/memory.current": str(MB)}))

    def test_version_1(self) -> None:
        group = {"proc/self/cgroup": "5:cpu,cpuacct:/x\n4:hugetlb,memory:/docker/12\n0::/",
                 "sys/fs/cgroup/memory/docker/12/memory.limit_in_bytes": str(100 * MB),
                 "sys/fs/cgroup/memory/docker/12/memory.usage_in_bytes": str(40 * MB),
                 "sys/fs/cgroup/memory/docker/12/memory.stat": f"cache 7\ntotal_cache {30 * MB}",
                 "sys/fs/cgroup/memory/memory.limit_in_bytes": str(2**63 - 4096),
                 "sys/fs/cgroup/memory/memory.usage_in_bytes": "0"}
        self.assertEqual((90 * MB, "this container"), self.room(group))
        del group["sys/fs/cgroup/memory/docker/12/memory.limit_in_bytes"]
        self.assertEqual((NOTHING, ""), self.room(group))

    def test_the_least_counts(self) -> None:
        group = {"proc/meminfo": "MemTotal: 9 kB\nMemAvailable:    2048 kB\nSwapFree:  1024 kB",
                 "proc/self/cgroup": "0::/", "sys/fs/cgroup/memory.max": str(10 * MB), "sys/fs/cgroup/memory.current": "0"}
        self.assertEqual((3 * MB, "this machine"), self.room(group))
        group["sys/fs/cgroup/memory.max"] = str(2 * MB)
        self.assertEqual((2 * MB, "this container"), self.room(group))
        group["sys/fs/cgroup/memory.current"] = str(5 * MB)
        self.assertEqual((0, "this container"), self.room(group))


class Progress(unittest.TestCase):
    def test_the_first_second_is_silent(self) -> None:
        self.assertEqual("", ask("progress", "clock=5000", "begin=reading", "look", "clock=5999", "at=9/10", "look", "clear"))

    def test_shown_now_and_then_and_taken_away(self) -> None:
        words = ["begin=reading", "at=1/4"]
        for milliseconds in range(0, 3001, 50):
            words += [f"clock={milliseconds}", f"at={milliseconds}/4000", "look"]
        shown = ask("progress", *words, "clear").split("\r")[1:]
        self.assertEqual("reading a.hprof: 25 %\033[K", shown[0])
        self.assertEqual("\033[K", shown[-1])
        self.assertEqual(11, len(shown[:-1]))  # five a second, from the first second on

    def test_a_phase_that_knows_no_end_is_not_silent(self) -> None:
        shown = ask("progress", "begin=searching", "clock=1000", "look", "clock=9000", "look").split("\r")[1:]
        self.assertEqual(["searching a.hprof\033[K"] * 2, shown)
        self.assertEqual("\rcopying a.hprof: 5.0 MB\033[K",
                         ask("progress", "begin=copying", "at=5000000/0", "clock=1000", "look"))

    def test_nothing_goes_on(self) -> None:
        self.assertEqual("", ask("progress", "clock=9000", "look", "clear"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
