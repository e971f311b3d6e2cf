"""The folder of a session goes with it, however the session ends, and no other one does."""
import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Optional

from lldb_commands.heaps import session_folder

REPOSITORY = pathlib.Path(__file__).resolve().parents[4]
# LLDB ends without what Python's atexit was told.
SESSION = ("import os, sys\nfrom lldb_commands.heaps import session_folder\n"
           "name = os.path.join(session_folder.path(), '1.loupe')\n"
           "open(name, 'w').close()\nprint(name, flush=True)\nsys.stdin.read()\nos._exit(0)\n")


class SessionFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.parent = pathlib.Path(folder.name)

    def begin(self) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-c", SESSION], cwd=REPOSITORY, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
            env={**os.environ, "TMPDIR": str(self.parent), "PYTHONPATH": os.pathsep.join(sys.path)})

    def check_goes(self, end: Optional[signal.Signals]) -> None:
        with self.begin() as session:
            assert session.stdout and session.stdin
            name = pathlib.Path(session.stdout.readline().strip())
            self.assertEqual(0o700, name.parent.stat().st_mode & 0o777)
            self.assertTrue(name.exists())
            if end:
                session.send_signal(end)
            session.communicate()
        deadline = time.monotonic() + 60
        while any(self.parent.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual([], list(self.parent.iterdir()))

    def test_it_goes_when_the_session_ends(self) -> None:
        self.check_goes(None)

    def test_it_goes_when_the_session_is_killed(self) -> None:
        self.check_goes(signal.SIGKILL)

    def test_leftovers_go_and_what_is_in_use_stays(self) -> None:
        made = {}
        for name in ("dead", "alive", "begun"):
            made[name] = self.parent / f"loupe-session-{name}"
            made[name].mkdir()
            (made[name] / "1.loupe").write_text("")
            if name != "begun":
                (made[name] / "lock").write_text("")
        (self.parent / "loupe-session-link").symlink_to(made["begun"])
        (self.parent / "loupe-other").mkdir()
        with open(made["alive"] / "lock", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            session_folder.remove_leftovers(str(self.parent))
        self.assertEqual(["loupe-other", "loupe-session-alive", "loupe-session-begun",
                          "loupe-session-link"], sorted(os.listdir(self.parent)))
        self.assertTrue((made["begun"] / "1.loupe").exists())


if __name__ == "__main__":
    unittest.main()
