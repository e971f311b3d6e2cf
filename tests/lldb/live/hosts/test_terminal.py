"""Questions about one object in a terminal: the same answers as the commands of LLDB, of one core."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import session

sys.path.insert(0, str(session.SOURCE))
from lldb_commands.render.style import PLAIN  # noqa: E402
from lldb_commands.reporting.report import as_text  # noqa: E402

TOOL = session.BUILD / "cli" / "loupe"
PROGRAM = session.fixture("view_controller")
# Only LLDB has debug information of this tool's kind, and each says what it cost.
OF_LLDB = ("stats", "engine", "prototype", "debug-info", "file", "line", "function", "name", "where", "type", "path",
           "may_be_stale", "variable", "framework", "pattern", "text")
QUESTIONS = {"strong-refs": ("strong-refs -j --engine memory seed", "seed"),
             "strong-refs --explain": ("strong-refs -j --engine memory --explain seed", "seed"),
             "ivar-layout": ("ivar-layout -j --engine memory seed", "seed"),
             "block-layout": ("block-layout -j --engine memory block", "block"),
             "retain-cycles": ("retain-cycles -j --engine memory seed", "seed")}


def plain(value):
    """Without what only debug information knows."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in OF_LLDB}
    if isinstance(value, list):
        return [plain(item) for item in value if item not in OF_LLDB]
    return value


def tool(*words, handles="", cwd=None):
    return subprocess.run([str(TOOL), *words], capture_output=True, text=True, check=False, cwd=cwd,
                          stdin=subprocess.DEVNULL, timeout=session.TIMEOUT,
                          env={**os.environ, "LOUPE_HANDLES": handles, "XDG_STATE_HOME": "/nonexistent"})


@unittest.skipUnless(TOOL.exists() and shutil.which("gdb") and os.uname().sysname == "Linux",
                     "no tool here, or no gdb that saves cores")
