"""loupe watch: objects that should die, told by the library that watches them inside the process.

It is loaded into the process like the helper, and does the same there as in a program that runs
without a debugger, by the same rules: a breakpoint on each of their methods would cost a thousand times
as much, and its condition would send messages while the other threads stand still.
"""
from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List, Optional

import lldb

from ..darwin import program
from ..engines import helper, libraries, locks, policy
from ..engines.question import Question
from ..errors import ANOTHER_STOP, LoupeError
from ..expressions.problems import first_line
from ..render.watched import HEADINGS, is_dead, row
from ..render.words import columns, plural
from ..session import only_memory
from ..session.context import Context

Describe = Callable[[int], Dict[str, Any]]
_MOST_TRIES = 20  # of the list, until the thread that has it gives it back
_MOST_COUNTED = 100  # objects of the list that are asked for their retain counts
_LONGEST_LIST = 64 << 20
_LEAST_TIME = 1.0  # a call that is cut off leaves locks taken
_REPORTED = "loupe_watch_reported"
_stops: Dict[int, int] = {}  # breakpoints at reports, by process


def watch_object(address: int, seconds: float, context: Context) -> str:
    """What to tell about it."""
    _load(context)
    _call("loupe_watch", "int (*)(const void *, double)",
          f"(const void *){address:#x}, {seconds!r}", context)
    return f"{address:#x} should die within {seconds:g} s from now on"


def follow_rules(files: str, context: Context) -> str:
    """The same of rules."""
    _load(context)
    _call("loupe_watch_rules", "int (*)(const char *)", _quoted(files), context)
    answer = _list(context)
    without = int(answer["rules_without_class"])
    missing = (f"; of {without} the class is not in the process yet" if without else "")
    return f"{plural(int(answer['rules']), 'rule')} followed{missing}"


def stay_silent(baseline: Optional[str], filters: Optional[str], context: Context) -> str:
    """About what these files know; either may be empty."""
    _load(context)
    for name, file in (("loupe_watch_baseline", baseline), ("loupe_watch_filters", filters)):
        if file:
            _call(name, "int (*)(const char *)", _quoted(os.path.abspath(file)), context)
    return f"silent about what {' and '.join(filter(None, (baseline, filters)))} knows"


def stop_at_reports(context: Context) -> str:
    """From now on the process stops where an object is reported, and says more about it."""
    number = _stops.get(context.process.GetUniqueID())
    if number is not None and context.target.FindBreakpointByID(number).IsValid():
        return "the process stops at reports already"
    breakpoint = context.target.BreakpointCreateByName(_REPORTED)
    commands = lldb.SBStringList()
    commands.AppendString("retain-cycles $arg1")
    breakpoint.SetCommandLineCommands(commands)
    _stops[context.process.GetUniqueID()] = int(breakpoint.GetID())
    return "the process stops at reports"


def listed(context: Context, describe: Describe) -> str:
    """All watched objects, one on a line."""
    if _image(context) is None:
        return _nothing_watched(context)
    answer = _list(context)
    objects: List[Dict[str, Any]] = answer["objects"]
    heading = (f"{plural(len(objects), 'object')} watched by {answer['sensor']}, "
               f"{plural(int(answer['rules']), 'rule')} followed")
    rows = [HEADINGS]
    for number, item in enumerate(objects):
        address = int(item["object"], 16)
        asked = number < _MOST_COUNTED
        thing = _dead(item, context) if is_dead(item) and asked else describe(address) if asked else {}
        rows.append(row(item, thing))
    beyond = len(objects) - _MOST_COUNTED
    more = [f"classes and retain counts of {beyond} more were not asked for"] if beyond > 0 else []
    return "\n".join([heading, *(columns(rows) if objects else []), *more])


def _dead(item: Dict[str, Any], context: Context) -> Dict[str, Any]:
    """Its class, of which only the address is left; what is at its own may be another object."""
    answer = policy.ask(Question("ivar-layout", int(str(item["class"]), 16)), context, "auto")
    name = (answer.get("class") or {}).get("name") if answer.get("status") != "error" else None
    return {"class": name} if name else {}


