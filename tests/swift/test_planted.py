"""Programs of Swift alone: what each leaks has the name of its class, live and in a core, and nothing
that is in use is lost, in enums with their cases in spare bits neither. Rings are told as such, with the
names of their fields and what to change in Swift's words.

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

RINGS = {"Screen": 1, "Parent": 1, "Child": 1, "Cache<Swift.Int>": 1, "Player": 1, "Log": 1}
# Of each holder, which is in use: three in enums, three in a tree.
HELD = {"Holder": 1, "Leaf": 6, "Ghost (deinited)": 1, "Owner": 1, "Pet": 1}

# A ring goes by one of those it consists of.
PARTS = [("{}.Parent", "{}.Child", "Swift._ContiguousArrayStorage<any>"),
         ("{}.Player", "closure ")]

ADVICE = ["make {}.Child.parent a weak var", "make {}.Cache<Swift.Int>.me a weak var"]
# By the symbol and the line of the closure, where a program has them; by the place of its code.
CLOSURES = {True: ["capture [weak self] in closure #1 in Screen.bind() at planted.swift:17",
                   "capture [weak self] in closure #1 in Player.bind(_:) at planted.swift:42"],
            False: ["capture [weak self] in closure {}+0x", "capture the {}.Player weakly in closure {}+0x"]}


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

    def ask(self, verb, target, status=0):
        done = subprocess.run([LOUPE, verb, str(target), "--json"], stdout=subprocess.PIPE,
                              encoding="utf-8", timeout=1800, check=False)
        self.assertEqual(status, done.returncode, done.stdout[:400])
        return json.loads(done.stdout)

    def check_heap(self, module, target, copies):
        rows = {row["class"]: row["count"] for row in self.ask("heap", target)["classes"]}
        planted = {name: copies * each for name, each in RINGS.items()}
        planted.update({name: COPIES * each for name, each in HELD.items()})
        self.assertEqual({f"{module}.{name}": count for name, count in planted.items()},
                         {name: rows.get(name, 0)
                          for name in (f"{module}.{name}" for name in planted)})
        self.assertEqual(1, rows.get(f"{module}.Local"))
        self.assertEqual(2 * COPIES, rows.get("(weak reference counts)"))

    def check_leaky(self, module, target):
        self.check_heap(module, target, 2 * COPIES)
        lost = {}
        answer = self.ask("leaks", target, status=1)
        for leak in answer["leaks"]:
            lost[leak["class"]] = lost.get(leak["class"], 0) + leak["count"]
            self.assertEqual("cycle", leak["kind"], leak["class"])
        # A word that the compiler left in a register or on the stack may keep one.
        enough = (COPIES - 1, COPIES)
        self.assertIn(lost.pop(f"{module}.Screen", 0), enough)
        self.assertIn(lost.pop(f"{module}.Cache<Swift.Int>", 0), enough)
        for ring in PARTS:
            found = [name for name in lost for part in ring if name.startswith(part.format(module))]
            self.assertIn(sum(lost.pop(name) for name in found), enough, ring)
        self.assertEqual({}, lost)
        self.check_words(module, target)

    def check_words(self, module, target):
        text = subprocess.run([LOUPE, "leaks", str(target)], stdout=subprocess.PIPE,
                              encoding="utf-8", timeout=1800, check=False).stdout
        self.assertNotIn("a release is missing", text)
        if module.endswith("without_reflection"):
            return
        for advice in ADVICE + CLOSURES[module.endswith("debug")]:
            self.assertIn(advice.format(module, module), text)

    def check_clean(self, module, target):
        self.check_heap(module, target, COPIES)
        self.assertEqual([], self.ask("leaks", target)["leaks"])

    def check(self, kind, look):
        for program in PROGRAMS:
            process, module = self.start(program, kind), pathlib.Path(program).name
            with self.subTest(program=program, target="process"):
                look(module, process)
            core = self.core_of(process)
            if core:
                with self.subTest(program=program, target="core"):
                    look(module, core)

    def test_leaks_have_names(self):
        self.check("leaky", self.check_leaky)

    def test_what_is_in_use_is_no_leak(self):
        self.check("clean", self.check_clean)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
