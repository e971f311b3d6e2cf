"""Rings of shared_ptrs: each is told for what it is, with what to change; once that is done there is
none, and what only looks like one is none.

usage: test_rings.py LOUPE PROGRAM [LIBRARY]        the library that tells of leaks at the end
       test_rings.py LOUPE SOURCE --compilers    builds of all kinds, by the compilers that are here
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

LOUPE, PROGRAM, *MORE = sys.argv[1:]
COPIES = 3  # of each kind

# What is no ring, by the header that the program prints; and rings that nothing counts.
NO_RING = {"Strong"}
UNCOUNTED = {"Document"}
CALLS = ("std::weak_ptr", "does not own")
# What is between an object and itself, by its shape.
SHAPES = {"InVector": "vector storage", "InList": "list node", "InMap": "tree node",
          "InSet": "tree node", "InMultimap": "tree node", "InHashMap": "hash node",
          "InHashSet": "hash node", "InDeque": "deque block", "Known": "vector storage"}
# With debug information what is to change has its name.
NAMED = {"InList": "the shared_ptrs in InList::all (list) std::weak_ptrs",
         "InHashMap": "the shared_ptrs in InHashMap::all (unordered_map) std::weak_ptrs",
         "InVariant": "the shared_ptr in InVariant::other (variant) a std::weak_ptr",
         "Widget": "Widget::other a std::weak_ptr", "Middle": "Middle::other a std::weak_ptr",
         "Diamond": "Diamond::other a std::weak_ptr", "Box": "Box::other a std::weak_ptr",
         "Request": "Failed::request a std::weak_ptr"}


def builds(folder):
    """Builds of the source: compiler, library, flags. One that cannot be made is told."""
    for compiler, library in (("g++", None), ("clang++", None), ("clang++", "libc++")):
        command = next((name for name in (compiler, f"{compiler}-22", f"{compiler}-19")
                        if shutil.which(name)), compiler)
        for flags in (["-O0", "-g"], ["-O2", "-g"], ["-O2", "-s"]):
            made = folder / "-".join([compiler, library or "libstdc++", *flags])
            done = subprocess.run([command, "-std=c++20", "-pthread", *flags, PROGRAM, "-o", made,
                                   *([f"-stdlib={library}"] if library else [])],
                                  stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode:
                print(f"{made.name}: not built: {done.stderr[:200]}")
            else:
                yield made


class Rings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = [pathlib.Path(PROGRAM)]
        if MORE == ["--compilers"]:
            folder = tempfile.TemporaryDirectory()
            cls.addClassCleanup(folder.cleanup)
            cls.programs = list(builds(pathlib.Path(folder.name)))

    def start(self, program, kind):
        """The process, and what the program says of itself."""
        process = subprocess.Popen([program, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.communicate, timeout=1800)
        alive = {}
        for line in process.stdout:
            if line == "ready\n":
                return process.pid, alive
            name, _, count = line.split()
            alive[name] = int(count)
        self.fail(f"{program} ended")

    def ask(self, verb, process):
        done = subprocess.run([LOUPE, verb, str(process), "--json", "-n", "0"],
                              stdout=subprocess.PIPE, encoding="utf-8", timeout=1800, check=False)
        return json.loads(done.stdout)

    def kinds_of(self, answer, alive):
        """By kind: its retain cycles, each with the classes of its objects."""
        classes = {address: thing["class"].removesuffix(" (make_shared)")
                   for address, thing in answer["objects"].items()}
        found = {}
        for knot in answer["knots"]:
            members = {classes[edge[end]] for ring in knot["rings"] for edge in ring["edges"]
                       for end in ("from", "to")}
            (name,) = members & set(alive)
            found.setdefault(name, []).append(knot)
        return found

    def check_rings(self, process, alive):
        found = self.kinds_of(self.ask("cycles", process), alive)
        # libc++ keeps a small closure in the function itself.
        self.assertRegex(found["Session"][0]["fixes"][0]["text"],
                         r"capture a std::weak_ptr to the Session in "
                         r"(.*Session::keep.*(lambda|__func)|Session::then \(function\))"
                         r"|make the shared_ptr at Session\+8 a std::weak_ptr")
        self.assertEqual(set(alive) - NO_RING, set(found))
        for name, knots in found.items():
            for knot in knots:
                with self.subTest(kind=name):
                    self.assertEqual("leaked", knot["verdict"])
                    self.assertEqual(name not in UNCOUNTED, knot["certain"])
                    self.assertTrue(any(call in knot["fixes"][0]["text"] for call in CALLS),
                                    knot["fixes"][0])

    def check_shapes(self, process):
        """Of libraries of all kinds; and an exception goes by its class."""
        answer = self.ask("cycles", process)
        between = {}
        for knot in answer["knots"]:
            names = [answer["objects"][edge["from"]]["class"] for ring in knot["rings"]
                     for edge in ring["edges"]]
            for name in names:
                between.setdefault(name.removesuffix(" (make_shared)"), set()).update(names)
        for name, shape in SHAPES.items():
            with self.subTest(kind=name):
                self.assertIn(f"{shape} (by its shape)", between[name])
        self.assertIn("Failed (exception)", between["Request"])
        rows = {row["class"]: row["count"] for row in self.ask("heap", process)["classes"]}
        self.assertGreaterEqual(rows["vector storage (by its shape)"], 4 * COPIES)

    def check_names(self, process, alive):
        found = self.kinds_of(self.ask("cycles", process), alive)
        self.assertEqual({name: f"make {fix}" for name, fix in NAMED.items()},
                         {name: found[name][0]["fixes"][0]["text"] for name in NAMED})

    def check_leaks(self, process):
        """All of them, what is not lost by its counts; and no more."""
        leaks = self.ask("leaks", process)["leaks"]
        known = [leak for leak in leaks if leak["degree"] == "unowned"]
        cycles = [leak for leak in leaks if leak["kind"] == "cycle"]
        single = {leak["class"]: leak["count"] for leak in leaks if leak["kind"] == "leak"}
        self.assertEqual({"Known", "Removed (make_shared)"},
                         {leak["class"] for leak in known} & {"Known", "Removed (make_shared)"})
        self.assertEqual({"Watcher": COPIES, "Owner": COPIES}, single)
        self.assertEqual({COPIES}, {leak["count"] for leak in cycles})

    def test_rings_are_told(self):
        for program in self.programs:
            with self.subTest(program=program.name):
                process, alive = self.start(program, "leaky")
                self.assertEqual({COPIES}, set(alive.values()))
                self.check_rings(process, alive)
                self.check_leaks(process)
                self.check_shapes(process)
                if program.name.endswith("-g"):
                    self.check_names(process, alive)

    def test_nothing_is_said_of_runtimes(self):
        process, _ = self.start(self.programs[0], "leaky")
        said = subprocess.run([LOUPE, "leaks", str(process), "-n", "0"], stdout=subprocess.PIPE, encoding="utf-8", timeout=1800,
                              check=False).stdout
        self.assertIn("references marked assumed may not own their objects; C++\nkeeps no record of ownership for them.\n", said)

    def test_what_is_mended_is_none(self):
        for program in self.programs:
            with self.subTest(program=program.name):
                process, alive = self.start(program, "fixed")
                self.assertEqual({0}, set(alive.values()))
                self.assertEqual([], self.ask("leaks", process)["leaks"])
                self.assertEqual([], self.ask("cycles", process)["knots"])

    @unittest.skipIf(MORE in ([], ["--compilers"]), "no library to preload")
    def test_leaks_are_told_at_the_end(self):
        """Of a program of C++; of one of C alone only if all are asked for."""
        def end(*command, wish="at-exit"):
            return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  env={**os.environ, "LD_PRELOAD": MORE[0], "LOUPE_LEAKS": wish},
                                  timeout=1800, check=False).stderr
        leaky = end(PROGRAM, "leaky")
        self.assertIn("make the shared_ptr at Child+8 a std::weak_ptr", leaky)
        self.assertRegex(leaky, r"make the shared_ptrs in the list node at InList\+\d+ std::weak_ptrs")
        self.assertNotIn("(raw memory)", leaky)
        self.assertIn("No leaks", end(PROGRAM, "fixed"))
        self.assertEqual("", end("true"))
        self.assertRegex(end("true", wish="at-exit-of-all"), "[Ll]eaks?")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
