"""Twenty mistakes of Swift: what `loupe fix` writes for the first fix of each is all that is done to its source. Each
patch compiles without a warning, and what it was about is freed then; the others are refused, with the reason.

usage: test_twenty.py LOUPE SOURCE COMMAND... (with SOURCE and PROGRAM in it)
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import typing
import unittest

Json = typing.Dict[str, typing.Any]
LOUPE, SOURCE, COMMAND = "", pathlib.Path(), [""]
TRIES = 3  # a word that is left somewhere by chance may lead to what leaks
# By a class of each cycle: empty, or a part of the reason.
KINDS = {"Cache<Int>": "", "Center": "", "Child": "", "Coordinator": "", "Editor": "", "Form": "", "LoaderScreen": "", "ModelView": "", "Node": "",
         "Player": "no closure is seen", "Report": "give nothing back", "Row": "", "Screen": "", "Sender": "", "Session": "not a name of Swift",
         "Source": "give nothing back", "State": "phase.running", "Upload": "another closure is in it", "Wire": "by hand", "Writer": ""}


def run(*words: typing.Union[str, pathlib.Path]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1200, check=False)


class Twenty(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tree = self.folder / "tree"
        self.tree.mkdir()
        self.source = self.tree / SOURCE.name
        self.source.write_bytes(SOURCE.read_bytes())
        self.answer = self.folder / "answer.json"

    def build(self) -> pathlib.Path:
        program = self.folder / "program"
        words = {"SOURCE": str(self.source), "PROGRAM": str(program)}
        done = run(*[words.get(word, word) for word in COMMAND])
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return program

    @staticmethod
    def alive(program: pathlib.Path) -> typing.Dict[str, int]:
        pairs = [line.split(" alive ") for line in run(program).stdout.splitlines() if " alive " in line]
        return {name: int(count) for name, count in pairs}

    def ask(self, program: pathlib.Path) -> Json:
        with subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin and process.stdout
            self.assertIn("ready\n", process.stdout)
            self.answer.write_text(run(LOUPE, "leaks", str(process.pid), "--json", "--limit", "0").stdout, encoding="utf-8")
            process.stdin.close()
        found: Json = json.loads(self.answer.read_text(encoding="utf-8"))
        return found

    def fix(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return run(LOUPE, "fix", self.answer, *words, "--source", self.tree)

    def test_each_alone(self) -> None:
        program = self.build()
        before, found = self.alive(program), self.ask(program)
        for _ in range(TRIES):
            if len([leak for leak in found["leaks"] if leak["knot"]]) == len(KINDS):
                break
            found = self.ask(program)
        seen = {}
        for number, entry in enumerate(found["leaks"], 1):
            classes = {found["objects"][edge[end]]["class"] for ring in (entry["knot"] or {"rings": []})["rings"]
                       for edge in ring["edges"] for end in ("from", "to")}
            for kind in [kind for kind in KINDS if f"app.{kind}".replace("<Int>", "<Swift.Int>") in classes][:1]:
                self.source.write_bytes(SOURCE.read_bytes())
                done = self.fix(f"{number}a", "--apply", "--force")
                seen[kind] = done.stderr
                if KINDS[kind]:
                    self.assertEqual((2, SOURCE.read_bytes()), (done.returncode, self.source.read_bytes()))
                    self.assertIn(KINDS[kind], done.stderr)
                    continue
                self.assertEqual((0, ""), (done.returncode, done.stderr))
                self.assertEqual(2, self.fix(f"{number}a", "--apply", "--force").returncode, "a second time")
                after = self.alive(self.build())
                self.assertEqual(0, after[kind], self.source.read_text(encoding="utf-8"))
                self.assertEqual([], [name for name, count in before.items() if after[name] > count])
        self.assertEqual(set(KINDS), set(seen))


if __name__ == "__main__":
    LOUPE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
    COMMAND = sys.argv[3:]
    del sys.argv[1:]
    unittest.main()
