"""LLDB debugs a program in the box as a Mac's (mac_server.py): what the commands know of Darwin runs live.

Environment: LOUPE_TEST_LLDB, LOUPE_TEST_BUILD, LOUPE_BOX (the folder of the box), LOUPE_BOX_HELPER.
Exit status 77 without the lldb-server of that lldb.
"""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lldb" / "live"))
import session  # noqa: E402

BOX = pathlib.Path(os.environ["LOUPE_BOX"])
FIXTURE = "view_controller"
PROGRAM = BOX / "fixtures" / FIXTURE
EXPECTED = session.HERE / "expected" / f"{FIXTURE}.txt"
SKIPPED = 77
LEAKS = "loupe leaks --timeout 120"
# lldb gives a call of one thread a quarter of a second, then interrupts it and lets all of them go on.
LONG_CALL = "expression --all-threads true --timeout 60000000 -- (int)usleep(600000)"
ONLY_OLDER_DYLDS = "up to LLDB 16 it learns of images at _dyld_debugger_notification(), which dyld has no more"
ABOUT = ("retain-cycles seed", "block-layout block", "retain-cycles guard", "strong-refs seed",
         "ivar-layout seed")


def lldb_server():
    """The one that came with the debugger under test, else any: their packets are the same."""
    name = pathlib.Path(session.debugger()).name.replace("lldb", "lldb-server", 1)
    names = (name, *(f"lldb-server-{version}" for version in (22, 19, 16, 14)), "lldb-server")
    return next(filter(None, map(shutil.which, names)), None)


def version():
    said = subprocess.run([session.debugger(), "--version"], capture_output=True, text=True, check=True)
    return int(re.search(r"version (\d+)", said.stdout)[1])


