"""Who answers a question, and how the answer is fetched.

memory   reads from outside; nothing runs in the process; also on core files. By the plugin in lldb, or
         where lldb takes none, as in Xcode, by the command-line tool, a process beside lldb (pipe)
helper   one call of a library inside the process, which takes no lock and allocates nothing; it is
         loaded unless it is there
auto     the helper if it is in the process already, else memory: nothing is ever loaded unasked

LOUPE_ENGINE=memory leaves only memory (only_memory.py).

In a breakpoint action auto never takes the helper: when an action runs code in the process, lldb
drops the actions of other threads that stopped at the same time.
"""
from __future__ import annotations

from typing import Callable, Dict, List, Optional, Protocol, Sequence, Tuple

import lldb

from ..errors import LoupeError
from ..protocol import Answer
from ..session import only_memory
from ..session.context import Context
from . import helper, known_to_lldb, pipe, plugin
from .question import Question

PROTOCOL = 1
_PATIENCE = 8  # rounds of the helper


class OpenQuestion(Protocol):
    """A question that one of the engines keeps open."""

    def ask(self, facts: Sequence[str]) -> Answer:
        ...

    def extend(self, facts: Sequence[str]) -> Optional[Answer]:
        ...

    def close(self) -> None:
        ...


HELPER, PLUGIN, PIPE = "helper", "plugin", "pipe"
_ASK: Dict[str, Callable[[Question, Context], Answer]] = {
    HELPER: helper.ask, PLUGIN: plugin.ask, PIPE: pipe.ask}
_OPEN: Dict[str, Callable[[Question, Context], OpenQuestion]] = {
    HELPER: helper.HelperSession, PLUGIN: plugin.PluginSession, PIPE: pipe.PipeSession}


def ask(question: Question, context: Context, engine: str) -> Answer:
    """The answer, which may say status error. Raises LoupeError when no engine could be asked."""
    asked = _engine_for(question, context, engine)
    question = known_to_lldb.told(question, context, asked == HELPER)
    return _checked(_ASK[asked](question, context))


def from_outside(debugger: lldb.SBDebugger) -> Tuple[str, str]:
    """PLUGIN or PIPE, and why not the plugin; or nothing, and why there is neither."""
    refusal = plugin.refusal(debugger)
    if refusal is None:
        return PLUGIN, ""
    no_tool = pipe.refusal()
    return (PIPE, refusal) if no_tool is None else ("", f"{refusal}; and {no_tool}")


class Session:
    """A question whose engine is told more while it is answered (core/session.h)."""

    def __init__(self, question: Question, context: Context, engine: str) -> None:
        self._engine = _engine_for(question, context, engine)
        self._question = known_to_lldb.told(question, context, self._engine == HELPER)
        self._context = context
        self._facts: List[str] = []
        self._rounds = 0
        self._session = _OPEN[self._engine](self._question, context)
        self._surveyor: Optional[OpenQuestion] = None  # in place of the session
        self._held: List[str] = []  # facts that it was told alone

    def ask(self, facts: Sequence[str]) -> Answer:
        """The answer with these facts and those before, as ask() gives it."""
        self._facts += facts
        held, self._held = self._held, []
        return _checked(self._session.ask([*held, *facts]))

    def extend(self, facts: Sequence[str]) -> Optional[Answer]:
        """What these facts lead to: an answer that lists undescribed members under `unread`, those
        at least that no answer listed before. None: the engine can list no more."""
        self._facts += facts
        self._rounds += 1
        answer = self._survey(facts)
        return None if answer is None else _checked(answer)

    def _survey(self, facts: Sequence[str]) -> Optional[Answer]:
        """The helper begins anew each time, so where the rounds do not end, an engine outside goes on
        if there is one: it looks at the same memory, and the helper still answers."""
        if self._surveyor is not None:
            self._held += facts
            return self._surveyor.extend(facts)
        if self._rounds < _PATIENCE or self._engine != HELPER:
            return self._session.extend(facts)
        outside, _ = from_outside(self._context.debugger)
        if not outside:
            return self._session.extend(facts)
        self._held += facts
        self._surveyor = _OPEN[outside](self._question, self._context)
        return self._surveyor.extend(self._facts)

    def close(self) -> None:
        self._session.close()
        if self._surveyor is not None:
            self._surveyor.close()


def _checked(answer: Answer) -> Answer:
    spoken = answer.get("loupe")
    if spoken != PROTOCOL:
        raise LoupeError(f"the {answer.get('engine')} engine speaks version {spoken} of the "
                         f"protocol, these commands version {PROTOCOL}: rebuild or reinstall both")
    return answer


def _engine_for(question: Question, context: Context, engine: str) -> str:
    """Who is to answer. The helper then is in the process."""
    if question.probe or engine == HELPER:
        helper.inject(context)
        return HELPER
    may_be_helper = engine != "memory" and not question.in_action and not context.is_core and \
        not only_memory.is_on()
    if may_be_helper and helper.is_loaded(context):
        return HELPER
    outside, why = from_outside(context.debugger)
    if not outside:
        raise LoupeError(_nobody(why, context))
    return outside


def _nobody(why: str, context: Context) -> str:
    if context.is_core:
        return f"a core file needs the plugin or the command-line tool: {why}; loupe doctor says more"
    return f"neither the plugin nor the command-line tool is available: {why}; loupe doctor says more, " \
           "--engine helper loads the helper into the process instead"
