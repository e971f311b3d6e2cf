"""lldb's part of test_sessions.py: asks a question in rounds, and once more with all that was found.

Imported into a real lldb, after the commands. `loupe-test-rounds ENGINE QUERY EXPRESSION` prints JSON:
how many facts and rounds it took, and both answers without what they cost.
"""
import copy
import dataclasses
import json

import lldb

from lldb_commands.engines import arguments, policy
from lldb_commands.engines.question import LISTED, Question
from lldb_commands.members import rounds
from lldb_commands.session.context import at_stop


class Recording(policy.Session):
    """Keeps what is said and told."""

    made = None

    def __init__(self, *words):
        super().__init__(*words)
        Recording.made = self
        self.facts, self.last, self.surveys = [], None, 0

    def ask(self, facts):
        self.facts += facts
        answer = super().ask(facts)
        self.last = copy.deepcopy(answer)
        return answer

    def extend(self, facts):
        self.facts += facts
        self.surveys += 1
        return super().extend(facts)


def ask_twice(debugger, command, exe_ctx, result, _internal):
    engine, query, expression = command.split(None, 2)
    context = at_stop(debugger, exe_ctx, 120)
    address = context.frame.FindVariable(expression).GetValueAsUnsigned()
    told = arguments.EXPLAIN
    if query == "incoming-refs":
        told = arguments.joined([told, arguments.root("given", address)])
    question = Question(query, address, arguments=told)
    usual, policy.Session = policy.Session, Recording
    try:
        rounds.ask(question, context, engine)
    finally:
        policy.Session = usual
    made = Recording.made
    everything = arguments.joined([told, *made.facts, arguments.listed(LISTED)])
    at_once = policy.ask(dataclasses.replace(question, arguments=everything), context, engine)
    result.AppendMessage(json.dumps({
        "facts": len(made.facts), "surveys": made.surveys, "in_rounds": _without_costs(made.last),
        "at_once": _without_costs(at_once), "spent": [made.last["stats"], at_once["stats"]]}))
    result.SetStatus(lldb.eReturnStatusSuccessFinishResult)


def _without_costs(answer):
    return {name: value for name, value in answer.items() if name != "stats"}


def __lldb_init_module(debugger, _internal):
    debugger.HandleCommand("command script add -o -f rounds_twice.ask_twice loupe-test-rounds")