@contextlib.contextmanager
def mac():
    """The port at which the program waits, in front of its main()."""
    command = [sys.executable, "-B", str(HERE / "mac_server.py"), lldb_server(), str(BOX / "box"),
               str(PROGRAM)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as server:
        try:
            yield int(server.stdout.readline().split()[1])
        finally:
            server.terminate()


def ask(*commands, **environment):
    """What each command printed at the fixture's stop, errors too. lldb ends at the first error."""
    env = session.environment(LOUPE_HELPER=os.environ["LOUPE_BOX_HELPER"], **environment)
    with mac() as port:
        finished = session.batch("platform select remote-macosx", f'target create "{PROGRAM}"',
                                 f"process connect connect://127.0.0.1:{port}",
                                 f"breakpoint set --name {session.READY}", "continue", "up",
                                 *commands, env=env)
    # lldb misses a shared cache; where it says so differs by version.
    printed = re.sub(r"(?m)^warning: could not execute support code.*\n\n?", "", finished.stdout)
    parts = re.split(r"^\(lldb\) (.*)\n", printed, flags=re.M)[1:]
    said = dict(zip(parts[::2], parts[1::2]))
    said["errors"] = finished.stderr
    return said


class Mac(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.outside = ask("image list", "loupe doctor", *ABOUT, "strong-refs --incoming --timeout 120 seed",
                          "loupe break '-[PhotoListController viewDidLoad]'", "loupe backtraces", LEAKS, LONG_CALL)

    def test_lldb_takes_it_for_one(self):
        images = self.outside["image list"]
        for name in ("libobjc.A.dylib", "libSystem.B.dylib", "libsystem_malloc.dylib", "dyld", FIXTURE):
            self.assertRegex(images, rf"(?m)/{re.escape(name)} ?$")
        doctor = self.outside["loupe doctor"]
        self.assertIn(f"{FIXTURE}, live, x86_64-apple-macosx", doctor)
        self.assertIn("Apple's libobjc (libobjc.A.dylib)", doctor)
        self.assertIn("not in the process", doctor)

    def compare_with_expected(self, said):
        """The same texts as of the fixture on Linux, but for the symbol: signatures of blocks have
        the classes in them there; and for the lines of ivars, which stand in the object files where
        there is no dSYM (docs/limits.md)."""
        text = "\n".join(f"{question}\n\n{said.get(question)}" for question in ABOUT)
        expected = re.sub(r"(?:declared|main\.m:\d+) +(?=value|<A)|(?<= weak) \(main\.m:\d+\)", "",
                          EXPECTED.read_text(encoding="utf-8"))
        self.maxDiff = None
        self.assertNotIn("error:", said["errors"])
        self.assertEqual(*(re.sub(r"(?m)^Symbol: .*$", "Symbol", each)
                           for each in (expected, session.normalised(text))))

    def test_the_plugin_answers_as_for_any_program(self):
        self.compare_with_expected(self.outside)
        self.assertIn(" is held: its references own all its retains",
                      self.outside["strong-refs --incoming --timeout 120 seed"])

    def test_a_call_that_lldb_interrupts_goes_on(self):
        self.assertIn("(int) $0 = 0", self.outside[LONG_CALL])

    def test_leaks_are_told_from_outside(self):
        """The tables of the box's second zone are not libmalloc's, and only its enumerator knows them."""
        told = self.outside[LEAKS]
        self.assertRegex(told, r"^1 leak \(1 cycle\)\n  pointed to but not owned: 7 objects, 272 bytes")
        self.assertRegex(told, r"_header    ivar  → HeaderView 0x")
        self.assertIn("• make HeaderView._delegate weak\n", told)
        self.assertIn("incomplete: its tables are not known", told)

    def test_methods_are_found_by_calls_of_the_runtime(self):
        self.assertRegex(self.outside["loupe break '-[PhotoListController viewDidLoad]'"],
                         r"Breakpoint \d+: -\[PhotoListController viewDidLoad\] at 0x")
        self.assertIn("loupe_fixture_ready", self.outside["loupe backtraces"])

    def test_the_tool_says_the_same_where_the_plugin_is_refused(self):
        with tempfile.NamedTemporaryFile(suffix=".dylib") as file:
            said = ask("loupe doctor", *ABOUT, "strong-refs --incoming --timeout 120 seed", LEAKS,
                       LOUPE_PLUGIN=file.name)
        self.assertIn("the command-line tool, a process beside LLDB",
                      said["loupe doctor"])
        self.assertIn("not in the process", said["loupe doctor"])
        self.compare_with_expected(said)
        for question in ("strong-refs --incoming --timeout 120 seed", LEAKS):
            self.assertEqual(session.normalised(self.outside[question]), session.normalised(said[question]))

    def test_the_helper_is_loaded_by_dlopen_and_answers(self):
        said = ask("loupe inject --timeout 120", "image list libloupe_helper.dylib", "loupe doctor", *ABOUT,
                   "strong-refs --incoming --timeout 120 seed", "block-layout --probe block",
                   "loupe backtraces --engine helper")
        if version() < 17 and "no reason given" in said["errors"]:
            self.skipTest(ONLY_OLDER_DYLDS)
        self.assertIn("/libloupe_helper.dylib", said["image list libloupe_helper.dylib"])
        self.assertRegex(said["loupe doctor"], r"helper +in the process, version \d+")
        self.assertIn(", in-process", said["retain-cycles seed"])
        self.compare_with_expected(said)
        self.assertIn(" is leaked: only a retain cycle keeps it alive",
                      said["strong-refs --incoming --timeout 120 seed"])
        self.assertIn("Dispose probe: its helper releases 1 of them",
                      said["block-layout --probe block"])
        self.assertIn("Binary Images:", said["loupe backtraces --engine helper"])

    def test_nothing_is_loaded_where_the_thread_is_in_malloc(self):
        said = ask("breakpoint set --name calloc --shlib libsystem_malloc.dylib", "continue",
                   "loupe inject")
        self.assertIn("nothing can be loaded here: thread 1 is in malloc (calloc), and loading would "
                      "wait for it", said["errors"])

    def test_objects_are_watched_by_a_library_that_is_loaded(self):
        helper = pathlib.Path(os.environ["LOUPE_BOX_HELPER"])
        library = helper.parents[1] / "watch" / "libloupe_watch.dylib"
        said = ask("loupe watch --timeout 120 --after 60 seed", "loupe watch list", LOUPE_WATCH=library)
        if version() < 17 and "loupe watch list" not in said:
            self.skipTest(ONLY_OLDER_DYLDS)
        self.assertIn("should die within 60 s from now on",
                      said["loupe watch --timeout 120 --after 60 seed"], said["errors"])
        self.assertIn("1 object watched", said["loupe watch list"])
        self.assertIn("PhotoListController 0x", said["loupe watch list"])

    def test_history_watches_the_count_in_the_isa(self):
        said = ask("loupe history seed", "breakpoint delete --force 1", "continue", "loupe history")
        self.assertIn("(retain count 2). Continue, then run `loupe history`", said["loupe history seed"])
        self.assertRegex(said["loupe history"], "retain count 2 when it began")


if __name__ == "__main__":
    if lldb_server() is None:
        print("skipped: there is no lldb-server beside", session.debugger())
        sys.exit(SKIPPED)
    unittest.main()
