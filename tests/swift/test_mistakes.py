"""Forty mistakes in Swift, each with its fix, and forty twins without the mistake: the runtime itself counts which
objects have died. Live and in a core, of a debug and of a stripped build.

usage: test_mistakes.py LOUPE GDB PROGRAM...; GDB may be empty. With LOUPE_SHOW_TABLE=1 it prints the table.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LOUPE, GDB, *PROGRAMS = sys.argv[1:]
COUNT, COPIES = 40, 3
TWO_OF_A_KIND = {18, 35}  # make another object of the class

# What one of its fixes says; {} is the line of the closure, which a stripped program does not have.
WEAK_SELF = "capture [weak self] in closure "
TABLE = {
    1: (WEAK_SELF, "#1 in Screen1.bind() at mistakes.swift:32"),
    2: ((WEAK_SELF, "capture the {}.Screen2 weakly in closure "), "#1 in Screen2.bind(title:) at mistakes.swift:44"),
    3: (WEAK_SELF, "#1 in closure #1 in Player3.bind() at mistakes.swift:59"),
    4: (WEAK_SELF, "#1 in Player4.name at mistakes.swift:69"),
    5: (WEAK_SELF, ""),
    6: (WEAK_SELF, "#3 in Pair6.bind() at mistakes.swift:92"),
    7: ("weak var, or set it to nil when the closure is done", "make the variable kept that closure #1 in "),
    8: ("weakly in closure ", "capture the {}.Menu8 weakly in closure #1 in Menu8.bind()"),
    9: ((WEAK_SELF, "capture the {}.Queue9 weakly in closure "), "#2 in Queue9.bind(_:)"),
    10: (WEAK_SELF, "#1 in Loader10.bind()"),
    11: (WEAK_SELF, "#1 in Request11.bind()"),
    12: ("capture the {}.Model12 weakly in closure ", "#1 in Model12.bind()"),
    13: ("weakly in closure ", "#2 in bind13(_:)"),
    14: (WEAK_SELF, "#1 in Detail14.bind()"),
    15: ((WEAK_SELF, "capture the {}.Mixed15 weakly in closure "), "#1 in Mixed15.bind(_:)"),
    16: ("make {}.Download16.delegate a weak var", ""),
    17: ("make {}.Child17.parent a weak var", ""),
    18: ("make {}.Item18.previous a weak var", ""),
    19: ("make {}.Me19.me a weak var", ""),
    20: (("make {}.Brush20.canvas a weak var", "give {}.Canvas20.painter another value"), ""),
    21: ("make {}.Shape21.style.owner a weak var", ""),
    22: ("give {}.Player22.best another value", ""),
    23: ("give {}.Bag23.anything another value", ""),
    24: ("give {}.Job24.state another value", ""),
    25: ("give {}.Job25.state another value", ""),
    26: ("give {}.Node26.tree another value", ""),
    27: ("give {}.Job27.result another value", ""),
    28: ("set {}.Job28.error to nil", ""),
    29: ("make {}.Twice29.me a weak var", ""),
    30: ("make {}.Form30._owner.wrappedValue a weak var", ""),
    31: ("make {}.Entry31.store a weak var", ""),
    32: ("make {}.Member32.group a weak var", ""),
    33: ("make {}.Cell33.table a weak var", ""),
    34: ("take the {}.Grid34 out of ", ""),
    35: ("take the {}.Slices35 out of {}.Slices35.part", ""),
    36: ("make {}.Cache36<Swift.String, {}.Tracked>.value a weak var", ""),
    37: ("make {}.Store37.me a weak var", ""),
    38: ("weakly in closure ", "#1 in Feed38.bind()"),
    39: ("cancel the Task, or finish what it waits for", ""),
    40: ("add the missing release", ""),
}


def entries(text):
    """The leaks of a report, each as its lines: those of a retain cycle, and of one object."""
    return re.split(r"\n(?=\d+\. )", "\n" + text)[1:]


class Mistakes(unittest.TestCase):
    def start(self, program, kind):
        process = subprocess.Popen([program, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate, timeout=1800)
        word, *alive = process.stdout.readline().split()
        self.assertEqual("ready", word)
        return process.pid, dict(enumerate(map(int, alive), 1))

    def targets(self, process):
        yield "process", str(process)
        if not GDB:
            return
        with tempfile.TemporaryDirectory() as folder:
            core = pathlib.Path(folder) / "core"
            subprocess.run([GDB, "-nx", "-batch", "-p", str(process), "-ex", f"gcore {core}"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            yield "core", str(core)

    def leaks(self, target, status):
        done = subprocess.run([LOUPE, "leaks", target, "-n", "0"], stdout=subprocess.PIPE, encoding="utf-8",
                              timeout=1800, check=False)
        self.assertEqual(status, done.returncode, done.stdout[:400])
        return done.stdout

    def found(self, text, number, module, has_lines):
        """What is said of a mistake: the advice as it has to be, other words, or nothing."""
        of_it = [entry for entry in entries(text) if re.search(rf"\.[A-Z][a-z]+{number}\b", entry)]
        if number == 39:
            of_it = [entry for entry in entries(text) if "Task" in entry]
        if not of_it:
            return "not found"
        starts, end = TABLE[number]
        starts = [start.format(module, module) for start in ([starts] if isinstance(starts, str) else starts)]
        end = end.format(module)
        for line in "\n".join(of_it).splitlines():
            if any(start in line for start in starts) and (not has_lines or end in line):
                return "right"
        return "other advice: " + "; ".join(re.findall(r"• (.*)", of_it[0]))

    def test_each_leak_has_its_fix(self):
        for program in PROGRAMS:
            module = pathlib.Path(program).name
            process, alive = self.start(program, "leaky")
            self.assertEqual({number: COPIES * (1 + (number in TWO_OF_A_KIND)) for number in TABLE}, alive)
            for target, path in self.targets(process):
                text = self.leaks(path, 1)
                said = {number: self.found(text, number, module, "debug" in module) for number in TABLE}
                if os.environ.get("LOUPE_SHOW_TABLE"):
                    for number, words in said.items():
                        print(f"{module} {target} {number}: {words}")
                with self.subTest(program=module, target=target):
                    self.assertEqual(dict.fromkeys(TABLE, "right"), said)

    def test_their_twins_leak_nothing(self):
        for program in PROGRAMS:
            process, alive = self.start(program, "fixed")
            self.assertEqual(dict.fromkeys(TABLE, 0), alive)
            for target, path in self.targets(process):
                with self.subTest(program=program, target=target):
                    self.assertIn("No leaks found", self.leaks(path, 0))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
