"""Programs of mistakes: what `loupe fix` writes is all that is done to them. Each patch compiles, and
what it was about is freed then, by the program's own count; nothing is used after it was freed.

usage: test_patched.py LOUPE SOURCE COMMAND... (with SOURCE and PROGRAM in it)
"""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import typing
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import schema  # noqa: E402

Json = typing.Dict[str, typing.Any]
LOUPE, SOURCE, COMMAND = "", pathlib.Path(), [""]


def counts(said: str) -> typing.Dict[str, int]:
    """How many of each class are left."""
    pairs = [line.split() for line in said.splitlines() if line != "done"]
    return {name: int(count) for name, count in pairs}


class Patched(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tree = self.folder / "tree"
        self.tree.mkdir()
        self.source = self.tree / SOURCE.name
        self.source.write_bytes(SOURCE.read_bytes())
        self.program = self.build("before")

    def build(self, name: str) -> pathlib.Path:
        program = self.folder / name
        words = {"SOURCE": str(self.source), "PROGRAM": str(program)}
        done = subprocess.run([words.get(word, word) for word in COMMAND], capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return program

    def asked(self) -> pathlib.Path:
        """The answer, while the program waits."""
        file = self.folder / "answer.json"
        with subprocess.Popen([str(self.program), "WAIT"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin and process.stdout
            for line in process.stdout:
                if line == "done\n":
                    break
            with file.open("wb") as to:
                subprocess.run([LOUPE, "leaks", str(process.pid), "--json", "--limit", "0"], stdout=to, timeout=600, check=False)
            of_process = subprocess.run([LOUPE, "fix", str(process.pid)], capture_output=True, text=True, timeout=600, check=False)
            process.stdin.close()
        self.assertEqual((0, self.fix(file).stdout), (of_process.returncode, of_process.stdout), "of the process itself")
        return file

    def test_a_timer_is_named_by_both_verbs(self) -> None:
        """`cycles` has the degree that `leaks` has, of the heap and of one object."""
        saved = self.folder / "heap.loupe"
        with subprocess.Popen([str(self.program), "WAIT"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin and process.stdout
            self.assertIn("done\n", process.stdout)
            subprocess.run([LOUPE, "snapshot", str(process.pid), saved], capture_output=True, timeout=600, check=False)
            process.stdin.close()
        def ask(*words: str) -> Json:
            done = subprocess.run([LOUPE, *words, "--json"], capture_output=True, text=True, timeout=600, check=False)
            return typing.cast(Json, json.loads(done.stdout))
        leaks = {entry["fingerprint"]: (entry["degree"], entry["severity"]) for entry in ask("leaks", str(saved))["leaks"]}
        answer = ask("cycles", str(saved))
        timed = [knot for knot in answer["knots"] if knot["degree"] == "timer"]
        self.assertEqual([("timer", timed[0]["severity"])], [leaks[knot["fingerprint"]] for knot in timed])
        self.assertEqual(("held", None), (timed[0]["verdict"], timed[0]["verdict_reason"]))
        target = timed[0]["rings"][0]["edges"][0]["to"]
        self.assertEqual(["timer"], [knot["degree"] for knot in ask("cycles", str(saved), target)["knots"]])
        said = subprocess.run([LOUPE, "cycles", str(saved)], capture_output=True, text=True, timeout=600, check=False).stdout
        self.assertIn("held only by its timer until that is invalidated\n", said)
        self.assertNotIn("unknown", said)

    def fix(self, answer: pathlib.Path, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([LOUPE, "fix", str(answer), *words, "--source", str(self.tree)], capture_output=True, text=True,
                              timeout=600, check=False)

    @staticmethod
    def classes_of(entry: Json, objects: Json) -> typing.Set[str]:
        return {objects[edge["from"]]["class"] for ring in entry["knot"]["rings"] for edge in ring["edges"]}

    def letters(self, answer: pathlib.Path, number: int, entry: Json) -> typing.List[str]:
        """The first fix, or all that only together are enough."""
        texts = [fix["text"] for fix in entry["knot"]["fixes"] if fix.get("together")] or [entry["knot"]["fixes"][0]["text"]]
        listed = dict(line.split(None, 1) for line in self.fix(answer).stdout.splitlines())
        return [name for name, text in listed.items() if name[:-1] == str(number) and text in texts]

    def check_run(self, program: pathlib.Path, left: typing.Set[str], *letters: str) -> None:
        done = subprocess.run([str(program)], capture_output=True, text=True, timeout=600, check=False,
                              env={**os.environ, "NSZombieEnabled": "YES"})
        self.assertEqual("", done.stderr)
        self.assertEqual(left, {name for name, count in counts(done.stdout).items() if count}, letters)

    def test_all(self) -> None:
        said = subprocess.run([str(self.program)], capture_output=True, text=True, timeout=600, check=False).stdout
        left = set(counts(said))
        self.check_run(self.program, left)
        answer = self.asked()
        found = json.loads(answer.read_text(encoding="utf-8"))
        for number, entry in enumerate(found["leaks"], 1):
            if not entry.get("knot"):
                continue
            letters = self.letters(answer, number, entry)
            self.assertTrue(letters)
            for letter in letters:
                done = self.fix(answer, letter, "--apply", "--force")
                self.assertEqual((0, ""), (done.returncode, done.stderr), letter)
                self.assertEqual(2, self.fix(answer, letter, "--apply", "--force").returncode, "a second time")
            left -= self.classes_of(entry, found["objects"])
            self.check_run(self.build(f"patched{number}"), left, *letters)
        self.assertEqual(set(), left)

    def applied(self, changes: typing.List[typing.Tuple[int, int, str]]) -> str:
        """The source with lines replaced: the first, the one after the last, what comes there."""
        lines = self.source.read_text(encoding="utf-8").splitlines(True)
        for first, end, text in sorted(changes, reverse=True):
            lines[first - 1:end - 1] = [text]
        return "".join(lines)

    def test_for_reviews_and_editors(self) -> None:
        answer = self.asked()
        entries = json.loads(answer.read_text(encoding="utf-8"))["leaks"]
        review = json.loads(self.fix(answer, "--format", "github-review").stdout)
        self.assertEqual([], schema.Schema(HERE / "github_review.schema.json").problems(review))
        self.assertEqual("COMMENT", review["event"])
        suggested = []
        for comment in review["comments"]:
            self.assertEqual((SOURCE.name, "RIGHT"), (comment["path"], comment["side"]))
            self.assertLess(comment.get("start_line", 0), comment["line"])
            self.assertLessEqual(comment["line"], len(self.source.read_text(encoding="utf-8").splitlines()))
            head, code = comment["body"].split("```suggestion\n")
            self.assertTrue(head.startswith("Together") or "Rests on" in head)
            suggested.append((comment.get("start_line", comment["line"]), comment["line"] + 1, code[:-4]))
        run, = json.loads(self.fix(answer, "--format", "sarif").stdout)["runs"]
        replaced = []
        for result in run["results"]:
            for change in result["fixes"][0]["artifactChanges"]:
                self.assertEqual(SOURCE.name, change["artifactLocation"]["uri"])
                for one in change["replacements"]:
                    region = one["deletedRegion"]
                    self.assertEqual((1, 1), (region["startColumn"], region["endColumn"]))
                    replaced.append((region["startLine"], region["endLine"], one["insertedContent"]["text"]))
        self.assertEqual({leak["knot"]["fingerprint"] for leak in entries if leak.get("knot")} & {leak["fingerprint"] for leak in entries},
                         {result["partialFingerprints"]["loupe/v1"] for result in run["results"]})
        self.assertEqual(self.applied(suggested), self.applied(replaced))
        by_suggestion = self.applied(suggested)
        for number, entry in enumerate(entries, 1):
            for letter in self.letters(answer, number, entry) if entry.get("knot") else []:
                self.fix(answer, letter, "--apply", "--force")
        self.assertEqual(self.source.read_text(encoding="utf-8"), by_suggestion)
        self.assertEqual(2, self.fix(answer, "--format", "sarif", "--json").returncode)


@unittest.skipUnless(shutil.which("git"), "no git")
class Verified(Patched):
    """The change is tried in a copy of what git tracks."""

    def setUp(self) -> None:
        super().setUp()
        self.here = self.folder / "temporary"
        self.here.mkdir()
        self.git("init", "-q", ".")
        self.git("add", "-A")
        self.command = shlex.join("./program" if word == "PROGRAM" else SOURCE.name if word == "SOURCE" else word for word in COMMAND)

    def git(self, *words: str) -> None:
        subprocess.run(["git", "-C", str(self.tree), *words], check=True, timeout=600, env={**os.environ, "HOME": str(self.folder)})

    def verify(self, answer: pathlib.Path, choice: str, command: str, *words: str) -> typing.Tuple[int, Json]:
        done = subprocess.run([LOUPE, "fix", str(answer), choice, "--json", "--source", str(self.tree), "--verify", command, *words],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600, check=False,
                              env={**os.environ, "TMPDIR": str(self.here)})
        self.assertEqual([], os.listdir(self.here), "the copy is removed")
        said: Json = json.loads(done.stdout)
        return done.returncode, said.get("verified", said.get("error"))

    def test_all(self) -> None:
        answer = self.asked()
        before = self.source.read_bytes()
        status, said = self.verify(answer, "1a", self.command + " && ./program || test $? = 1")
        self.assertEqual((0, "gone", 1), (status, said["outcome"], said["programs"]))
        self.assertGreater(said["leaks"], 0, "the others are there")
        for command, outcome, status in ((f"{self.program} || true", "still-there", 1), (self.command + " && ./program", "command-failed", 2),
                                         ("exit 7", "command-failed", 2), ("true", "not-asked", 2), (self.command + " && kill -9 $$", "command-failed", 2)):
            self.assertEqual((status, outcome), (lambda got: (got[0], got[1]["outcome"]))(self.verify(answer, "1a", command, "--apply", "--force")), command)
        self.assertEqual(before, self.source.read_bytes(), "nothing is written that was not seen to help")
        self.assertEqual(0, self.verify(answer, "1a", self.command + " && ./program || test $? = 1", "--apply", "--force")[0])
        self.assertNotEqual(before, self.source.read_bytes())

    def test_what_is_no_answer_or_too_late(self) -> None:
        answer = self.asked()
        self.assertIn("not an answer", self.verify(answer, "1a", 'echo "{}" >> "$LOUPE_LEAKS_FILE"')[1]["message"])
        status, said = self.verify(answer, "1a", "sleep 600 & sleep 600", "--timeout", "0.5")
        self.assertEqual((2, "command-failed", True), (status, said["outcome"], said["timed_out"]))

    def test_what_is_copied(self) -> None:
        answer = self.asked()
        (self.tree / "untracked").write_text("")
        (self.tree / "sub").mkdir()
        (self.tree / "sub" / "inside").symlink_to("../" + SOURCE.name)
        self.git("add", "sub")
        self.git("config", "core.fsmonitor", f"touch {self.folder}/ran; false")
        look = f"ls -A . sub > {self.folder}/listed; stat -c %a .. >> {self.folder}/listed"
        self.assertEqual("not-asked", self.verify(answer, "1a", look)[1]["outcome"])
        self.assertEqual([".:", SOURCE.name, "sub", "", "sub:", "inside", "700"], (self.folder / "listed").read_text().splitlines())
        self.assertFalse((self.folder / "ran").exists())
        (self.tree / "sub" / "outside").symlink_to("../../answer.json")
        self.git("-c", "core.fsmonitor=", "add", "sub")
        self.assertIn("leads out of the tree", self.verify(answer, "1a", "true")[1]["message"])
        shutil.rmtree(self.tree / ".git")
        status, said = self.verify(answer, "1a", "true")
        self.assertEqual((2, True), (status, "no tree of git" in said["message"]))


if __name__ == "__main__":
    LOUPE, SOURCE, COMMAND = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    del sys.argv[1:]
    unittest.main()
