"""Where the plugin and the helper are: in the build tree beside this package, or installed."""
from __future__ import annotations

import glob
import os
from typing import List, Optional

_PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_SUFFIXES = (".dylib", ".so")
_LEVELS = 3  # prefix/share/loupe/lldb_commands is three below the prefix


def package() -> str:
    """The directory of these commands."""
    return _PACKAGE


def find(name: str) -> Optional[str]:
    """The path of `plugin` or `helper`, or None. LOUPE_PLUGIN and LOUPE_HELPER go first."""
    for path in candidates(name):
        if os.path.isfile(path):
            return path
    return None


def candidates(name: str) -> List[str]:
    """Every path that is tried, in order."""
    chosen = os.environ.get(f"LOUPE_{name.upper()}")
    if chosen:
        return [chosen]
    above = os.path.dirname(_PACKAGE)
    directories = [os.path.join(above, "build", name)]
    for _ in range(_LEVELS):
        directories += [os.path.join(above, "lib", "loupe"), os.path.join(above, "lib")]
        # Debian's lib/x86_64-linux-gnu
        directories += sorted(glob.glob(os.path.join(glob.escape(above), "lib", "*-*")))
        above = os.path.dirname(above)
    return [os.path.join(directory, f"libloupe_{name}{suffix}")
            for directory in directories for suffix in _SUFFIXES]
