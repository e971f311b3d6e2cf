"""Who answers a question, and how the answer is fetched.

memory   the plugin in lldb reads from outside; nothing runs in the process; also on core files
helper   one call of a library inside the process, which takes no lock and allocates nothing
auto     the helper if it is in the process already, else the plugin, else (where lldb takes no
         plugins, as in Xcode) the helper, loaded now

In a breakpoint action auto takes the plugin before the helper: when an action runs code in the
process, lldb drops the actions of other threads that stopped at the same time.
"""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Union

from ..context import Context
from ..errors import LoupeError
from . import helper, known_to_lldb, plugin
from .question import Question

Answer = Dict[str, Any]
PROTOCOL = 1
_PATIENCE = 8  # rounds of the helper


def ask(question: Question, context: Context, engine: str) -> Answer:
    """The answer, which may say status error. Raises LoupeError when no engine could be asked."""
    for_helper = _is_for_helper(question, context, engine)
    question = known_to_lldb.told(question, context, for_helper)
    return _checked((helper if for_helper else plugin).ask(question, context))


class Session:
    """A question whose engine is told more while it is answered (core/session.h)."""

    def __init__(self, question: Question, context: Context, engine: str) -> None:
        for_helper = _is_for_helper(question, context, engine)
        self._question = known_to_lldb.told(question, context, for_helper)
        self._context = context
        self._facts: List[str] = []
        self._rounds = 0
        self._session: Union[helper.HelperSession, plugin.PluginSession]
        self._surveyor: Optional[plugin.PluginSession] = None  # in place of the session
        self._held: List[str] = []  # facts that it was told alone
        if for_helper:
            self._session = helper.HelperSession(self._question, context)
        else:
            self._session = plugin.PluginSession(self._question, context)

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
        """The helper begins anew each time, so where the rounds do not end, the plugin goes on if
        there is one: it looks at the same memory, and the helper still answers."""
        if self._surveyor is not None:
            self._held += facts
            return self._surveyor.extend(facts)
        if self._rounds < _PATIENCE or isinstance(self._session, plugin.PluginSession) or \
                plugin.refusal(self._context.debugger) is not None:
            return self._session.extend(facts)
        self._held += facts
        self._surveyor = plugin.PluginSession(self._question, self._context)
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


def _is_for_helper(question: Question, context: Context, engine: str) -> bool:
    """Whether the helper is to answer, which then is in the process; else the plugin is."""
    if question.probe:
        engine = "helper"
    if engine == "memory":
        return False
    if engine != "helper":
        has_helper = helper.is_loaded(context) and not context.is_core
        if has_helper and not question.in_action:
            return True
        refusal = plugin.refusal(context.debugger)
        if refusal is None or has_helper:
            return refusal is not None
        if context.is_core:
            raise LoupeError(f"a core file needs the plugin, and {refusal}; loupe doctor says more")
    helper.inject(context)
    return True
