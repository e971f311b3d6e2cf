"""The exit status of `lldb -b`, which is 1 for any command that fails: that is left to those that found
what they were asked to fail for. All others have it end with 2."""
from __future__ import annotations

import ctypes
import sys
from typing import List

import lldb

_INCOMPLETE = 2  # also bad input, and out of memory: as of the tool


def fail(debugger: lldb.SBDebugger, result: lldb.SBCommandReturnObject) -> None:
    """Of a command that failed: ends lldb with 2, where the batch is to end with the command anyway.

    Elsewhere nothing happens: at a prompt, in a script that looks at the result itself, and where
    whoever made the debugger has no use for a status.
    """
    if not _is_asked_by_a_script():
        end(debugger, result)


def end(debugger: lldb.SBDebugger, result: lldb.SBCommandReturnObject) -> None:
    """The same of a command that a script added: it is further out than whoever asked."""
    interpreter = debugger.GetCommandInterpreter()
    if _is_interactive(interpreter) or not is_batch(_arguments()):
        return
    interpreter.SetPromptOnQuit(False)  # the answer would be the next command of the batch
    said = lldb.SBCommandReturnObject()
    interpreter.HandleCommand(f"quit {_INCOMPLETE}", said, False)
    if said.GetStatus() == lldb.eReturnStatusQuit:
        result.SetStatus(lldb.eReturnStatusQuit)


def _is_interactive(interpreter: lldb.SBCommandInterpreter) -> bool:
    """A batch is, too, once what it ran has crashed. LLDB 14 does not tell: its batches end with 1."""
    return not hasattr(interpreter, "IsInteractive") or interpreter.IsInteractive()


def is_batch(arguments: List[str]) -> bool:
    """Whether these are lldb's with -b. What stands behind -- is the program's."""
    own = arguments[1:arguments.index("--")] if "--" in arguments else arguments[1:]
    return any(argument in ("-b", "--batch") for argument in own)


def _is_asked_by_a_script() -> bool:
    """Python that called lldb, which called this command, is further out among the frames."""
    outermost = sys._getframe()
    while outermost.f_back is not None:
        outermost = outermost.f_back
    return outermost.f_globals.get("__package__") != __package__.rpartition(".")[0]


def _arguments() -> List[str]:
    """Of this process: those that Python has are its own, and not lldb's."""
    if sys.platform == "darwin":
        system = ctypes.CDLL(None)
        count = ctypes.cast(system._NSGetArgc, ctypes.CFUNCTYPE(ctypes.POINTER(ctypes.c_int)))()
        texts = ctypes.cast(system._NSGetArgv, ctypes.CFUNCTYPE(
            ctypes.POINTER(ctypes.POINTER(ctypes.c_char_p))))()
        return [(texts.contents[number] or b"").decode("utf-8", "replace")
                for number in range(count.contents.value)]
    try:
        with open("/proc/self/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read().split("\0")
    except OSError:
        return []
