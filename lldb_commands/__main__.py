"""Lets every lldb of this user load the commands: one line in ~/.lldbinit.

    python -m lldb_commands --install
    python -m lldb_commands --uninstall
"""
from __future__ import annotations

import argparse
import os
import stat
import sys
import tempfile
from typing import List

from . import __version__
from .engines import libraries

COMMENT = "# Loupe. `python -m lldb_commands --uninstall` takes this line and the next one out."
_FAILURE = 2  # exit status, as of all of Loupe: 1 is for what was found


class Refusal(Exception):
    """Why nothing was changed."""


def line() -> str:
    """What loads this package, wherever lldb is started."""
    package = libraries.package()
    if not package.isprintable():
        raise Refusal(f"lldb cannot name this folder in a command: {package!a}")
    quoted = package.replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\`")
    return f'command script import "{quoted}"'


def without(lines: List[str]) -> List[str]:
    """All lines but ours: the comment, and the import behind it."""
    kept: List[str] = []
    is_behind = False
    for text in lines:
        is_ours = text == COMMENT or (is_behind and text.startswith("command script import "))
        is_behind = text == COMMENT
        if not is_ours:
            kept.append(text)
    return kept


# ---- The file ----


def read(path: str) -> str:
    """Nothing where there is not a file. Bytes that are no text come back as they were."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Refusal(f"{path} is not a file")
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except OSError as problem:
        raise Refusal(f"{path} cannot be read: {problem.strerror}") from problem


def write(path: str, text: str) -> None:
    """At once and as it was otherwise: mode, and the link that led there."""
    real = os.path.realpath(path)
    mode = stat.S_IMODE(os.stat(real).st_mode) if os.path.exists(real) else 0o644
    try:
        if os.path.exists(real) and not os.access(real, os.W_OK):
            raise PermissionError(13, "it is write-protected")
        handle, beside = tempfile.mkstemp(prefix=".lldbinit-", dir=os.path.dirname(real))
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape",
                           newline="") as file:
                file.write(text)
            os.chmod(beside, mode)
            os.replace(beside, real)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError as problem:
        raise Refusal(f"{path} cannot be written: {problem.strerror}") from problem


def remove(path: str) -> None:
    """A file with nothing in it, which --install may have made."""
    try:
        os.unlink(path)
    except OSError as problem:
        raise Refusal(f"{path} cannot be removed: {problem.strerror}") from problem


def change(path: str, install: bool) -> bool:
    """Whether anything had to be changed."""
    before = read(path)
    end = "\r\n" if "\r\n" in before else "\n"
    lines = before.split(end)
    ends_in_line = lines[-1] != ""
    kept = without(lines)
    if install and line() in kept:
        return False  # somebody wrote it
    if install:
        kept = kept[:-1] if not ends_in_line else kept
        kept += [COMMENT, line(), ""]
    after = end.join(kept)
    if after == before:
        return False
    if not after and not os.path.islink(path):
        remove(path)
    else:
        write(path, after)
    return True


# ---- The command ----


def missing() -> List[str]:
    """What the commands cannot do without, and how they are told where it is."""
    return [f"the {name} was not found: set LOUPE_{name.upper()} to its path"
            for name in ("plugin", "helper") if libraries.find(name) is None]


def run(path: str, install: bool) -> str:
    changed = change(path, install)
    if install:
        said = f"{path} loads Loupe" + ("" if changed else ", as it did before")
        return "\n".join([said, *missing()])
    return f"{path} does not load Loupe any more" if changed else f"{path} has no line of ours"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lldb_commands",
                                     description="Loads Loupe in every lldb of yours, or not.")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--install", action="store_true", help="write the line into ~/.lldbinit")
    which.add_argument("--uninstall", action="store_true", help="take it out again")
    which.add_argument("--print", action="store_true", help="show the line")
    which.add_argument("--version", action="version", version=__version__)
    parser.add_argument("--file", default=os.path.join(os.path.expanduser("~"), ".lldbinit"),
                        help="another file than ~/.lldbinit")
    chosen = parser.parse_args()
    try:
        print(line() if chosen.print else run(chosen.file, chosen.install))
    except Refusal as refusal:
        print(f"loupe: {refusal}; nothing was changed", file=sys.stderr)
        return _FAILURE
    return 0


def tool() -> None:
    """The command-line tool of a wheel, in place of this program."""
    path = libraries.find("tool")
    if path is None:
        print("loupe: this package has no command-line tool: it is in wheels of releases, or build it",
              file=sys.stderr)
        sys.exit(_FAILURE)
    os.execv(path, ["loupe", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
