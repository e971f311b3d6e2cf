"""Programs of C++ alone: what each leaks has the name of its class, live and in a core, and what is in
use is no leak.

usage: test_planted.py LOUPE GDB PROGRAM...; GDB may be empty
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

LOUPE, GDB, *PROGRAMS = sys.argv[1:]
COPIES = 5  # of each kind, in use and lost

SINGLE = {"Session", "Special", "Session[]", "Both", "app::Table<int>",
          "(anonymous namespace)::Hidden"}
CLASSES = SINGLE | {"Parent (make_shared)", "Child (make_shared)", "control block of Task"}


class Planted(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)

    def start(self, program, kind):
        process = subprocess.Popen([program, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.communicate, timeout=1800)
        self.assertEqual("ready\n", process.stdout.readline())
        return process.pid

    def core_of(self, process):
        if not GDB:
            return None
        core = self.folder / f"core.{process}"
        subprocess.run([GDB, "-nx", "-batch", "-p", str(process), "-ex", f"gcore {core}"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return core

    def ask(self, verb, target, *more, status=0):
        done = subprocess.run([LOUPE, verb, str(target), *more, "--json"], stdout=subprocess.PIPE,
                              encoding="utf-8", timeout=1800, check=False)
        self.assertEqual(status, done.returncode, done.stdout[:400])
        answer = json.loads(done.stdout)
        self.assertEqual("none", answer["abi"])
        return answer

    def counts(self, target):
        rows = self.ask("heap", target)["classes"]
        return {row["class"]: row["count"] for row in rows if row["class"] in CLASSES}

    def check_leaky(self, program, target):
        self.assertEqual(dict.fromkeys(CLASSES, 2 * COPIES), self.counts(target))
        lost = {"leak": {}, "cycle": {}}
        for leak in self.ask("leaks", target, status=1)["leaks"]:
            of_kind = lost[leak["kind"]]
            of_kind[leak["class"]] = of_kind.get(leak["class"], 0) + leak["count"]
        # A word that the compiler left in a register or on the stack may keep one.
        enough = (COPIES - 1, COPIES)
        for name in SINGLE:
            self.assertIn(lost["leak"].get(name, 0), enough, name)
        self.assertEqual({"Parent (make_shared)", "Task"}, set(lost["cycle"]))
        for name, count in lost["cycle"].items():
            self.assertIn(count, enough, name)
        self.check_cycles(program, target)

    def check_cycles(self, program, target):
        """Counts prove them, whatever old words lead there; and what to change is a shared_ptr."""
        knots = self.ask("cycles", target)["knots"]
        fixes = {}
        for knot in knots:
            self.assertEqual("leaked", knot["verdict"])
            self.assertTrue(knot["certain"])
            fixes.setdefault(knot["fingerprint"], knot["fixes"][0]["text"] if knot["fixes"] else "")
        self.assertEqual(2, len(fixes), fixes)
        is_stripped = program.endswith("release")
        place = "the shared_ptr at Child+0" if is_stripped else "Child::parent"
        self.assertIn(f"make {place} a std::weak_ptr", fixes.values())

    def check_clean(self, _program, target):
        self.assertEqual(dict.fromkeys(CLASSES, COPIES), self.counts(target))
        answer = self.ask("leaks", target)
        self.assertEqual([], answer["leaks"])
        self.assertNotIn("leaked", [knot["verdict"] for knot in self.ask("cycles", target)["knots"]])

    def check(self, kind, look):
        for program in PROGRAMS:
            process = self.start(program, kind)
            with self.subTest(program=program, target="process"):
                look(program, process)
            core = self.core_of(process)
            if core:
                with self.subTest(program=program, target="core"):
                    look(program, core)

    def test_leaks_have_names(self):
        self.check("leaky", self.check_leaky)

    def test_what_is_in_use_is_no_leak(self):
        self.check("clean", self.check_clean)

    def test_subclasses_are_found(self):
        process = self.start(PROGRAMS[0], "clean")
        found = self.ask("find", process, "Session", "--subclasses")["objects"]
        self.assertEqual({"Session", "Special", "Both"}, {thing["class"] for thing in found})
        self.assertEqual(3 * COPIES, len(found))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
