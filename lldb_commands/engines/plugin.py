"""The memory engine where lldb takes plugins: the native command `loupe-engine` of the plugin, loaded on first use."""
from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import itertools
import json
import os
import tempfile
from typing import Dict, Iterator, List, Optional, Sequence

import lldb

from ..errors import LoupeError
from ..protocol import Answer
from ..session.context import Context
from . import arguments, libraries
from .question import LISTED, Question

_LONGEST_ON_LINE = 1 << 12
_numbers = itertools.count(1)  # of sessions
_A_FUNCTION = "_ZN4lldb10SBDebugger21GetCommandInterpreterEv"

# By debugger: None once it is loaded, else why not. Xcode and lldb-dap have several debuggers.
_refusals: Dict[int, Optional[str]] = {}


def refusal(debugger: lldb.SBDebugger) -> Optional[str]:
    """Loads the plugin unless that was tried before. None if it is there, else why it is not."""
    key = debugger.GetID()
    if key not in _refusals:
        _refusals[key] = _load(debugger)
    return _refusals[key]


def _load(debugger: lldb.SBDebugger) -> Optional[str]:
    interpreter = debugger.GetCommandInterpreter()
    result = lldb.SBCommandReturnObject()
    interpreter.HandleCommand("help loupe-engine", result)
    if result.Succeeded():
        return None
    path = libraries.find("plugin")
    if path is None:
        refused = libraries.refused("plugin")
        return refused[0] if refused else "the plugin is not built or not where it is looked for"
    if not _symbols_are_seen():
        return f"{path} would not find the functions of the lldb that this Python has loaded"
    quoted = path.replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\`")
    result = lldb.SBCommandReturnObject()
    interpreter.HandleCommand(f'plugin load "{quoted}"', result)
    if not result.Succeeded():
        reason = (result.GetError() or "no reason given").strip().replace("error: ", "", 1)
        return f"lldb does not load {path}: {reason}"
    return None


def _symbols_are_seen() -> bool:
    """Whether the plugin will find lldb's functions, which the loader looks up when they are first
    called: where it does not, the process ends. A Python that imports lldb hides them from all
    but itself, until they are asked for."""
    if _is_seen(_A_FUNCTION):
        return True
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(getattr(lldb, "_lldb").__file__, os.RTLD_NOLOAD | os.RTLD_GLOBAL)
    return _is_seen(_A_FUNCTION)


def _is_seen(name: str) -> bool:
    try:
        return bool(getattr(ctypes.CDLL(None), name))
    except AttributeError:
        return False


def ask(question: Question, context: Context) -> Answer:
    """One question to the plugin."""
    return _run(_opening(question), question.arguments, context)


class PluginSession:
    """A question that stays open in the plugin. An expression that is evaluated in the process, as
    some formatters do, ends it there: then it begins again, with all facts."""

    def __init__(self, question: Question, context: Context) -> None:
        listing = arguments.joined([question.arguments, arguments.listed(LISTED)])
        self._question = dataclasses.replace(question, arguments=listing)
        self._context = context
        self._facts: List[str] = []
        self._number = next(_numbers)
        self._stop: Optional[int] = None  # where it was opened

    def ask(self, facts: Sequence[str]) -> Answer:
        return self._step("ask", facts, self._question)

    def extend(self, facts: Sequence[str]) -> Answer:
        surveying = arguments.joined([self._question.arguments, arguments.SURVEY])
        return self._step("extend", facts,
                          dataclasses.replace(self._question, arguments=surveying))

    def close(self) -> None:
        if self._stop is not None:
            _run_on(self._context, f"loupe-engine close --session {self._number}")

    def _step(self, verb: str, facts: Sequence[str], question: Question) -> Answer:
        self._facts += facts
        stop = self._context.process.GetStopID(True)
        if stop == self._stop:
            return _run(f"{verb} --session {self._number}", arguments.joined(facts), self._context)
        self._stop = stop
        text = arguments.joined([question.arguments, *self._facts])
        answer = _run(f"{_opening(question)} --session {self._number}", text, self._context)
        if not answer.get("unread"):
            self._stop = None  # the plugin keeps what can go on, and nothing else
        return answer


def _opening(question: Question) -> str:
    limit = f" --limit {question.limit}" if question.limit else ""
    rings = f" --max-rings {question.max_rings}" if question.max_rings else ""
    file = f" --file {_quoted(question.file)}" if question.file else ""
    return f"{question.query} --address {question.address:#x}{limit}{rings}{file}"


def _quoted(path: str) -> str:
    """A word for lldb, whatever is in it."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\`")
    return f'"{escaped}"'


def _run(words: str, text: str, context: Context) -> Answer:
    why_not = refusal(context.debugger)
    if why_not is not None:
        raise LoupeError(f"the engine memory is not available: {why_not}. Use --engine helper; loupe doctor says more")
    command = f"loupe-engine {words} --timeout {context.seconds_for_engine():.4f}"
    with _option_of(text) as option:
        result = _run_on(context, command + option)
    reply = (result.GetOutput() or "").strip()
    if not reply.startswith("{"):
        reason = (result.GetError() or reply or "it printed nothing").strip()
        raise LoupeError(f"the plugin gave no answer: {reason.replace('error: ', '', 1)}")
    answer: Answer = json.loads(reply)
    return answer


@contextlib.contextmanager
def _option_of(text: str) -> Iterator[str]:
    """The option that hands arguments over; in a file if they are too long for a command line."""
    if len(text) <= _LONGEST_ON_LINE:
        yield f' --with "{text}"' if text else ""
        return
    handle, path = tempfile.mkstemp(prefix="loupe-", suffix=".txt")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(text)
        yield f" --with-file {_quoted(path)}"
    finally:
        os.unlink(path)


def _run_on(context: Context, command: str) -> lldb.SBCommandReturnObject:
    """A native command is told no target and takes the selected one: so ours is, meanwhile."""
    debugger = context.debugger
    selected = debugger.GetSelectedTarget()
    debugger.SetSelectedTarget(context.target)
    result = lldb.SBCommandReturnObject()
    try:
        debugger.GetCommandInterpreter().HandleCommand(command, result)
    finally:
        debugger.SetSelectedTarget(selected)
    return result
