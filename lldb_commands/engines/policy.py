"""Who answers a question, and how the answer is fetched.

memory   the plugin in lldb reads from outside; nothing runs in the process; also on core files
helper   one call of a library inside the process, which takes no lock and allocates nothing
auto     the helper if it is in the process already, else the plugin, else (where lldb takes no
         plugins, as in Xcode) the helper, loaded now

In a breakpoint action auto takes the plugin before the helper: when an action runs code in the
process, lldb drops the actions of other threads that stopped at the same time.
"""
from __future__ import annotations

import dataclasses
from typing import Any, Dict

from ..context import Context
from ..errors import LoupeError
from . import arguments, helper, plugin
from .question import Question

Answer = Dict[str, Any]
PROTOCOL = 1


def ask(question: Question, context: Context, engine: str) -> Answer:
    """The answer, which may say status error. Raises LoupeError when no engine could be asked."""
    told = arguments.stack_pointer(context.stack_pointer) if context.stack_pointer else ""
    with_stack = arguments.joined([told, question.arguments])
    answer = _ask(dataclasses.replace(question, arguments=with_stack), context, engine)
    spoken = answer.get("loupe")
    if spoken != PROTOCOL:
        raise LoupeError(f"the {answer.get('engine')} engine speaks version {spoken} of the "
                         f"protocol, these commands version {PROTOCOL}: rebuild or reinstall both")
    return answer


def _ask(question: Question, context: Context, engine: str) -> Answer:
    if question.probe:
        engine = "helper"
    if engine == "memory":
        return plugin.ask(question, context)
    if engine == "helper":
        helper.inject(context)
        return helper.ask(question, context)
    has_helper = helper.is_loaded(context) and not context.is_core
    if has_helper and not question.in_action:
        return helper.ask(question, context)
    refusal = plugin.refusal(context.debugger)
    if refusal is None:
        return plugin.ask(question, context)
    if has_helper:
        return helper.ask(question, context)
    if context.is_core:
        raise LoupeError(f"a core file needs the plugin, and {refusal}; loupe doctor says more")
    helper.inject(context)
    return helper.ask(question, context)
