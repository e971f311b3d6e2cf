"""The table of verbs, as help, as JSON, and behind the tab key."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import typing
import unittest

from drawn_dump import ring
from tool import ToolTest

LOUPE = os.environ["LOUPE"]
SCRIPTS = pathlib.Path(__file__).parents[2] / "cli" / "completion"
OFFERS = pathlib.Path(__file__).with_name("offers.zsh")
Json = typing.Dict[str, typing.Any]


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([LOUPE, *words], capture_output=True, text=True, timeout=1800, check=False,
                          stdin=subprocess.DEVNULL)


class Table(ToolTest):
    def setUp(self) -> None:
        self.verbs: typing.List[Json] = json.loads(self.text("verbs", "--json"))["verbs"]
        self.terminal = [verb for verb in self.verbs if verb["terminal"]]

    def test_help_lists_every_verb_of_the_terminal(self) -> None:
        text = self.text("--help")
        self.assertEqual(text, self.text("help"))
        self.assertEqual(sorted(verb["name"] for verb in self.terminal),
                         sorted(re.findall(r"^  ([a-z-]+)(?: \S+)*?(?:  |$)", text, re.M)))
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_help_of_a_verb_has_all_its_options_and_says_each_letter_once(self) -> None:
        for verb in self.terminal:
            text = self.text("help", verb["name"])
            self.assertEqual(text, self.text(verb["name"], "--help"))
            self.assertEqual(text, self.text(verb["name"], "-h"))
            if verb["name"] == "explain":  # by topic
                continue
            usage = f"usage: loupe {verb['name']} {verb['terminal']['operands']}".rstrip()
            self.assertTrue(text.startswith(f"{usage} [options]\n\n"), text)
            told = re.findall(r"^  (?:-(\w), )?--([a-z-]+)(?: (\S+))?(?:  |$)", text, re.M)
            self.assertEqual(told, [(option["letter"] or "", option["name"], option["argument"] or "")
                                    for option in verb["terminal"]["options"]])
            letters = [letter for letter, _, _ in told if letter]
            self.assertEqual(sorted(set(letters)), sorted(letters), verb["name"])

    def test_every_option_is_taken(self) -> None:
        """Each option of the table is one to the parser: what is refused is the file behind it."""
        for verb in self.terminal:
            if "FILE" not in verb["terminal"]["operands"].split():
                continue
            for option in verb["terminal"]["options"]:
                given = {"flag": [], "count": ["1"], "number": ["1"], "seconds": ["1"],
                         "choice": option["choices"][:1]}.get(option["kind"], ["/dev/null/none"])
                for name in (f"--{option['name']}", f"-{option['letter']}"):
                    if name != "-None":
                        done = run(verb["name"], name, *given, "/dev/null/file", "x")
                        self.assertNotIn("unknown option", done.stderr, (verb["name"], name))

    def test_verbs_that_follow_are_verbs(self) -> None:
        names = {verb["name"] for verb in self.verbs}
        for verb in self.verbs:
            self.assertLessEqual(set(verb["next"]), names, verb["name"])
            self.assertTrue(verb["terminal"] or verb["lldb"], verb["name"])

    def test_what_somebody_may_have_meant(self) -> None:
        for words, meant in ((["leak"], "leaks"), (["haep"], "heap"), (["sanpshot"], "snapshot"),
                             (["help", "pth"], "path"), (["leaks", "--jsn"], "--json"),
                             (["leaks", "--fliters=x"], "--filters"), (["serve", "--kep"], "--keep")):
            self.assertIn(f"; did you mean {meant}?", self.refuse(*words))
        for words in (["frobnicate"], ["leaks", "--frobnicate"], ["leaks", "-z"], ["x" * 5000]):
            self.assertNotIn("did you mean", self.refuse(*words))

    def test_words_that_are_missing_or_too_many(self) -> None:
        for words, said in ((["leaks"], "missing FILE (usage: loupe leaks FILE)"),
                            (["diff", "a"], "missing NEW (usage: loupe diff OLD [...] NEW)"),
                            (["find", "a"], "missing PATTERN (usage: loupe find FILE PATTERN)"),
                            (["draw"], "missing ANSWER (usage: loupe draw ANSWER)"),
                            (["heap", "a", "b"], "unexpected argument 'b'"),
                            (["serve", "x"], "unexpected argument 'x'"),
                            (["verbs", "x"], "unexpected argument 'x'")):
            self.assertIn(f"{words[0]}: {said}", self.refuse(*words))


class Offers(unittest.TestCase):
    def offers(self, *words: str) -> typing.List[str]:
        done = run("completion", "offers", *words)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    def test_what_stands_where(self) -> None:
        for words, offered in ((["lea"], ["leaks"]), (["help", "ret"], ["retained", "retain-cycles"]),
                               (["leaks", "--fil"], ["--filters"]), (["leaks", ""], [":files"]),
                               (["heap", "--sort", "c"], ["count"]),
                               (["heap", "--sort=c"], ["--sort=count"]),
                               (["heap", "--sort", "=", "c"], ["count"]),
                               (["heap", "--sort", "="], ["count", "size", "retained"]),
                               (["leaks", "--baseline", ""], [":files"]),
                               (["heap", "--sysroot", ""], [":folders"]),
                               (["snapshot", "a", ""], [":files"]), (["path", "a", ""], []),
                               (["diff", "a", "b", "c", ""], [":files"]),
                               (["completion", "f"], ["fish"]), (["explain", "la"], ["layout"]),
                               (["nonsense", ""], []), (["heap", "a", "b", ""], [])):
            self.assertEqual(offered, self.offers(*words), words)

    def test_every_option_of_a_verb(self) -> None:
        [verb] = [verb for verb in json.loads(run("verbs", "--json").stdout)["verbs"]
                  if verb["name"] == "leaks"]
        self.assertEqual([f"--{option['name']}" for option in verb["terminal"]["options"]],
                         self.offers("leaks", "a", "--"))


class Shells(unittest.TestCase):
    """The scripts in the shells that are there."""

    def completed(self, shell: str, line: str) -> typing.List[str]:
        script = subprocess.run([LOUPE, "completion", shell], capture_output=True, text=True,
                                timeout=1800, check=True).stdout
        words = line.split(" ")
        driven = {
            "bash": f"COMP_WORDS=({' '.join(words[:-1])} '{words[-1]}'); COMP_CWORD={len(words) - 1}; "
                    "_loupe loupe; printf '%s\\n' \"${COMPREPLY[@]}\"",
            "fish": f"complete -C '{line}'",
        }[shell]
        done = subprocess.run([shell, "--norc", "-c", f"{script}\n{driven}"] if shell == "bash" else
                              [shell, "--no-config", "-c", f"{script}\n{driven}"],
                              capture_output=True, text=True, timeout=1800, check=True,
                              env={**os.environ,
                                   "PATH": f"{os.path.dirname(LOUPE)}:{os.environ['PATH']}"})
        return [word.split("\t")[0] for word in done.stdout.splitlines() if word]

    def test_each_script_is_the_file_that_is_installed(self) -> None:
        for shell, name in (("bash", "loupe.bash"), ("zsh", "_loupe"), ("fish", "loupe.fish")):
            self.assertEqual(run("completion", shell).stdout,
                             (SCRIPTS / name).read_text(encoding="utf-8"))
        self.assertEqual(2, run("completion", "csh").returncode)

    def test_in_a_shell(self) -> None:
        for shell in ("bash", "fish"):
            with self.subTest(shell):
                if not shutil.which(shell):
                    self.skipTest(f"{shell} is not installed")
                self.assertEqual(["leaks"], self.completed(shell, "loupe lea"))
                self.assertEqual(["--filters"], self.completed(shell, "loupe leaks --fil"))
                self.assertEqual(["sarif"], self.completed(shell, "loupe leaks --format s"))

    def test_a_class_of_a_heap(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            heap = pathlib.Path(folder, "ring.hprof")
            heap.write_bytes(ring().bytes())
            line = f"loupe find {heap} demo.N"
            for shell in ("bash", "fish"):
                with self.subTest(shell):
                    if not shutil.which(shell):
                        self.skipTest(f"{shell} is not installed")
                    self.assertEqual(["demo.Node"], self.completed(shell, line))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_at_a_terminal(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            heap = pathlib.Path(folder, "ring.hprof")
            heap.write_bytes(ring().bytes())
            for line, expected in ((f"loupe find {heap} demo.N", f"loupe find {heap} demo.Node"),
                                   ("loupe leaks --fil", "loupe leaks --filters")):
                done = subprocess.run(["zsh", "-f", OFFERS, SCRIPTS / "_loupe", *line.split(" ")], capture_output=True,
                                      text=True, timeout=1800, check=True,
                                      env={**os.environ, "PATH": f"{os.path.dirname(LOUPE)}:{os.environ['PATH']}"})
                self.assertEqual(expected, done.stdout.rstrip())

    def test_the_words_of_the_scripts(self) -> None:
        for shell in ("bash", "zsh"):
            if shutil.which(shell):
                name = "loupe.bash" if shell == "bash" else "_loupe"
                subprocess.run([shell, "-n", str(SCRIPTS / name)], check=True, timeout=1800)


if __name__ == "__main__":
    unittest.main()
