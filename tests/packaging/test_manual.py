"""The manual: a page for each verb and all that it takes, and every environment variable.

usage: test_manual.py PROJECT_FOLDER
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(sys.argv[1]).resolve()
VERBS = json.loads((PROJECT / "lldb_commands" / "verbs.json").read_text(encoding="utf-8"))["verbs"]
# What programs of ours read; LOUPE_PLUGIN and the like by their last words.
READ = re.compile(r'getenv\("(\w+)"\)|environ(?:ment)?\.get\("(\w+)"|_VARIABLE, \w+ = "(LOUPE_\w+)"')
ROOMS = ("at_exit", "cli", "core", "helper", "lldb_commands", "plugin", "readers", "record", "run_tool",
         "stacks", "testing", "watch")
# Whether a terminal has links is asked of what terminals set.
OF_TERMINALS = {"VTE_VERSION", "TERM_PROGRAM", "SUDO_UID"}


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        subprocess.run([sys.executable, "-B", PROJECT / "packaging" / "man.py", PROJECT, "1.2.3",
                        cls.folder], check=True)

    def page(self, name: str) -> str:
        return (self.folder / f"man{name[-1]}" / name).read_text(encoding="utf-8").replace("\\-", "-")

    def test_each_verb_has_a_page_with_its_options(self) -> None:
        overview = self.page("loupe.1")
        for verb in VERBS:
            text = self.page(f"loupe-{verb['name']}.1")
            self.assertIn(f".BR loupe-{verb['name']} (1)", overview)
            for host in (verb["terminal"], verb["lldb"]):
                for option in (host or {}).get("options", []):
                    self.assertIn(f"--{option['name']}", text)
                    self.assertIn(option["help"], text)

    def test_each_page_of_the_tool_has_the_exit_status_of_its_help(self) -> None:
        source = (PROJECT / "cli" / "line" / "verb_help.c").read_text(encoding="utf-8")
        literals = re.search(r'print_folded\(((?:\s*"[^"]*")+),\s*0, 0\);\n}\n\nvoid verb_print_help', source)
        assert literals
        said = "".join(re.findall(r'"([^"]*)"', literals[1])).partition("Exit status: ")[2]
        self.assertRegex(said, "^0 success; 1 found .*; 2 bad input")
        for name in ["loupe.1", *(f"loupe-{verb['name']}.1" for verb in VERBS if verb["terminal"])]:
            self.assertIn(f".SH EXIT STATUS\n{said}\n", self.page(name))

    def test_every_variable_that_is_read_is_in_the_table(self) -> None:
        table = set(re.findall(r"`([A-Z_]{4,})`", (PROJECT / "docs" / "environment.md")
                               .read_text(encoding="utf-8")))
        read = {f"LOUPE_{name}" for name in ("PLUGIN", "HELPER", "TOOL")}
        for room in ROOMS:
            for path in (PROJECT / room).rglob("*"):
                if path.suffix in (".c", ".py", ".cpp"):
                    for found in READ.findall(path.read_text(encoding="utf-8")):
                        read.add("".join(found))
        self.assertEqual(read - OF_TERMINALS | {"LC_CTYPE"}, table | {"LC_CTYPE"})
        page = self.page("loupe-environment.7")
        for name in table:
            self.assertIn(name, page)

    def test_readers_of_manuals_understand_them(self) -> None:
        if not shutil.which("mandoc"):
            self.skipTest("mandoc is not installed")
        for path in sorted(self.folder.rglob("loupe*")):
            said = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", path], check=False,
                                  capture_output=True, text=True).stdout
            self.assertEqual([], [line for line in said.splitlines() if "missing date" not in line])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
