"""What keeps most of a heap alive is found without a rule, in dumps of a program that does it in several
ways.

usage: test_owners.py LOUPE
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import java

LOUPE = ""
FOLDER = pathlib.Path()
MANY = 30000


def run(mistake, *arguments, status=0):
    done = subprocess.run([LOUPE, "suspects", str(FOLDER / f"{mistake}.hprof"), *arguments],
                          capture_output=True, text=True, check=False)
    assert done.returncode == status, (mistake, arguments, done.returncode, done.stderr)
    return done.stdout


def shares(mistake, *arguments):
    return [suspect for suspect in json.loads(run(mistake, "--json", *arguments))["suspects"]
            if suspect["kind"] == "share"]


class Owners(unittest.TestCase):
    def check(self, mistake, culprit, kept):
        found = shares(mistake, "--share", "40%")
        self.assertEqual([(culprit, kept, MANY)],
                         [(one["culprit"], one["class"], one["count"]) for one in found])
        self.assertGreaterEqual(found[0]["share"], 40)
        self.assertEqual(found[0]["accumulation"]["address"],
                         found[0]["path"]["objects"][-1]["address"])
        self.assertRegex(run(mistake), rf"\n{re.escape(culprit)}[^\n]* keeps ")
        return found[0]

    def test_map_that_a_static_keeps(self):
        self.check("map", "Owners$Registry.sessions", "Owners$Session")

    def test_list_of_an_object(self):
        self.check("list", "Owners$Bus.history", "Owners$Event")

    def test_linked_list_is_meant_as_a_whole(self):
        found = self.check("linked", "Owners$Chain.waiting", "Owners$Event")
        self.assertEqual("java.util.LinkedList", found["accumulation"]["class"])

    def test_local_variable_of_a_thread(self):
        found = self.check("stack", "local variable", "Owners$Session")
        self.assertEqual("main", found["path"]["root"]["thread"])

    def test_variable_that_a_thread_has_of_its_own(self):
        found = self.check("thread", "Thread.threadLocals", "Owners$Session")
        self.assertEqual("java.lang.Thread", found["path"]["objects"][0]["class"])

    def test_classes_are_no_group(self):
        self.assertNotIn("java.lang.Class",
                         [one["class"] for one in shares("nothing", "--share", "1")
                          if one["count"] > 1])

    def test_heap_without_one_has_none(self):
        self.assertEqual([], shares("nothing", "--share", "90"))
        self.assertIn("No object, and no class of objects, keeps 90 %",
                      run("nothing", "--share", "90"))

    def test_mistake_keeps_its_fingerprint_when_it_grows(self):
        one, = shares("map", "--share", "40")
        self.assertEqual([one["fingerprint"]],
                         [other["fingerprint"] for other in shares("map", "--share", "50%")])
        self.assertNotEqual(one["fingerprint"], shares("list", "--share", "40")[0]["fingerprint"])

    def test_gate(self):
        run("map", "--fail-if-found", status=1)
        run("nothing", "--fail-if-found", "--share", "90", status=0)

    def test_nonsense(self):
        for share in ("0", "101", "x", "10%%", "-1", ""):
            run("map", "--share", share, status=2)


if __name__ == "__main__":
    java.need_java()
    LOUPE = sys.argv[1]
    with tempfile.TemporaryDirectory() as directory:
        FOLDER = pathlib.Path(directory)
        java.compile_sources(FOLDER / "classes", [java.HERE / "owners" / "Owners.java"])
        java.run_java(str(FOLDER / "classes"), "Owners", str(FOLDER))
        unittest.main(argv=sys.argv[:1])
