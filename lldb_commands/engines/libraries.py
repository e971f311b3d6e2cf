"""Where the plugin, the helper and the tool are: in the build tree beside this package, installed, or in a
wheel with it.

Nowhere else: what stands in some directory above may be anybody's. And what others can write is not
loaded, because it runs with the rights of the debugger.
"""
from __future__ import annotations

import os
from typing import List, Optional

from ..text import trust

_PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_SUFFIXES = (".dylib", ".so")
NAMES_OF_HELPER = tuple(f"libloupe_helper{suffix}" for suffix in _SUFFIXES)
_INSTALLED = os.path.join("share", "loupe", "lldb_commands")  # below the prefix, beside lib/loupe
_NATIVE = os.path.join(_PACKAGE, "native")  # in a wheel, all of it


def package() -> str:
    """The directory of these commands."""
    return _PACKAGE


def find(name: str) -> Optional[str]:
    """The path of `plugin`, `helper` or `tool`, or None. LOUPE_PLUGIN and the like go first."""
    for path in candidates(name):
        if os.path.isfile(path) and _objection(name, path) is None:
            return path
    return None


def refused(name: str) -> List[str]:
    """What is there and is not taken: each path and why."""
    found = [(path, _objection(name, path)) for path in candidates(name) if os.path.isfile(path)]
    return [f"{path} is not loaded: {why}" for path, why in found if why is not None]


def candidates(name: str) -> List[str]:
    """Every path that is tried, in order."""
    chosen = _chosen(name)
    if chosen:
        return [chosen]
    if name == "tool":
        return [_tool()]
    directory = os.path.join(os.path.dirname(_PACKAGE), "build", name)
    if os.path.isdir(_NATIVE):
        directory = _NATIVE
    elif _PACKAGE.endswith(os.sep + _INSTALLED):
        directory = os.path.join(_PACKAGE[:-len(_INSTALLED)], "lib", "loupe")
    return [os.path.join(directory, f"libloupe_{name}{suffix}") for suffix in _SUFFIXES]


def _tool() -> str:
    """The command-line tool, which runs beside lldb and not in it."""
    if os.path.isdir(_NATIVE):
        return os.path.join(_NATIVE, "loupe")
    if _PACKAGE.endswith(os.sep + _INSTALLED):
        return os.path.join(_PACKAGE[:-len(_INSTALLED)], "bin", "loupe")
    return os.path.join(os.path.dirname(_PACKAGE), "build", "cli", "loupe")


def _chosen(name: str) -> Optional[str]:
    return os.environ.get(f"LOUPE_{name.upper()}")


def _objection(name: str, path: str) -> Optional[str]:
    """Whoever can write this package needs no library to have code run in lldb."""
    return trust.objection(path, (os.stat(_PACKAGE).st_uid,), asked_for=bool(_chosen(name)))
