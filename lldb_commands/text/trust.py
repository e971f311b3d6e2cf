"""Whose a file is: what others can write is no code to load and no rule to follow unasked.

Loupe is at work in directories of all kinds, /tmp too, and what it finds there decides what runs in
the debugger and what a report leaves out. So a file that nobody named has to belong to the user or
to root, and nobody else may be able to write it. Imports no lldb.
"""
from __future__ import annotations

import os
import stat
import sys
from typing import Iterator, Optional, Tuple

_GROUP_OF_ADMINISTRATORS = 80 if sys.platform == "darwin" else 0


def is_own(owner: int) -> bool:
    """Whether a file of that owner is the user's, or root's. Root by sudo is the user, too."""
    user = _user()
    asked_by = os.environ.get("SUDO_UID", "") if user == 0 else ""
    return owner in (0, user) or user is None or str(owner) == asked_by


def _user() -> Optional[int]:
    """None where files have no owners of that kind."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def others_can_write(found: os.stat_result) -> bool:
    if found.st_mode & stat.S_IWOTH:
        return True
    return bool(found.st_mode & stat.S_IWGRP) and not _is_private(found.st_gid, found.st_uid)


def _is_private(group: int, owner: int) -> bool:
    """Whether a group has no member but the owner and those who can become root anyway: on many
    systems each user has a group, and all that they write is writable for it."""
    if group in (0, _GROUP_OF_ADMINISTRATORS):
        return True
    try:
        import grp  # not on Windows
        import pwd
        members, user = grp.getgrgid(group), pwd.getpwuid(owner)
    except (ImportError, KeyError):
        return False
    return members.gr_name == user.pw_name and set(members.gr_mem) <= {user.pw_name}


def name_of(owner: int) -> str:
    try:
        import pwd
        return pwd.getpwuid(owner).pw_name
    except (ImportError, KeyError):
        return f"user {owner}"


def objection(path: str, owners: Tuple[int, ...] = (), asked_for: bool = False) -> Optional[str]:
    """Why the code in a file is not to be loaded, or None.

    owners are trusted beside the user and root. Somebody who can replace it, or a directory above,
    can write it as well. Of a file that was asked for by its path only the file itself counts.
    """
    try:
        real = os.path.realpath(path)
        found = os.stat(real)
        if others_can_write(found):
            return f"others can write it (chmod go-w {real})"
        if asked_for:
            return None
        if not is_own(found.st_uid) and found.st_uid not in owners:
            return f"it belongs to {name_of(found.st_uid)}"
        for place in dict.fromkeys([*_above(os.path.abspath(path)), *_above(real)]):
            above = os.stat(place)
            if others_can_write(above) and not above.st_mode & stat.S_ISVTX:
                return f"others can write {place}, where it stands"
            if not is_own(above.st_uid) and above.st_uid not in owners:
                return f"{place}, where it stands, belongs to {name_of(above.st_uid)}"
    except OSError as error:
        return error.strerror or "it cannot be read"
    return None


def _above(path: str) -> Iterator[str]:
    """The directories above a path."""
    while os.path.dirname(path) != path:
        path = os.path.dirname(path)
        yield path
