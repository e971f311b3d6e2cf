"""Which files are taken unasked: libraries to load, in the right places and by their owners."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from lldb_commands.text import trust

PACKAGE = pathlib.Path(trust.__file__).parents[1]
SOMEBODY = 12345
# Prints what is found for the plugin, then what is refused.
ASK = ("import sys, types; sys.modules['lldb'] = types.ModuleType('lldb'); "
       "sys.dont_write_bytecode = True; "
       "from lldb_commands.engines import libraries; "
       "print(libraries.find('plugin')); print(*libraries.refused('plugin'), sep='\\n')")


class Libraries(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.top = pathlib.Path(directory.name).resolve()

    def package(self, *below):
        """A copy of the commands there; only what the question needs."""
        package = self.top.joinpath(*below, "lldb_commands")
        shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
        return package

    def library(self, *below):
        path = self.top.joinpath(*below, "libloupe_plugin.so")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"code")
        return path

    def ask(self, package, **environment):
        values = {key: value for key, value in os.environ.items() if not key.startswith("LOUPE_")}
        done = subprocess.run([sys.executable, "-c", ASK], text=True, capture_output=True, check=True,
                              cwd=package.parent, env={**values, **environment})
        found, *refused = done.stdout.rstrip("\n").split("\n")
        return found, "".join(refused)

    def test_the_build_tree_beside_the_commands(self):
        path = self.library("build", "plugin")
        self.assertEqual((str(path), ""), self.ask(self.package()))

    def test_the_prefix_of_an_installation(self):
        path = self.library("lib", "loupe")
        self.library("share", "loupe", "build", "plugin")
        self.assertEqual((str(path), ""), self.ask(self.package("share", "loupe")))

    def test_nothing_above_is_looked_at(self):
        for below in (("lib", "loupe"), ("lib",), ("lib", "x86_64-linux-gnu"), ("build", "plugin"),
                      ("work", "lib", "loupe")):
            self.library(*below)
        self.assertEqual(("None", ""), self.ask(self.package("work", "loupe")))

    def test_a_file_that_others_can_write_is_refused(self):
        path, package = self.library("build", "plugin"), self.package()
        path.chmod(0o666)
        found, refused = self.ask(package)
        self.assertEqual("None", found)
        self.assertIn(f"others can write it (chmod go-w {path})", refused)
        found, refused = self.ask(package, LOUPE_PLUGIN=str(path))
        self.assertEqual("None", found)
        self.assertIn("others can write it", refused)
        path.chmod(0o644)
        self.assertEqual(str(path), self.ask(package)[0])

    def test_a_directory_that_others_can_write_is_refused_unless_it_is_sticky(self):
        path, package = self.library("build", "plugin"), self.package()
        (self.top / "build").chmod(0o777)
        found, refused = self.ask(package)
        self.assertEqual("None", found)
        self.assertIn(f"others can write {self.top / 'build'}, where it stands", refused)
        (self.top / "build").chmod(0o1777)
        self.assertEqual(str(path), self.ask(package)[0])
        self.assertEqual(str(path), self.ask(package, LOUPE_PLUGIN=str(path))[0])

    def test_a_link_is_judged_by_what_it_leads_to(self):
        path, package = self.library("build", "plugin"), self.package()
        elsewhere = self.library("elsewhere")
        path.unlink()
        path.symlink_to(elsewhere)
        self.assertEqual(str(path), self.ask(package)[0])
        (self.top / "elsewhere").chmod(0o777)
        self.assertIn("others can write", self.ask(package)[1])

    @unittest.skipUnless(hasattr(os, "geteuid") and os.geteuid() == 0, "only root gives files away")
    def test_owners(self):
        path, package = self.library("build", "plugin"), self.package()
        os.chown(path, SOMEBODY, -1)
        found, refused = self.ask(package)
        self.assertEqual("None", found)
        self.assertIn(f"it belongs to user {SOMEBODY}", refused)
        # Who owns the commands could have them do anything.
        os.chown(package, SOMEBODY, -1)
        self.assertEqual(str(path), self.ask(package)[0])
        os.chown(package, 0, -1)
        self.assertEqual(str(path), self.ask(package, LOUPE_PLUGIN=str(path))[0])
        self.assertEqual(str(path), self.ask(package, SUDO_UID=str(SOMEBODY))[0])


class Groups(unittest.TestCase):
    def test_a_group_of_others_can_write(self):
        def of(mode, owner, group):
            return os.stat_result((mode, 0, 0, 1, owner, group, 0, 0, 0, 0))
        self.assertTrue(trust.others_can_write(of(0o664, SOMEBODY, SOMEBODY)))
        self.assertTrue(trust.others_can_write(of(0o666, 0, 0)))
        self.assertFalse(trust.others_can_write(of(0o664, 0, 0)))
        self.assertFalse(trust.others_can_write(of(0o644, SOMEBODY, SOMEBODY)))


if __name__ == "__main__":
    unittest.main()
