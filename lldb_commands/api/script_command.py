"""Commands that a script adds: none of them seems to have gone well because lldb passed over what went
wrong in it."""
from __future__ import annotations

import functools
import traceback
from typing import Any, Callable, Dict

import lldb

from ..errors import LoupeError
from ..session import batch

Body = Callable[[lldb.SBDebugger, str, lldb.SBExecutionContext, lldb.SBCommandReturnObject,
                 Dict[str, Any]], None]


def command(body: Body) -> Body:
    """Around the function of a command. An exception is its error line, for which `lldb -b` ends with 2;
    result.SetError() in it is that something was found, which makes 1."""
    @functools.wraps(body)
    def guarded(debugger: lldb.SBDebugger, line: str, exe_ctx: lldb.SBExecutionContext,
                result: lldb.SBCommandReturnObject, internal: Dict[str, Any]) -> None:
        try:
            body(debugger, line, exe_ctx, result, internal)
        except LoupeError as error:
            result.SetError(str(error))
            batch.end(debugger, result)
        except BaseException:  # also SystemExit: lldb would go on with the next command of a batch
            result.SetError(traceback.format_exc().strip())
            batch.end(debugger, result)
    return guarded
