"""What owns nothing hides no leak and comes last: words that may be stale, below a stack pointer and in registers that
a system call does not use, and references of a notification center. Live, in a core, in snapshots and at exit, in
every question about the heap.

usage: test_leftover.py LOUPE PROGRAM AT_EXIT GDB

AT_EXIT is libloupe_leaks, or empty. GDB is empty where there is none.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import typing
import unittest

LOUPE, PROGRAM, AT_EXIT, GDB = sys.argv[1:]
Json = typing.Dict[str, typing.Any]


def ask(verb: str, target: str, *words: str) -> Json:
    done = subprocess.run([LOUPE, verb, target, *words, "--json"], capture_output=True, text=True, timeout=1800,
                          check=False)
    answer: Json = json.loads(done.stdout)
    return answer


def instances(target: str, name: str) -> typing.List[str]:
    return [found["address"] for found in ask("find", target, name)["objects"]]


class Leftover(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.process.communicate, timeout=1800)
        assert cls.process.stdout and cls.process.stdout.readline() == "ready\n"

    def check(self, target: str) -> None:
        self.check_leaks(target)
        self.check_paths(target)
        self.check_owners(target)

    def check_leaks(self, target: str) -> None:
        """The rings leak, whatever leads to them; an object that a word alone leads to may be in use."""
        leaks = ask("leaks", target)
        self.assertEqual([("Observing", "cycle", "unowned", "leaked", True), ("Ring", "cycle", "unowned", "leaked", False)],
                         sorted((leak["class"], leak["kind"], leak["degree"], leak["knot"]["verdict"],
                                 leak["pointed_to"]) for leak in leaks["leaks"]))
        self.assertEqual(4, leaks["on_stacks_only"]["objects"])
        self.assertEqual([], leaks["miscounted"])
        self.assertEqual([("leaked", "possible")] * 2, [(knot["verdict"], knot["degree"])
                                                        for knot in ask("cycles", target)["knots"]])
        for name in ("Ring", "Observing"):
            self.check_one(target, instances(target, name)[0])

    def check_one(self, target: str, address: str) -> None:
        done = subprocess.run([LOUPE, "cycles", target, address], capture_output=True, text=True, timeout=1800,
                              check=False)
        self.assertIn("Possible retain cycle of 2 objects, leaked: nothing outside the cycle retains it\n", done.stdout)

    def check_paths(self, target: str) -> None:
        for name, kind, level in (("Kept", "global", "normal"), ("Below", "stack", "stack"),
                                  ("InRegister", "register", "stack")):
            [path] = ask("path", target, *instances(target, name))["paths"]
            self.assertEqual((kind, level), (path["root"]["kind"], path["level"]), name)
        self.assertEqual("shelf", ask("path", target, *instances(target, "Kept"))["paths"][0]["root"]["name"])

    def check_owners(self, target: str) -> None:
        dominators = ask("retained", target, *instances(target, "Kept"))["dominators"]
        self.assertEqual(["GSMutableArray", "Shelf"], [each["class"] for each in dominators])

    def test_live(self) -> None:
        self.check(str(self.process.pid))

    def test_in_a_snapshot(self) -> None:
        snapshot = str(self.folder / "live.loupe")
        subprocess.run([LOUPE, "snapshot", str(self.process.pid), snapshot], stdout=subprocess.DEVNULL, check=True)
        self.check(snapshot)

    @unittest.skipUnless(GDB, "gdb is not installed")
    def test_in_a_core(self) -> None:
        core, snapshot = str(self.folder / "core"), str(self.folder / "core.loupe")
        subprocess.run([GDB, "-nx", "-batch", "-p", str(self.process.pid), "-ex", f"gcore {core}"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        self.check(core)
        subprocess.run([LOUPE, "snapshot", core, snapshot], stdout=subprocess.DEVNULL, check=True)
        self.check(snapshot)

    @unittest.skipUnless(AT_EXIT, "there is no libloupe_leaks")
    def test_at_exit(self) -> None:
        done = subprocess.run([PROGRAM], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1800,
                              check=False, env={**os.environ, "LD_PRELOAD": AT_EXIT, "LOUPE_LEAKS": "at-exit",
                                                "LOUPE_TOOL": LOUPE})
        self.assertIn("2 leaks (2 cycles)\n", done.stderr)
        for name in ("Observing", "Ring"):
            self.assertRegex(done.stderr, rf"\n\d\. Possible retain cycle of 2 objects, [^\n]*\n[^\n]*{name} 0x")
        self.assertIn("\nReachable only from stacks and registers, where values may be stale: 4 objects, ",
                      done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
