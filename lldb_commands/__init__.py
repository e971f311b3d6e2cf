"""Loupe in LLDB: why is this Objective-C object still alive?

    command script import /path/to/lldb_commands

adds retain-cycles, block-layout, ivar-layout, strong-refs and the `loupe` commands. The way of one
question through this package:

    verbs         what can be asked, and every option: verbs.json, the table of verbs/
    registered    the commands as lldb knows them; all below is loaded when one is used first
    command       the one wrapper around them, so that nothing is ever raised into lldb
    commands      what each does
    line/         the options in front; the rest of the line is the expression
    api/          one way to ask, for the commands and, as objects with types, for scripts
    expressions/  expression -> address
    members/      asks an engine, and again with what only debug info knows: C++ members
    engines/      address -> answer (JSON), by the plugin or by the helper in the process
    names/        names from debug info, for what will be printed
    reporting/    answer -> the console and files: its text by answers/, or a picture, without rings and
                  references that files of the project know

    heaps/        snapshots of whole heaps, which the terminal's tool answers about (heap_commands)

Beside that line: session/ (the stop that a command was called at), errors, text/ (files, and the
filter for text that is shown), breakpoints, running/ (`loupe break`, `loupe watch`, `loupe history`),
variables/ (blocks in `frame variable`), crashes (what to ask after one), doctor.
"""
from __future__ import annotations

import importlib
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Set

    import lldb

__version__ = "0.1.0"
_LOADED_WHEN_NAMED = ("api", "breakpoints", "crashes")  # for breakpoint actions, hooks, scripts
_HOOKED: Set[int] = globals().get("_HOOKED", set())  # debuggers: one hook, however often imported


def __lldb_init_module(debugger: lldb.SBDebugger, _internal: Dict[str, Any]) -> None:
    """Called by lldb at import. A second import reloads every module, so an update takes effect."""
    asked = getattr(sys.modules.get(__name__ + ".reporting.summary"), "sessions", {})
    for name in [name for name in sys.modules if name.startswith(__name__ + ".")]:
        del sys.modules[name]
        # `from . import x` would find the old module here.
        globals().pop(name[len(__name__) + 1:], None)
    importlib.import_module(__name__ + ".registered").register(debugger, __name__)
    importlib.import_module(__name__ + ".variables.formatters").register(debugger, __name__)
    if debugger.GetID() not in _HOOKED:
        importlib.import_module(__name__ + ".registered").ask_after_crashes(debugger, __name__)
        _HOOKED.add(debugger.GetID())
    if asked:
        importlib.import_module(__name__ + ".reporting.summary").sessions.update(asked)


def __getattr__(name: str) -> Any:
    if name in _LOADED_WHEN_NAMED:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