def forget(address: Optional[int], context: Context) -> str:
    """One object, or all objects and rules."""
    if _image(context) is None:
        return _nothing_watched(context)
    if address is None:
        _call("loupe_watch_stop", "void (*)()", "", context)
        return "nothing is watched any more"
    _call("loupe_watch_forget", "void (*)(const void *)", f"(const void *){address:#x}", context)
    return f"{address:#x} is not watched any more"


def _nothing_watched(context: Context) -> str:
    return ("nothing is watched: libloupe_watch is not in the process"
            + program.why_not_inserted(context))


# ---- The library in the process ----

def _image(context: Context) -> Optional[lldb.SBModule]:
    """The module that is the library; the program may have functions of the same names."""
    for module in context.target.module_iter():
        name = module.GetFileSpec().GetFilename() or ""
        if name.startswith("libloupe_watch."):
            return module
    return None


def _load(context: Context) -> None:
    only_memory.refuse()
    if context.is_core:
        raise LoupeError("a core file has no process whose objects could die: loupe suspects asks "
                         "about what should be dead")
    if _image(context) is not None:
        return
    path = libraries.find("watch")
    if path is None:
        refused = libraries.refused("watch")
        raise LoupeError(refused[0] if refused else
                         "libloupe_watch is not built or not where it is looked for: "
                         + ", ".join(libraries.candidates("watch")))
    _refuse_if_locked(context)
    reason = helper.load(path, context)
    if reason or _image(context) is None:
        raise helper.not_loaded(path, reason, "")


def _refuse_if_locked(context: Context) -> None:
    obstacle = locks.obstacle(context)
    if obstacle is not None:
        raise LoupeError(f"nothing can be watched from here: {obstacle}, and the runtime would wait for "
                         f"it; {ANOTHER_STOP}")


def _function(name: str, context: Context) -> int:
    module = _image(context)
    symbol = module.FindSymbol(name, lldb.eSymbolTypeCode) if module is not None else None
    address = symbol.GetStartAddress().GetLoadAddress(context.target) if symbol else 0
    if not symbol or address == lldb.LLDB_INVALID_ADDRESS:
        raise helper.other_version("libloupe_watch")
    return int(address)


def _call(name: str, form: str, arguments: str, context: Context) -> int:
    """Calls it with all threads running: the runtime's locks are taken. LoupeError: it refused."""
    _refuse_if_locked(context)
    refused = _evaluate(f"(({form}){_function(name, context):#x})({arguments})", name, context)
    if refused and form.startswith("int"):
        at = _evaluate(f"((const char *(*)()){_function('loupe_watch_problem', context):#x})()",
                       "loupe_watch_problem", context)
        raise LoupeError(_text(at, context))
    return refused


def _evaluate(expression: str, name: str, context: Context) -> int:
    value = context.evaluate(expression, cplusplus=True, all_threads=True, at_least=_LEAST_TIME,
                             stop_others=False, does="called libloupe_watch")
    error = value.GetError()
    if not error.Success() and error.GetError() != _NO_RESULT:
        raise LoupeError(f"{name} cannot be called here: {first_line(error)}")
    return int(value.GetValueAsUnsigned(0))


_NO_RESULT = 0x1001  # of a call that returns nothing


def _list(context: Context) -> Dict[str, Any]:
    """A thread that stopped with the list in its hands goes on with each question: all threads run."""
    function = _function("loupe_watch_list", context)
    # Cap: an error that says to try again.
    for _ in range(_MOST_TRIES):
        at = _evaluate(f"((const char *(*)()){function:#x})()", "loupe_watch_list", context)
        answer: Optional[Dict[str, Any]] = json.loads(_text(at, context))
        if answer is not None:
            return answer
    raise LoupeError("another thread is about to watch an object: try again")


def _text(address: int, context: Context) -> str:
    error = lldb.SBError()
    text = context.process.ReadCStringFromMemory(address, _LONGEST_LIST, error)
    if not error.Success():
        raise LoupeError(f"the library's answer cannot be read: {first_line(error)}")
    return str(text)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
