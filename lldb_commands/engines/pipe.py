"""The memory engine where lldb loads no plugin: the command-line tool, as a process of this Python.

`loupe engine` answers a question, and asks for the memory, symbols and threads that it wants to know
of: over a socket, in the messages of readers/piped/wire.h, served by seen_by_lldb.py. Nothing is
loaded into lldb, and nothing runs in the program. One process serves one stop after the other, and
begins anew at each.
"""
from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from typing import Iterator, List, Optional, Sequence

from ..protocol import Answer
from ..session.context import Context
from . import arguments, libraries
from .piped_tool import PipedTool
from .question import LISTED, Question
from .wire import Kind

_idle: List[PipedTool] = []  # at most one


def refusal() -> Optional[str]:
    """None if there is a tool to be asked, else why not."""
    if libraries.find("tool") is not None:
        return None
    refused = libraries.refused("tool")
    return refused[0] if refused else \
        "the command-line tool `loupe` is not built or not where it is looked for"


def ask(question: Question, context: Context) -> Answer:
    """One question to the tool."""
    with _lent(context) as tool:
        return tool.open(question, context, stays_open=False)[0]


class PipeSession:
    """A question that stays open in a process of its own. An expression that is evaluated meanwhile,
    as some formatters do, ends it: then it begins again, with all facts."""

    def __init__(self, question: Question, context: Context) -> None:
        listing = arguments.joined([question.arguments, arguments.listed(LISTED)])
        self._question = dataclasses.replace(question, arguments=listing)
        self._context = context
        self._facts: List[str] = []
        self._tool: Optional[PipedTool] = None
        self._is_open = False

    def ask(self, facts: Sequence[str]) -> Answer:
        return self._step(Kind.ASK, facts, "")

    def extend(self, facts: Sequence[str]) -> Answer:
        return self._step(Kind.EXTEND, facts, arguments.SURVEY)

    def close(self) -> None:
        if self._tool is not None:
            _give_back(self._tool)
        self._tool = None

    def _step(self, kind: Kind, facts: Sequence[str], wish: str) -> Answer:
        self._facts += facts
        if self._tool is None:
            self._tool = _take(self._context)
        elif not self._tool.is_for(self._context):
            self._tool.begin(self._context)
            self._is_open = False
        if self._is_open:
            answer, self._is_open = self._tool.go_on(kind, facts, self._context)
            return answer
        text = arguments.joined([self._question.arguments, wish, *self._facts])
        answer, self._is_open = self._tool.open(
            dataclasses.replace(self._question, arguments=text), self._context, stays_open=True)
        return answer


# ---- Which process ----

@contextmanager
def _lent(context: Context) -> Iterator[PipedTool]:
    tool = _take(context)
    try:
        yield tool
    finally:
        _give_back(tool)


def _take(context: Context) -> PipedTool:
    """The idle one, or a new one: one that is in use, by a question of another thread or one that
    stays open, is left alone."""
    tool = _pop_idle() or PipedTool(context)
    if not tool.is_for(context):
        tool.begin(context)
    return tool


def _pop_idle() -> Optional[PipedTool]:
    try:
        tool = _idle.pop()
    except IndexError:
        return None
    if tool.is_running() and tool.path in libraries.candidates("tool"):
        return tool
    tool.end()
    return None


def _give_back(tool: PipedTool) -> None:
    if tool.is_over or _idle:
        tool.end()
    else:
        _idle.append(tool)
