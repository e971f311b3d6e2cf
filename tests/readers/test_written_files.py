"""Files that the tool writes are their owner's alone, and no link leads it to another file.

usage: test_written_files.py LOUPE RING
"""
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest
from typing import List

LOUPE, RING = sys.argv[1:]
SAVED = ("heap.loupe", "heap.hprof", "heap.hprof.gz", "heap.sqlite", "heap.html", "heap.dot")
MEANT = "somebody else's\n"


class Written(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.other = self.folder / "other"
        self.other.write_text(MEANT)
        os.umask(0)
        self.program = subprocess.Popen([RING], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.addCleanup(self.program.communicate)
        assert self.program.stdout
        while self.program.stdout.readline() != "ready\n":
            pass

    def loupe(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([LOUPE, words[0], str(self.program.pid), *words[1:]],
                              capture_output=True, text=True, timeout=1800, check=False)

    def check(self, words: List[str], path: pathlib.Path) -> None:
        """Where nothing is, where links were planted, and once more over what it wrote."""
        for planted in (False, True, False):
            if planted:
                path.unlink()
                for link in (path, path.with_name(f"{path.name}.part")):
                    link.unlink(missing_ok=True)
                    link.symlink_to(self.other)
            done = self.loupe(*words)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            about = path.lstat()
            self.assertTrue(stat.S_ISREG(about.st_mode), words)
            self.assertEqual(0o600, stat.S_IMODE(about.st_mode), words)
            self.assertGreater(about.st_size, 0)
            self.assertEqual(MEANT, self.other.read_text())

    def test_snapshots(self) -> None:
        for name in SAVED:
            with self.subTest(name=name):
                done = self.loupe("snapshot", str(self.folder / name))
                if "without SQLite" in done.stderr:
                    continue
                (self.folder / name).unlink()
                self.check(["snapshot", str(self.folder / name)], self.folder / name)

    def test_tables(self) -> None:
        folder = self.folder / "heap.csv"
        self.assertEqual(0, self.loupe("snapshot", str(folder)).returncode)
        self.assertEqual(0o700, stat.S_IMODE(folder.stat().st_mode))
        tables = sorted(folder.iterdir())
        self.assertTrue(tables)
        tables[0].unlink()
        tables[0].symlink_to(self.other)
        self.assertEqual(0, self.loupe("snapshot", str(folder)).returncode)
        for table in tables:
            self.assertEqual(stat.S_IFREG | 0o600, table.lstat().st_mode)
        self.assertEqual(MEANT, self.other.read_text())

    def test_answers(self) -> None:
        for words in (["leaks", "-o"], ["leaks", "--html"], ["leaks", "--dot"],
                      ["leaks", "--write-baseline"], ["leaks", "--format", "sarif", "-o"]):
            with self.subTest(words=words):
                path = self.folder / "answer"
                path.unlink(missing_ok=True)
                self.check([*words, str(path)], path)

    def test_what_the_system_names_is_opened_as_it_is(self) -> None:
        done = self.loupe("leaks", "-o", "/dev/stdout")
        self.assertIn("fingerprint", done.stdout)
        os.mkfifo(self.folder / "pipe")
        with subprocess.Popen(["cat", self.folder / "pipe"], stdout=subprocess.PIPE,
                              text=True) as reader:
            self.loupe("leaks", "-o", str(self.folder / "pipe"))
            self.assertIn("fingerprint", reader.communicate(timeout=1800)[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
