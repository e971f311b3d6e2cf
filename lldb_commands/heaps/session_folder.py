"""A folder for the files of one session of LLDB, which goes with it, however it ends. Imports no lldb.

LLDB's Python never runs what atexit was told, and a session may be killed. So a shell waits for the
end of a pipe that this process alone has, and removes the folder then. Should it be killed too, the
next session removes what the last one left behind: nobody has its lock any more.
"""
from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
from typing import Optional

try:
    import fcntl
except ImportError:  # no locks there, and nothing is removed that may be in use
    fcntl = None  # type: ignore[assignment]

_PREFIX, _LOCK = "loupe-session-", "lock"
_folder = ""
_keeper: "Optional[subprocess.Popen[bytes]]" = None


def path() -> str:
    """Of a folder that nobody else can read: a snapshot has texts of the program in it."""
    global _folder  # pylint: disable=global-statement
    if not _folder or not os.path.isdir(_folder):
        remove_leftovers(tempfile.gettempdir())
        _folder = tempfile.mkdtemp(prefix=_PREFIX)
        _lock(os.path.join(_folder, _LOCK))
        _remove_at_end(_folder)
    return _folder


def remove_leftovers(parent: str) -> None:
    """Folders of our own whose sessions have ended."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(parent):
            if entry.name.startswith(_PREFIX) and _is_left_over(entry):
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_left_over(entry: "os.DirEntry[str]") -> bool:
    try:
        about = entry.stat(follow_symlinks=False)
        if fcntl is None or not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
            return False
        lock = os.open(os.path.join(entry.path, _LOCK), os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False  # one that has no lock yet is about to be used
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return False
    finally:
        os.close(lock)


def _lock(name: str) -> None:
    """Stays open, and locked, as long as this process."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    lock = os.open(name, flags, 0o600)
    if fcntl is not None:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_at_end(folder: str) -> None:
    global _keeper  # pylint: disable=global-statement
    with contextlib.suppress(OSError):
        _keeper = subprocess.Popen(  # pylint: disable=consider-using-with
            ["/bin/sh", "-c", 'cat; rm -rf -- "$0"', folder], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
