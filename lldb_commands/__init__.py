"""Loupe in LLDB: why is this Objective-C object still alive?

    command script import /path/to/lldb_commands

adds retain-cycles, block-layout, ivar-layout, strong-refs and the `loupe` commands. The way of one
question through this package:

    commands      what was typed; in command one wrapper, so that nothing is ever raised into lldb
    options       the options in front; the rest of the line is the expression
    api/          one way to ask, for the commands and, as objects with types, for scripts
    expressions/  expression -> address
    filters       references that are meant to be, in a file
    members/      asks an engine, and again with what only debug info knows: C++ members
    engines/      address -> answer (JSON), by the plugin or by the helper in the process
    baseline      known rings, in a file; rings takes them out of the answer
    names/        names from debug info, for what will be printed
    report        answer -> the console and files, by render/: text, tables, a picture

    heaps/        snapshots of whole heaps, which the terminal's tool answers about (heap_commands)

Beside that line: context (the stop that a command was called at), errors, files, printable (the
filter for text that is shown), breakpoints, methods (`loupe break`), watch (`loupe watch`), formatters (blocks in `frame
variable`), doctor.
"""
from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any, Dict

if TYPE_CHECKING:
    import lldb

__version__ = "0.1.0"


def __lldb_init_module(debugger: lldb.SBDebugger, _internal: Dict[str, Any]) -> None:
    """Called by lldb at import. A second import reloads every module, so an update takes effect."""
    asked = getattr(sys.modules.get(__name__ + ".summary"), "sessions", {})
    for name in [name for name in sys.modules if name.startswith(__name__ + ".")]:
        del sys.modules[name]
        # `from . import x` would find the old module here.
        globals().pop(name[len(__name__) + 1:], None)
    importlib.import_module(__name__ + ".breakpoints")
    importlib.import_module(__name__ + ".commands").register(debugger, __name__)
    importlib.import_module(__name__ + ".heap_commands").register(debugger, __name__)
    importlib.import_module(__name__ + ".formatters").register(debugger, __name__)
    importlib.import_module(__name__ + ".summary").sessions.update(asked)