class InATerminal(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.core = os.path.join(folder.name, "core")
        session.save_core(cls.core, PROGRAM)
        [run] = session.carry_out([{"program": PROGRAM, "core": cls.core, "stop": session.READY, "frame": 1,
                                    "commands": [line for line, _ in QUESTIONS.values()]}])
        assert not run["problem"], run["problem"]
        cls.said = {name: json.loads(result["output"])
                    for name, result in zip(QUESTIONS, run["commands"])}
        cls.seed = cls.said["strong-refs"]["object"]
        cls.block = cls.said["block-layout"]["block"]["address"]

    def address(self, question):
        return self.seed if QUESTIONS[question][1] == "seed" else self.block

    def test_the_answers_are_those_of_lldb(self):
        for question in QUESTIONS:
            with self.subTest(question):
                verb, *options = question.split()
                done = tool(verb, self.core, self.address(question), "--json", *options)
                self.assertEqual((0, ""), (done.returncode, done.stderr))
                ours = json.loads(done.stdout)
                if verb == "retain-cycles":  # LLDB's has what it sums up of a session, and its gates
                    theirs = {key: self.said[question][key] for key in ours if key in self.said[question]}
                else:
                    theirs = dict(self.said[question])
                if verb == "ivar-layout":
                    theirs.pop("object")  # which the command adds
                for answer in (ours, theirs):  # block-layout may take a name for one from the symbol
                    for capture in answer.get("captures") or []:
                        capture.pop("evidence")
                self.assertEqual(plain(theirs), plain(ours))

    def test_who_holds_it_says_the_verdict_first(self):
        done = tool("strong-refs", self.core, self.seed, "--incoming")
        first, *rest = done.stdout.splitlines()
        self.assertEqual([f"PhotoListController {self.seed} is leaked: only a retain cycle keeps it alive",
                          "Held by 2 references; 1 pointer in non-object memory may too"], [first, rest[0]])
        self.assertTrue(any("captured  of block" in line for line in rest), done.stdout)
        answer = json.loads(tool("strong-refs", self.core, self.seed, "--incoming", "-j").stdout)
        self.assertEqual(("incoming-refs", 2), (answer["query"], answer["holders_found"]))
        self.assertEqual(as_text(answer, PLAIN, "", False).splitlines()[:-1], done.stdout.splitlines()[:-1],
                         "LLDB's words, but for who read the program")

    def test_roots_have_one_name(self):
        """Of --incoming those of path: where an object lives by a variable, both say which, in the same words."""
        named = 0
        core = str(pathlib.Path(self.core).with_name("holders"))
        session.save_core(core, session.BUILD / "tests" / "lldb" / "programs" / "holders", stop="holdersReady")
        found = json.loads(tool("find", core, "*", "-j").stdout)["objects"]
        for address in [one["address"] for one in found][:40]:
            for path in json.loads(tool("path", core, address, "-j").stdout).get("paths") or []:
                root = path["root"]
                if root["kind"] != "global" or not root["name"] or path["objects"][0].get("kind") == "raw":
                    continue
                asked = ("strong-refs", core, root["to"], "--incoming")
                same = [one for one in json.loads(tool(*asked, "-j").stdout)["roots"] if one["slot"] == root["slot"]]
                self.assertEqual([root["name"]], [one["name"] for one in same])
                said = f"{root['name']} (global in {os.path.basename(root['image'])})"
                self.assertIn(f"┬ {said}\n", tool("path", core, root["to"]).stdout)
                self.assertIn(f"\n  {said}\n", tool(*asked).stdout)
                named += 1
        self.assertGreater(named, 0)

    def test_one_heap_has_one_number_of_objects(self):
        count = re.search(r"\d+ objects, \d+ other allocations", tool("heap", self.core).stdout)[0]
        self.assertEqual(f"{count} found", tool("find", self.core, "*").stdout.splitlines()[0])
        page = pathlib.Path(self.core).with_suffix(".html")
        self.assertIn(count, tool("snapshot", self.core, str(page)).stdout)
        self.assertIn(f'"title":"core: {count}, ', page.read_text(encoding="utf-8"))

    def test_text(self):
        held = tool("strong-refs", self.core, self.seed).stdout
        self.assertTrue(held.startswith(f"PhotoListController {self.seed} holds 4 objects strongly\n"), held)
        self.assertRegex(held, r"\n  _header +ivar +→ HeaderView 0x")
        answer = json.loads(tool("strong-refs", self.core, self.seed, "-j").stdout)
        self.assertEqual(as_text(answer, PLAIN, "", False), held.rstrip("\n"), "LLDB's words")
        layout = tool("ivar-layout", self.core, "ImageLoader").stdout
        self.assertTrue(layout.startswith("ImageLoader : NSObject, 16 bytes, ARC\n"), layout)
        self.assertRegex(layout, r"\+8 +8 +_completion +block +strong")
        block = tool("block-layout", self.core, self.block).stdout
        self.assertRegex(block, rf"(?s)^Block {self.block} on the heap, 40 bytes, .*.*strong +{self.seed} ")
        cycles = tool("retain-cycles", self.core, self.seed).stdout
        self.assertIn("leaked", cycles)
        # Neither what it cost, which nobody measured, nor what matters where something is unreachable.
        self.assertNotRegex(cycles, "searched 0 objects|Not followed|kernel")

    def test_numbers_stand_for_what_an_answer_showed(self):
        folder = os.path.dirname(self.core)
        state = os.path.join(folder, "state", "handles")
        self.assertIn("there is no #1: no answer has shown any yet",
                      tool("show", self.core, "#1", handles=state).stderr)
        listed = tool("cycles", self.core, handles=state).stdout
        self.assertIn("\n1. ", listed)
        self.assertEqual(0o600, os.stat(state).st_mode & 0o777)
        with open(state, encoding="ascii") as kept:  # no text of the program
            self.assertRegex(kept.read(), r"\A(file|process)[ 0-9]+\n(\d+ [0-9a-f]+ [0-9a-f]+\n)+\Z")
        by_number = tool("strong-refs", self.core, "#1", "-j", handles=state)
        shown = json.loads(by_number.stdout)
        self.assertEqual("strong-refs", shown["query"], by_number.stderr)
        self.assertIn(shown["object"], listed)
        self.assertEqual(0, tool("show", self.core, "1", handles=state).returncode)
        other = os.path.join(folder, "other")
        shutil.copy(self.core, other)
        self.assertIn("the last answer was about another file",
                      tool("show", other, "#1", handles=state).stderr)
        self.assertIn("the last answer has no such number",
                      tool("show", self.core, "#4000", handles=state).stderr)

    def test_a_finding_is_ignored_by_its_number(self):
        folder = os.path.dirname(self.core)
        state, known = os.path.join(folder, "handles"), os.path.join(folder, "known")
        [fingerprint] = set(re.findall("fingerprint ([0-9a-f]{16})",
                                       tool("cycles", self.core, handles=state).stdout))
        self.assertIn("missing --because TEXT", tool("ignore", "#1", handles=state).stderr)
        for why in ("lives as\x1b long", "as long as the app"):
            done = tool("ignore", "#1", "--because", why, "--baseline", known, handles=state)
            self.assertEqual((0, ""), (done.returncode, done.stderr))
        with open(known, encoding="ascii") as file:
            heading, line = file.read().splitlines()
        self.assertTrue(heading.startswith("# "), heading)
        self.assertRegex(line, rf"^{fingerprint}  # \d{{4}}-\d\d-\d\d as long as the app$")
        self.assertEqual(1, tool("cycles", self.core, "--fail-if-found").returncode)
        self.assertEqual(0, tool("cycles", self.core, "--fail-if-found", "--baseline", known).returncode)
        self.assertIn("names no finding: the last answer has no such number",
                      tool("ignore", "9", "--because", "x", handles=state).stderr)

    def test_what_cannot_be_answered_is_said(self):
        snapshot = str(pathlib.Path(self.core).with_suffix(".loupe"))
        self.assertEqual(0, tool("snapshot", self.core, snapshot).returncode)
        self.assertEqual("retain-cycles", json.loads(
            tool("retain-cycles", snapshot, self.seed, "-j").stdout)["query"])
        refused = {
            ("strong-refs", snapshot, self.seed): "needs a core or a process, as no file of a heap "
                                                  "keeps layouts; `loupe show FILE OBJECT` says",
            ("strong-refs", self.core, "0x1234"): "0x1234 is not an object: it is not aligned",
            ("ivar-layout", self.core, "Nope"): "the runtime has no class 'Nope'",
            ("ivar-layout", self.core, "a;b"): "'a;b' is not an address (such as 0x7ff0010)",
            ("block-layout", self.core, self.seed): "is not a block"}
        for words, why in refused.items():
            with self.subTest(words):
                done = tool(*words)
                self.assertEqual((2, ""), (done.returncode, done.stdout))
                self.assertIn(why, done.stderr)
                in_json = tool(*words, "-j")
                self.assertEqual("error", json.loads(in_json.stdout)["status"])
                self.assertEqual((2, done.stderr), (in_json.returncode, in_json.stderr))


if __name__ == "__main__":
    unittest.main()
