"""loupe doctor: what was found, what was not, and what to do about it."""
from __future__ import annotations

import os
import platform
from typing import List, Tuple

import lldb

from . import __version__
from .darwin import loading, program
from .engines import helper, libraries, plugin, policy
from .errors import LoupeError
from .render.words import columns
from .session import only_memory
from .session.context import Context, at_stop
from .text import trust
from .text.printable import printable

_RUNTIMES = (
    ("Apple's libobjc", "libobjc.A.dylib", "objc_debug_isa_class_mask"),
    ("GNUstep's libobjc2", "", "__objc_load"),
    ("GCC's libobjc", "", "__objc_exec_class"),
    ("an Apple-layout runtime", "", "objc_debug_isa_class_mask"),
)


def examine(debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, verbose: bool) -> str:
    rows: List[Tuple[str, str]] = [
        ("Loupe", __version__),
        ("lldb", debugger.GetVersionString().splitlines()[0]),
        ("Python", platform.python_version()),
        ("commands", _commands()),
        ("plugin", _plugin(debugger)),
        ("tool", _tool()),
    ]
    try:
        context = at_stop(debugger, exe_ctx, 10)
    except LoupeError as error:
        rows += [("process", str(error)), ("helper", _helper_file()),
                 ("engine", _outside(debugger))]
    else:
        rows += [("process", _process(context)), ("runtime", runtime(context)),
                 ("helper", _helper(context)), ("engine", _engine(context)),
                 *_of_apple(context)]
    lines = columns([(name, printable(text)) for name, text in rows])
    if verbose:
        for name in ("plugin", "helper"):
            lines.append(f"places for the {name}, in order:")
            lines += [f"  {printable(path)}" for path in libraries.candidates(name)]
            lines += [f"  {printable(why)}" for why in libraries.refused(name)]
    return "\n".join(lines)


def _commands() -> str:
    """Whoever can write them has what they like run in lldb."""
    path = libraries.package()
    objection = trust.objection(os.path.join(path, "commands.py"), (os.stat(path).st_uid,))
    return path if objection is None else f"{path}, which is not safe: {objection}"


def _plugin(debugger: lldb.SBDebugger) -> str:
    path = libraries.find("plugin")
    why_not = plugin.refusal(debugger)
    if why_not is None:
        return f"loaded: {path or 'by another script'}"
    if path is None and libraries.refused("plugin"):
        return why_not
    hint = "; build it, or set LOUPE_PLUGIN to its path" if path is None else ""
    return f"not loaded: {why_not}{hint}"


def _tool() -> str:
    """Of whole heaps and pictures; it answers everything where there is no plugin."""
    path = libraries.find("tool")
    if path:
        return path
    refused = libraries.refused("tool")
    return refused[0] if refused else "not found: whole heaps, HTML pages, graphs, and questions without the " \
                                      "plugin need it (LOUPE_TOOL is its path)"


_OUTSIDE = {
    policy.PLUGIN: "the plugin in LLDB",
    policy.PIPE: "the command-line tool, a process beside LLDB, since the "
                 "plugin is not loaded",
    "": "none: neither the plugin nor the command-line tool is there; --engine helper loads the helper "
        "into the process",
}


def _engine(context: Context) -> str:
    """Who answers by default, and why."""
    outside = _outside(context.debugger)
    if context.is_core or only_memory.is_on() or not helper.is_loaded(context):
        return outside
    return f"the helper, since it is in the process; in breakpoint actions {outside}"


def _outside(debugger: lldb.SBDebugger) -> str:
    told = _OUTSIDE[policy.from_outside(debugger)[0]]
    return f"{told}; nothing runs in the program (LOUPE_ENGINE=memory)" if only_memory.is_on() else told


def _helper_file() -> str:
    path = libraries.find("helper")
    if path:
        return f"found: {path}"
    refused = libraries.refused("helper")
    return refused[0] if refused else \
        "not found: build it, or set LOUPE_HELPER to its path (-v lists the places)"


def _helper(context: Context) -> str:
    if helper.is_loaded(context):
        if context.is_core:
            return "in the core, where it cannot run"
        told = "" if only_memory.is_on() else f", version {helper.version(context)}"
        return f"in the process{told}"
    where = _helper_file()
    return where if context.is_core or not where.startswith("found") else \
        f"{where}; not in the process (loupe inject loads it)"


def _of_apple(context: Context) -> List[Tuple[str, str]]:
    """What an Apple system will do when a library of ours is to be loaded."""
    of_apple = program.of(context)
    if of_apple is None:
        return []
    signed = loading.signed_as(*of_apple)
    rows = [("signature", signed)] if signed else []
    library = None if helper.is_loaded(context) else libraries.find("helper")
    return rows + [("loading", text) for text in loading.obstacles(*of_apple, library)]


def _process(context: Context) -> str:
    kind = "core file" if context.is_core else "live"
    name = context.target.GetExecutable().GetFilename() or "no executable"
    return f"{name}, {kind}, {context.target.GetTriple()}"


def runtime(context: Context) -> str:
    """Which Objective-C runtime is in the process, by its symbols."""
    for name, module, symbol in _RUNTIMES:
        for match in context.target.FindSymbols(symbol):
            file = match.GetModule().GetFileSpec().GetFilename() or ""
            if not module or module == file:
                return f"{name} ({file})"
    return "no Objective-C runtime found"
