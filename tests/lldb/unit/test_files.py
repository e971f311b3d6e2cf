"""Files that are read unasked or by name: plain ones, bounded, and of whom."""
import os
import pathlib
import tempfile
import unittest

from lldb_commands.errors import LoupeError
from lldb_commands.reporting import baseline, filters
from lldb_commands.text import files

SOMEBODY = 12345
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
READERS = (filters.read, baseline.read, lambda path: filters.read(path, asked_for=False))


class Files(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.path = self.directory / "file"
        self.path.write_text("", encoding="utf-8")

    def refused(self, path, reader):
        with self.assertRaises(LoupeError) as raised:
            reader(str(path))
        return str(raised.exception)

    def test_a_pipe_and_a_device_are_not_opened(self):
        pipe = self.directory / "pipe"
        os.mkfifo(pipe)
        for path in (pipe, pathlib.Path("/dev/zero"), pathlib.Path("/dev/null")):
            for reader in READERS:
                self.assertIn("it is not a plain file", self.refused(path, reader))
        link = self.directory / "link"
        link.symlink_to("/dev/zero")
        self.assertIn("it is not a plain file", self.refused(link, filters.read))
        self.assertIn("it is a directory", self.refused(self.directory, filters.read))

    def test_what_is_read_is_bounded(self):
        self.path.write_bytes(b"\n" * ((1 << 20) + 1))
        self.assertIn("it is larger than 1 MB", self.refused(self.path, filters.read))
        with open(self.path, "wb") as file:
            file.truncate(1 << 40)
        self.assertIn("it is larger than 16 MB", self.refused(self.path, baseline.read))
        self.path.write_text("A._b # why\n" * 10001, encoding="utf-8")
        self.assertIn("there are more than 10000", self.refused(self.path, filters.read))

    def test_lines_that_take_long_to_refuse_for_who_tries_every_way(self):
        for line in ("A." + " " * 900000, "A." + " #" * 400000, "A" + " " * 900000 + "#",
                     "A." + "-" * 900000, "A" * 900000 + " -> ", "# " + " #" * 400000):
            self.path.write_text(f"{line}\n", encoding="utf-8")
            for reader in READERS:
                try:
                    reader(str(self.path))
                except LoupeError:
                    pass

    def test_a_comment_ends_where_an_editor_ends_it(self):
        self.path.write_bytes("# ours\u2028Owner._handler # forged\x0bOwner # too\x85A # b\n"
                              "A._b  # why\r\n".encode("utf-8"))
        self.assertEqual(["A._b"], [item.name for item in filters.read(str(self.path))])

    def test_what_others_can_write_is_not_taken_unasked(self):
        self.path.chmod(0o666)
        self.assertEqual("others can write it", self.refused(self.path, READERS[2]))
        self.assertEqual([], filters.read(str(self.path)))

    @unittest.skipUnless(IS_ROOT, "only root gives files away")
    def test_a_file_of_somebody_else_is_not_taken_unasked(self):
        os.chown(self.path, SOMEBODY, -1)
        self.assertEqual(f"it belongs to user {SOMEBODY}", self.refused(self.path, READERS[2]))
        self.assertEqual([], filters.read(str(self.path)))
        self.assertEqual({}, baseline.read(str(self.path)))

    @unittest.skipUnless(IS_ROOT, "only root gives files away")
    def test_a_link_to_a_file_of_somebody_else_is_not_followed(self):
        os.chown(self.path, SOMEBODY, -1)
        link = self.directory / "link"
        link.symlink_to(self.path)
        for reader in READERS:
            self.assertIn(f"it is a link to a file of user {SOMEBODY}", self.refused(link, reader))
        os.chown(self.path, 0, -1)
        self.assertEqual([], filters.read(str(link)))

    def test_writing_does_not_wait_for_a_reader(self):
        pipe = self.directory / "pipe"
        os.mkfifo(pipe)
        self.assertIn(f"cannot write {pipe}: ",
                      self.refused(pipe, lambda path: files.write(path, "text")))
        files.write("/dev/null", "text")
        files.write(str(self.path), "text")
        self.assertEqual("text\n", self.path.read_text(encoding="utf-8"))


class Names(unittest.TestCase):
    def test_filters_are_called_as_answers_call_them(self):
        for line, name in (("A._b -> C # why", "A._b -> C"), ("A[3].x # why", "A.[3].x"),
                           ("* -> C # why", "* -> C"), ("A.key \"a#b\"->C #why", "A.key \"a#b\" -> C")):
            with tempfile.TemporaryDirectory() as directory:
                path = pathlib.Path(directory, "file")
                path.write_text(line, encoding="utf-8")
                [item] = filters.read(str(path))
                self.assertEqual((name, "why"), (item.name, item.reason))
                self.assertEqual(2, filters.hidden_by([item], [{"filter": name, "edges": 2},
                                                               {"filter": "UIView", "edges": 9}]))


if __name__ == "__main__":
    unittest.main()
