"""What the kernel alone holds of a process, which it tells on Linux while that runs, and no core does.

usage: test_kernel.py LOUPE PROGRAM GDB; the last may be empty
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

from waiting import Waits

LOUPE, PROGRAM, GDB = sys.argv[1:]


def loupe(*arguments):
    return subprocess.run([LOUPE, *map(str, arguments)], stdout=subprocess.PIPE, encoding="utf-8",
                          timeout=1800, check=False).stdout


class Kernel(Waits, unittest.TestCase):
    program, gdb, files = PROGRAM, GDB, ("truth", "helper.loupe")

    def setUp(self):
        super().setUp()
        self.places = dict(self.truth())
        self.has_ring = self.places.pop("io_uring", None) is not None
        self.assertEqual({"epoll", "behind_epoll", "timer", "pipe"}, set(self.places))

    def lost(self, target):
        things = json.loads(loupe("find", target, "Thing", "--json", "--limit", "0"))["objects"]
        reachable = {thing["address"]: thing["reachable"] for thing in things}
        return {name for name, place in self.places.items() if not reachable[place]}

    def kernel_notes(self, target):
        answer = json.loads(loupe("leaks", target, "--json"))
        return [note["reason"] for note in answer["not_followed"] if note["code"] == "kernel"]

    def test_live(self):
        target = self.process.pid
        told = pathlib.Path(f"/proc/{target}/timers").exists()
        self.assertEqual({"pipe"} if told else {"pipe", "timer"}, self.lost(target))
        text = loupe("path", target, self.places["behind_epoll"])
        self.assertRegex(text, r"data of file \d+ in epoll \d+ \(kept by the kernel\)")
        answer = json.loads(loupe("path", target, self.places["epoll"], "--json"))
        root = answer["paths"][0]["root"]
        self.assertEqual(("kernel", None), (root["kind"], root["slot"]))
        self.assertTrue(re.fullmatch(r"data of file \d+ in epoll \d+", root["holder"]))
        if told:
            self.assertIn("value of timer 0 (kept by the kernel)",
                          loupe("path", target, self.places["timer"]))
            self.assertEqual(["objects held only by the kernel (except epoll data and timer values) "
                              "are not seen and may look leaked"], self.kernel_notes(target)[:1])
        ring = "io_uring: objects held only by its requests are not seen and may look leaked"
        self.assertEqual([ring] if self.has_ring else [], self.kernel_notes(target)[1:])

    def test_from_inside(self):
        self.assertEqual(self.lost(self.process.pid), self.lost(self.folder / "helper.loupe"))
        self.assertRegex(loupe("path", self.folder / "helper.loupe", self.places["epoll"]),
                         r"data of file \d+ in epoll \d+ \(kept by the kernel\)")

    def test_saved_it_stays_so(self):
        saved = self.folder / "saved.loupe"
        loupe("snapshot", self.process.pid, saved)
        self.assertIn("kept by the kernel", loupe("path", saved, self.places["epoll"]))

    def test_in_a_core(self):
        core = self.core()
        self.assertEqual(set(self.places), self.lost(core))
        self.assertEqual(["objects held only by the kernel (such as event data) are not seen and may look leaked"],
                         self.kernel_notes(core))

    def test_program_was_right(self):
        self.process.communicate(timeout=1800)
        self.assertEqual(0, self.process.returncode)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
