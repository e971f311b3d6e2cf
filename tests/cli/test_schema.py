"""The JSON Schema of answers: what the tool prints is as it says, and it is a schema that says something."""
import copy
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from typing import Any, Dict

import schema
from drawn_dump import ring
from waiting import snapshots_of

LOUPE = os.environ["LOUPE"]
FIXTURES = pathlib.Path(os.environ.get("LOUPE_FIXTURES", "none"))
Answer = Dict[str, Any]
VERBS = (("heap",), ("find", "*"), ("suspects",), ("cycles",), ("retained",), ("path", "--to-class", "*"), ("threads",),
         ("diff",))


def ask(*words: str) -> Answer:
    done = subprocess.run([LOUPE, *words, "--json"], stdin=subprocess.DEVNULL, capture_output=True, timeout=1800, check=False)
    answer: Answer = json.loads(done.stdout)
    return answer


class Schemas(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.schema = schema.Schema()

    def check(self, answer: Answer) -> None:
        self.assertEqual([], self.schema.problems(answer), answer.get("query"))

    def test_answers_about_a_heap_of_java(self) -> None:
        file = self.folder / "ring.hprof"
        file.write_bytes(ring().bytes())
        for verb, *operands in VERBS:
            files = [str(file)] * (2 if verb == "diff" else 1)
            self.check(ask(verb, *files, *operands))
        for words in (("path", str(file), "0x1000"), ("retained", str(file), "0x1000"), ("show", str(file), "0x1000"),
                      ("path", str(file), "0x7"), ("heap", str(self.folder)), ("heap", str(file), "--timeout", "0.000001")):
            self.check(ask(*words))

    @unittest.skipUnless((FIXTURES / "self_block").exists() and os.path.isdir("/proc/self"), "no fixtures of Objective-C")
    def test_answers_about_a_process(self) -> None:
        for name in ("self_block", "timer_target", "two_knots", "cxx_members", "mrc_block", "collections_mixed"):
            saved, trouble = snapshots_of([FIXTURES / name], LOUPE, self.folder, LOUPE_FIXTURE_TRUTH=str(self.folder / "truth"))
            self.assertEqual("", trouble)
            for verb, *operands in (("leaks",), *VERBS):
                self.check(ask(verb, *[str(saved[0])] * (2 if verb == "diff" else 1), *operands))

    def test_the_tool_prints_it(self) -> None:
        whole = json.loads(subprocess.check_output([LOUPE, "--schema"]))
        self.assertEqual(self.schema.whole, whole)
        leaks = json.loads(subprocess.check_output([LOUPE, "--schema", "leaks"]))
        self.assertEqual("#/$defs/answer:leaks", leaks.pop("$ref"))
        self.assertEqual(whole, leaks)
        self.assertEqual(2, subprocess.run([LOUPE, "--schema", "nothing"], capture_output=True, check=False).returncode)

    def test_it_says_something(self) -> None:
        file = self.folder / "ring.hprof"
        file.write_bytes(ring().bytes())
        good = ask("heap", str(file))
        for change in (lambda a: a.pop("snapshot"), lambda a: a.update(status="fine"), lambda a: a.update(more=1),
                       lambda a: a["classes"][0].update(count="1"), lambda a: a["classes"][0].pop("class"),
                       lambda a: a["snapshot"].update(x=1), lambda a: a.update(query="nothing")):
            bad = copy.deepcopy(good)
            change(bad)
            self.assertTrue(self.schema.problems(bad))


if __name__ == "__main__":
    unittest.main()
