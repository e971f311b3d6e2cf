"""The plugin in a real lldb, by scripts that run inside lldb.

usage: test_plugin.py (Differential|Untouched|Partial|Damaged|Versions) with the environment that
CMakeLists.txt sets. LOUPE_ONLY, a regular expression, picks fixtures; LOUPE_PHASES=live leaves out
cores.
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.environ["LOUPE_SOURCES"], os.path.join(HERE, "..", "support")]
import expectation  # noqa: E402
from lldb_runs import (QUICK, CrashOfLldb, comparable, first_difference, in_lldb,  # noqa: E402
                       named_answers)
from share import share_of  # noqa: E402

PHASES = os.environ.get("LOUPE_PHASES", "live,cores").split(",")
# Who has to agree with whom: gdb runs the program a second time for its core.
PAIRS = [("live", "helper", True)]
if "cores" in PHASES:
    PAIRS += [("live", "minidump", True), ("live", "elf", False), ("elf", "terminal", True)]


def ask_everywhere(fixture):
    """The answers of all engines, by engine and question; {"problem": text} if that fails."""
    with tempfile.TemporaryDirectory() as work:
        answers = {}
        for phase in PHASES:
            in_lldb("differential.py",
                    LOUPE_WORK=work, LOUPE_PHASE=phase, LOUPE_FIXTURE=fixture)  # fmt: skip
            with open(os.path.join(work, f"{phase}.json"), encoding="utf-8") as file:
                answers.update(json.load(file))
    return answers


class Differential(unittest.TestCase):
    """Live, helper, ELF core, minidump, and the ELF core without a debugger give the same JSON, and it
    is the expected one."""

    @classmethod
    def setUpClass(cls):
        pattern = os.environ.get("LOUPE_ONLY", "")
        cls.fixtures = share_of(name for name in expectation.all_fixtures() if re.search(pattern, name))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            cls.answers = dict(zip(cls.fixtures, pool.map(ask_everywhere, cls.fixtures)))

    def test_every_engine_gives_the_same_answer(self):
        for name, engines in self.answers.items():
            self.assertNotIn("problem", engines, name)
            for one, other, same_process in PAIRS:
                for question, answer in engines[one].items():
                    with self.subTest(f"{name}: {question}, {one} and {other}"):
                        left, right = (comparable(told, same_process)
                                       for told in (answer, engines[other][question]))
                        self.assertTrue(left == right, first_difference(left, right))

    def test_the_answer_is_the_expected_one(self):
        for name in self.fixtures:
            for expression, expected in expectation.load(name).items():
                answers = self.answers[name]["live"]
                with self.subTest(f"{name}: {expression}"):
                    cycles, block = (answers[f"{query} {expression}"]
                                     for query in ("retain-cycles", "block-layout"))  # fmt: skip
                    wrong = expectation.faults(expected, cycles, block, named=False)
                    self.assertEqual(list(wrong), [])


    def test_layouts_and_references_tell_the_same_owners(self):
        compared = 0
        for name, engines in self.answers.items():
            for question, refs in engines["live"].items():
                query, _, expression = question.partition(" ")
                layout = engines["live"][f"ivar-layout {expression}"]
                if query != "strong-refs" or "levels" not in layout:
                    continue
                owners = ownership_by_offset(layout)
                for edge in refs.get("edges") or []:
                    offset = int(edge["slot"] or "0x0", 16) - int(refs["object"], 16)
                    if offset not in owners or "evidence" in edge:
                        continue
                    compared += 1
                    with self.subTest(f"{name}: {expression}, {edge['path']}"):
                        self.assertEqual(owners[offset], edge["ownership"])
        self.assertGreater(compared, 0)


def ownership_by_offset(layout):
    """Of the words of an instance that may own something, by ivar-layout."""
    leaves = [leaf for level in layout["levels"] for ivar in level["ivars"]
              for leaf in ivar["fields"] or [ivar]]
    return {leaf["offset"]: leaf["ownership"] for leaf in leaves
            if leaf["offset"] is not None and leaf["ownership"] != "none"}


class Untouched(unittest.TestCase):
    """No question runs code in the debuggee or changes a byte of it."""

    FORM = r"asked (\d+) of (\d+) questions; (\d+) writable regions; changed: (.*)"

    def changed(self, program, meddle=""):
        """What is not as before, after all questions about a stopped program."""
        output = in_lldb("no_code_runs.py", LOUPE_FIXTURE=program, LOUPE_MEDDLE=meddle)
        found = re.search(self.FORM, output)
        self.assertIsNotNone(found, output)
        self.assertEqual(found[1], found[2])
        self.assertGreater(int(found[3]), 0)
        return found[4]

    def test_process_is_as_before(self):
        for fixture in ("self_block", "assoc_pair", "collections_mixed"):
            program = os.path.join(os.environ["LOUPE_FIXTURES"], fixture)
            self.assertEqual(self.changed(program), "nothing")

    def test_what_others_do_to_the_process_is_noticed(self):
        program = os.path.join(os.environ["LOUPE_FIXTURES"], "self_block")
        for meddle, changed in (
            ("expression --unwind-on-error true -- (int)getpid()", "stop id"),
            ("memory write --size 8 `$sp - 512` 0x12345678", "memory"),
            ("frame select 0", "nothing"),
        ):
            with self.subTest(meddle):
                self.assertIn(changed, self.changed(program, meddle))


class Partial(unittest.TestCase):
    """A core without some of the memory: an answer from what is there, or what is missing is said."""

    def ask_core(self, core, address):
        command = [os.environ["LOUPE_LLDB"], "-b", "--no-lldbinit", *QUICK]
        for line in (f"target create --core '{core}'", f"plugin load '{os.environ['LOUPE_PLUGIN']}'",
                     f"loupe-engine retain-cycles --address {address}"):  # fmt: skip
            command += ["-o", line]
        run = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
        return json.loads(next(line for line in run.stdout.splitlines() if line.startswith("{")))

    def test_modified_memory_is_enough_and_stacks_are_not(self):
        with tempfile.TemporaryDirectory() as work:
            printed = in_lldb(
                "save_partial_cores.py", LOUPE_WORK=work, LOUPE_FIXTURE="view_controller"
            )
            if not os.path.exists(os.path.join(work, "modified-memory")):
                self.skipTest("this lldb saves no cores of a chosen style")
            seed = re.search(r"^seed (\S+)$", printed, re.M)[1]
            modified = self.ask_core(os.path.join(work, "modified-memory"), seed)
            stack = self.ask_core(os.path.join(work, "stack"), seed)
        self.assertEqual(modified["status"], "ok")
        expected = expectation.load("view_controller")["seed"]["knots"]
        (knot,) = modified["knots"]
        # Some versions (19) leave out pages that were only written before they became read-only, the
        # descriptors of blocks among them: then the way through the block is not followed, and said.
        if modified["not_followed"]:
            self.assertEqual([found["reason"] for found in modified["not_followed"]],
                             ["blocks without a layout"])  # fmt: skip
            self.assertLess(knot["objects"], expected[0]["objects"])
            self.assertEqual(knot["rings"][0]["length"], 2)
        else:
            self.assertEqual(knot["objects"], expected[0]["objects"])
        self.assertEqual(stack["error"]["code"], "unreadable")
        self.assertEqual(stack["error"]["address"], seed)


class Damaged(unittest.TestCase):
    """Damaged cores give answers or clean errors.

    Where lldb itself crashes over a damaged core, without the plugin on the stack, the next one is
    taken: some versions do over a damaged list of images.
    """

    def test_elf_core(self):
        self.damage("save_core.py")

    def test_minidump(self):
        self.damage("save_minidump.py")

    def damage(self, save):
        count = int(os.environ.get("LOUPE_MUTATIONS") or len(share_of(range(1000))))
        with tempfile.TemporaryDirectory() as work:
            core = os.path.join(work, "whole.core")
            printed = in_lldb(save, LOUPE_CORE=core, LOUPE_FIXTURE="captures_mixed")
            found = re.search(r"^addresses (\S+) ranges (\S+)$", printed, re.M)
            self.assertIsNotNone(found, printed)
            environment = {"LOUPE_CORE": core, "LOUPE_WORK": work, "LOUPE_MUTATIONS": str(count),
                           "LOUPE_ADDRESSES": found[1], "LOUPE_RANGES": found[2]}  # fmt: skip
            output, crashes, first = "", 0, 0
            while "survived" not in output:
                try:
                    output = in_lldb(
                        "damaged_cores.py", timeout=3000, LOUPE_FIRST=str(first), **environment
                    )
                except CrashOfLldb as crash:
                    self.assertNotIn("libloupe_plugin", str(crash))
                    first = int(re.findall(r"^seed (\d+)$", str(crash), re.M)[-1]) + 1
                    crashes += 1
                    self.assertLess(crashes, count / 10, "lldb crashes too often to test anything")
        print(f"{output.splitlines()[-1]}; lldb crashed by itself {crashes} times")
        self.assertNotIn("failed without a message", output)
        # Damage must not be so great that nothing was tested.
        self.assertRegex(output, r"\d+ (ok|incomplete)")
        # Some versions (19) refuse every minidump that was cut off: a third of them.
        refused = re.search(r"(\d+) core refused", output)
        self.assertLess(int(refused[1]) if refused else 0, count / 2)


def lldb_of_version(version):
    """The command that starts this version: installed, or unpacked beside it. None without it."""
    name = f"lldb-{version}"
    unpacked = os.path.join(os.environ["LOUPE_BUILD"], name)
    command = shutil.which(name) or os.path.join(unpacked, name)
    if not os.path.exists(command):
        unpack = os.path.join(HERE, "..", "lldb", "unpack_lldb.sh")
        subprocess.run([unpack, str(version), unpacked], capture_output=True, check=False)
    return command if os.path.exists(command) else None


class Versions(unittest.TestCase):
    """One file of the plugin gives the same answers in every lldb that apt offers, live and on a
    core, and lets lldb end in peace."""

    VERSIONS = (22, 19, 16, 14)
    FIXTURE = "self_block"

    def answers_in(self, lldb, core):
        output = in_lldb("one_fixture.py", lldb=lldb, LOUPE_FIXTURE=self.FIXTURE,
                         LOUPE_CORE=core)  # fmt: skip
        return named_answers(output)

    def test_answers_are_those_of_the_debugger_under_test(self):
        tried = []
        with tempfile.TemporaryDirectory() as work:
            core = os.path.join(work, "core")
            in_lldb("save_core.py", LOUPE_FIXTURE=self.FIXTURE, LOUPE_CORE=core)
            expected = {path: self.answers_in(None, path) for path in ("", core)}
            for version in self.VERSIONS:
                lldb = lldb_of_version(version)
                if not lldb:
                    print(f"lldb-{version}: neither here nor in apt")
                    continue
                tried.append(version)
                for path, answers in expected.items():
                    with self.subTest(f"lldb-{version}, {'core' if path else 'live'}"):
                        got = self.answers_in(lldb, path)
                        self.assertEqual(set(got), set(answers))
                        for question, answer in answers.items():
                            # Each version starts the program anew, or opens one core.
                            one, other = (comparable(told, same_process=bool(path))
                                          for told in (answer, got[question]))
                            self.assertTrue(
                                one == other, f"{question}: {first_difference(one, other)}"
                            )
        print("compared in lldb", *tried)
        self.assertEqual(expected[""]["retain-cycles seed"]["status"], "ok")
        self.assertEqual(len(expected[""]["retain-cycles seed"]["knots"]), 1)
        if len(tried) < 2:
            self.skipTest("there is no second version of lldb")


if __name__ == "__main__":
    unittest.main()
