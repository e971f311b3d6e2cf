"""Programs whose allocator has tables that nobody reads: it is named, their objects are found, and
nothing about them is called certain.

usage: test_allocators.py LOUPE PROGRAM NAME=LIBRARY...
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LOUPE, PROGRAM, *ALLOCATORS = sys.argv[1:]


def ask(*words, status):
    done = subprocess.run([LOUPE, *map(str, words)], stdout=subprocess.PIPE, encoding="utf-8",
                          timeout=1800, check=False)
    assert done.returncode == status, (words, done.returncode, done.stdout)
    return done.stdout


class Preloaded:
    """The program with another malloc, while it waits."""

    def __init__(self, library, folder):
        self.truth = pathlib.Path(folder) / "truth"
        self.saved = pathlib.Path(folder) / "heap.loupe"
        variables = {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0"}
        with subprocess.Popen([PROGRAM, self.truth], stdin=subprocess.PIPE, text=True,
                              stdout=subprocess.PIPE, env={**os.environ, **variables}) as process:
            assert process.stdout.readline() == "ready\n"
            ask("snapshot", process.pid, self.saved, status=2)
            process.stdin.close()
            self.status = process.wait(timeout=1800)

    def addresses(self, kind):
        lines = (line.split() for line in self.truth.read_text().splitlines())
        return {address: name for what, address, name in lines if what == kind}


class Named(unittest.TestCase):
    def each(self):
        for given in ALLOCATORS:
            name, library = given.split("=")
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                program = Preloaded(library, folder)
                self.assertEqual(0, program.status)
                yield name, program

    def test_it_is_named_and_its_objects_are_found(self):
        for name, program in self.each():
            heap = json.loads(ask("heap", program.saved, "--json", status=2))
            [told] = [given for given in heap["allocators"] if given["name"] == name]
            self.assertIn("not known", told["guessed"])
            found = {thing["address"] for thing in
                     json.loads(ask("find", program.saved, "*", "--json", "--limit", 0,
                                    status=2))["objects"]}
            planted = {**program.addresses("leaked"), **program.addresses("held")}
            self.assertGreater(len(planted), 40)
            self.assertEqual({}, {at: name for at, name in planted.items() if at not in found})

    def test_what_is_held_is_not_called_lost(self):
        for _, program in self.each():
            held = program.addresses("held")
            self.assertGreater(len(held), 5)
            objects = json.loads(ask("find", program.saved, "*", "--json", "--limit", 0, status=2))["objects"]
            lost = {thing["address"] for thing in objects if not thing["reachable"]}
            self.assertEqual({}, {at: name for at, name in held.items() if at in lost})

    def test_no_leak_is_certain(self):
        for _, program in self.each():
            answer = json.loads(ask("leaks", program.saved, "--json", "--limit", 0, status=2))
            self.assertEqual("incomplete", answer["status"])
            self.assertEqual([], [leak["class"] for leak in answer["leaks"]
                                  if leak["degree"] == "lost" and not leak["guessed"]
                                  and leak["class"] != "(raw memory)"])
            text = ask("leaks", program.saved, status=2)
            self.assertEqual(bool(answer["leaks"]), "  Guessed: " in text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
