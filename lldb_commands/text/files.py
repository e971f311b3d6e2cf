"""Text files that people name, or keep beside their sources. Imports no lldb.

Read whole, but no more than a bound, and only from plain files: a pipe never ends, and a device does
things when it is opened. Written whole. An error says which file.
"""
from __future__ import annotations

import contextlib
import os
import stat
from typing import List

from ..errors import LoupeError
from . import trust

LONGEST = 16 << 20


class Foreign(LoupeError):
    """The file is another user's, or one that others can write."""


def lines(path: str, what: str, longest: int = LONGEST, asked_for: bool = True) -> List[str]:
    """The lines of a file; what it is to the reader ("the baseline") goes into the message.

    A file that was not asked for by its name may be Foreign. One that was may be anybody's, unless a
    link leads to it.
    """
    try:
        with open(_open(path, what, asked_for), "rb") as file:
            content = file.read(longest + 1)
    except OSError as error:
        raise LoupeError(f"cannot read {what} {path}: {error.strerror}") from None
    if len(content) > longest:
        raise LoupeError(f"cannot read {what} {path}: it is larger than {longest >> 20} MB")
    try:
        text = content.decode("utf-8-sig")
    except ValueError:
        raise LoupeError(f"cannot read {what} {path}: it is not UTF-8 text") from None
    # Not str.splitlines(): where it ends a line, an editor does not, and shows a comment.
    return text.replace("\r\n", "\n").split("\n")


def _open(path: str, what: str, asked_for: bool) -> int:
    """A descriptor of a plain file that may be read."""
    _check(os.stat(path), path, what, asked_for)
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        _check(os.fstat(file), path, what, asked_for)  # it may be another one by now
    except BaseException:
        os.close(file)
        raise
    return file


def _check(found: os.stat_result, path: str, what: str, asked_for: bool) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise LoupeError(f"cannot read {what} {path}: it is a directory")
    if not stat.S_ISREG(found.st_mode):
        raise LoupeError(f"cannot read {what} {path}: it is not a plain file")
    owner = trust.name_of(found.st_uid)
    if not trust.is_own(found.st_uid) and os.path.islink(path):
        raise Foreign(f"cannot read {what} {path}: it is a link to a file of {owner}; name the "
                      "file itself")
    if not asked_for and not trust.is_own(found.st_uid):
        raise Foreign(f"it belongs to {owner}")
    if not asked_for and trust.others_can_write(found):
        raise Foreign("others can write it")


def remove(path: str) -> None:
    """Takes away a plain file that was to be written anew; what else is there stays."""
    with contextlib.suppress(OSError):
        if stat.S_ISREG(os.lstat(path).st_mode):
            os.unlink(path)


def _create(path: str) -> int:
    """A new file takes the place of one of that name, and of a link, which somebody else may have put
    there; but what /dev and /proc name, as /dev/stdout, is the system's."""
    flags = os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    if path.startswith("/proc/") or path.startswith("/dev/") and not path.startswith("/dev/shm/"):
        return os.open(path, flags | os.O_CREAT | os.O_TRUNC, 0o600)
    flags |= getattr(os, "O_NOFOLLOW", 0)
    with contextlib.suppress(FileNotFoundError):
        kind = os.lstat(path).st_mode
        if not stat.S_ISREG(kind) and not stat.S_ISLNK(kind):
            return os.open(path, flags)
        os.unlink(path)
    return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o600)


def write(path: str, text: str) -> None:
    """For its owner alone: there are texts of the program in it. Devices are written to as well; a
    pipe that nobody reads is an error, not a long wait."""
    try:
        file = _create(path)
        if hasattr(os, "set_blocking"):
            os.set_blocking(file, True)
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(text if text.endswith("\n") else text + "\n")
    except OSError as error:
        raise LoupeError(f"cannot write {path}: {error.strerror}") from None
