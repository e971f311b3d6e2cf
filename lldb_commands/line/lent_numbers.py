"""$loupe3 in lldb's own expressions: `p ((Feed *)$loupe3)->_items`, `po $loupe3`.

lldb names the results of expressions itself ($0, $1). A variable gets another name only by an
expression that declares it, for which lldb allocates memory in the process. So the numbers are
macros, in the file whose text lldb puts before each expression (target.expr-prefix): that takes
nothing from the process, and costs nothing before somebody uses one.
"""
from __future__ import annotations

import pathlib
from typing import Dict

import lldb

from ..heaps import session_folder

_SETTING = "target.expr-prefix"

_prefixes: Dict[int, str] = {}  # by debugger: what the file says that the user has set


def lend(debugger: lldb.SBDebugger, numbers: Dict[int, int]) -> None:
    """Makes the numbers known. Where no file can be written they are not, which hinders nobody."""
    try:
        ours = pathlib.Path(session_folder.path()) / f"numbers_{debugger.GetID()}.h"
        theirs = _prefix_of_user(debugger, ours)
        ours.write_text(theirs + "".join(_line(*entry) for entry in sorted(numbers.items())),
                        encoding="utf-8")
    except (OSError, ValueError):
        return
    # lldb reads a file anew when it is set, whatever its time says.
    lldb.SBDebugger.SetInternalVariable(_SETTING, str(ours), debugger.GetInstanceName())


def _line(number: int, address: int) -> str:
    """An object where the language of the expression has them."""
    return (f"#if __has_feature(objc_instancetype)\n#define $loupe{number} ((id){address:#x})\n"
            f"#else\n#define $loupe{number} ((void *){address:#x})\n#endif\n")


def _prefix_of_user(debugger: lldb.SBDebugger, ours: pathlib.Path) -> str:
    """What stands in the file that the user has set, which counts as before."""
    found = lldb.SBDebugger.GetInternalVariableValue(_SETTING, debugger.GetInstanceName())
    path = (found.GetStringAtIndex(0) or "").strip('"') if found.GetSize() else ""
    if path != str(ours):
        _prefixes[debugger.GetID()] = pathlib.Path(path).read_text(encoding="utf-8") + "\n" \
            if path else ""
    return _prefixes.get(debugger.GetID(), "")
