"""`python -m lldb_commands --install` and `--uninstall`, on every kind of ~/.lldbinit.

usage: test_lldbinit.py PROJECT_FOLDER
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(sys.argv[1]).resolve()
LINE = f'command script import "{PROJECT}/lldb_commands"'


class Lldbinit(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.file = self.home / ".lldbinit"

    def run_module(self, *words: str, status: int = 0, project: pathlib.Path = PROJECT) -> str:
        done = subprocess.run([sys.executable, "-B", "-m", "lldb_commands", *words], check=False,
                              cwd=project, env={**os.environ, "HOME": str(self.home)}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def content(self) -> bytes:
        """Nothing where there is no file: --uninstall leaves none that is empty."""
        if not self.file.exists():
            return b""
        found = self.file.read_bytes()
        self.assertTrue(found or self.file.is_symlink())
        return found

    def install(self) -> bytes:
        self.run_module("--install")
        return self.content()

    def uninstall(self) -> bytes:
        self.run_module("--uninstall")
        return self.content()

    def test_other_lines_stay_and_twice_is_once(self) -> None:
        for before in (b"", b"settings set x y\n", b"no end", b"a\r\nb\r\n", b"\xff\xfe\n\n\n"):
            self.file.write_bytes(before)
            installed = self.install()
            self.assertTrue(installed.startswith(before))
            self.assertEqual(installed.count(LINE.encode()), 1)
            self.assertIn(LINE.encode(), installed.splitlines())
            self.assertEqual(self.install(), installed)
            ended = before if not before or before.endswith(b"\n") else before + b"\n"
            self.assertEqual(self.uninstall(), ended)
            self.assertEqual(self.uninstall(), ended)

    def test_without_a_file_one_is_made(self) -> None:
        self.assertIn("has no line", self.run_module("--uninstall"))
        self.assertFalse(self.file.exists())
        self.assertIn(LINE, self.install().decode())

    def test_lines_in_the_middle_and_behind_are_kept(self) -> None:
        installed = self.install()
        self.file.write_bytes(b"first\n" + installed + b"last\n")
        self.assertEqual(self.uninstall(), b"first\nlast\n")

    def test_the_line_of_an_older_place_is_replaced(self) -> None:
        installed = self.install().replace(str(PROJECT).encode(), b"/older")
        self.file.write_bytes(installed)
        self.assertEqual(self.install().count(b"command script import"), 1)
        self.assertNotIn(b"/older", self.content())

    def test_a_line_that_somebody_wrote_is_theirs(self) -> None:
        self.file.write_text(LINE + "\n")
        self.assertIn("as it did before", self.run_module("--install"))
        self.assertEqual(self.uninstall(), LINE.encode() + b"\n")

    def test_a_link_stays_one_and_a_mode_too(self) -> None:
        real = self.home / "dotfiles"
        real.mkdir()
        (real / "lldbinit").write_text("x\n")
        (real / "lldbinit").chmod(0o600)
        self.file.symlink_to("dotfiles/lldbinit")
        self.install()
        self.assertTrue(self.file.is_symlink())
        self.assertIn(LINE, (real / "lldbinit").read_text())
        self.assertEqual((real / "lldbinit").stat().st_mode & 0o777, 0o600)
        self.assertEqual([path.name for path in real.iterdir()], ["lldbinit"])

    def test_what_cannot_be_changed_is_told(self) -> None:
        self.file.mkdir()
        for word in ("--install", "--uninstall"):
            self.assertIn("nothing was changed", self.run_module(word, status=2))
        self.file.rmdir()
        self.file.symlink_to(self.home / "none" / "file")
        self.assertIn("cannot be written", self.run_module("--install", status=2))

    @unittest.skipIf(os.geteuid() == 0, "root may write everything")
    def test_a_file_that_is_protected_is_left_alone(self) -> None:
        self.file.write_text("x\n")
        self.file.chmod(0o400)
        self.assertIn("write-protected", self.run_module("--install", status=2))
        self.assertEqual(self.content(), b"x\n")

    def test_quotes_in_a_path_are_quoted(self) -> None:
        odd = self.home / 'a "b` \\c'
        odd.mkdir()
        (odd / "lldb_commands").symlink_to(PROJECT / "lldb_commands")
        self.assertEqual(self.run_module("--print", project=odd).strip(), LINE)
        self.assertEqual(self.run_module("--version").count("."), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
