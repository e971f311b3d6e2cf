"""The commands about whole heaps: a snapshot of the stop, and the tool's answer about it."""
from __future__ import annotations

import dataclasses
import json
from typing import Dict, List, Tuple, Type, cast

import lldb

from .api import questions
from .command import Command, Values
from .commands import Query
from .errors import LoupeError, tool_ended
from .found import Found
from .heaps import root_lines, snapshots, tool
from .line import options
from .protocol import Answer, HeapAnswer, SnapshotCounts
from .render.words import plural
from .reporting import fixes, pictures
from .reporting.report import PICTURES
from .session.context import Context, at_stop
from .text import files
from .text.printable import printable_lines

_FORMS = ("html", "dot", "format", "append")  # options that draw
_FINDINGS = 100  # in a picture, where nobody says how many
# What is not passed on to the tool, although it has it.
_OWN = ("timeout", "output", "fail_if_found", "allow_incomplete", "help", "anchor", *_FORMS)


class HeapCommand(Query):
    """A verb of the tool, asked about this stop: of itself all that the table of verbs says."""

    has_fixes = False

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        values.setdefault("engine", "memory")
        context = at_stop(debugger, exe_ctx, values["timeout"])
        operands = self.operands(context, values, expression)
        files_asked = self.files(context, values)
        words = [*operands, *self.words(context, values)]
        if self.verb["shows_roots"]:
            files_asked = self.with_roots(files_asked, words, context)
        asked = [self.verb["name"], *files_asked, *words]
        drawn = ""
        if any(values.get(form) for form in _FORMS):
            reply, drawn = self.draw(asked, values, context)
            if values["format"]:
                return drawn, self.failure(reply, values)
        reply = tool.run(asked, context)
        if self.has_fixes:
            again = [word for word in asked if word != "--json"] + ["--json"]
            fixes.remember(debugger.GetID(), lambda: tool.run(again, fixes.Waiting(debugger)).text)
        complaint = reply.complaint.replace(files_asked[-1], "the heap of this stop").replace(
            "find FILE CLASS", "find CLASS")
        text, failure = self.deliver(dataclasses.replace(reply, complaint=complaint), values)
        return text if values["json"] else text + drawn, failure

    def with_roots(self, given: List[str], words: List[str], context: Context) -> List[str]:
        """The same files, with names for the roots that the answer shows: only these are named,
        since debug info is slow and roots are many."""
        first = tool.run([self.verb["name"], *given, *words, *([] if "--json" in words else ["--json"])],
                         context)
        try:
            answer: HeapAnswer = json.loads(first.text)
        except ValueError:
            return given
        names, named, *rest = given
        return [names, root_lines.write(named, answer, context), *rest]

    def operands(self, context: Context, values: Values, expression: str) -> List[str]:
        """What stands behind the file: the address of an object, or a word as it is."""
        if not expression or self.takes_words:
            return [expression] if expression else []
        return [f"{self.subject(expression, context, 'memory').address:#x}"]

    def files(self, context: Context, values: Values) -> List[str]:
        """The snapshot that is asked about, with the names of its blocks."""
        snapshot = snapshots.at_this_stop(context)
        return ["--names", snapshot.names, snapshot.path]

    def words(self, context: Context, values: Values) -> List[str]:
        """The options that the tool has too."""
        given: List[str] = []
        known = {option["name"] for option in self.verb["terminal"]["options"]}
        for option in self.options:
            value = values.get(option.key)
            if option.key in _OWN or option.long not in known or value is None or value is False:
                continue
            given += [f"--{option.long}"] if value is True else [f"--{option.long}", str(value)]
        if "filters" in values and not values["filters"]:
            file = questions.filter_file(None, context)
            given += ["--filters", file] if file else []
        return given

    def draw(self, words: List[str], values: Values, context: Context) -> Tuple[tool.Reply, str]:
        """Writes pictures of the answer and reports of it, and says where."""
        if values["append"] and not (values["format"] and values["output"]):
            raise LoupeError("--append goes with --format and --output", code="usage")
        limited = values.get("limit") is not None or "limit" not in values
        reply = tool.run([*words, *([] if limited else ["--limit", str(_FINDINGS)]), "--json"],
                         context)
        if not reply.is_answer():
            raise tool_ended(reply.complaint, reply.status)
        answer: HeapAnswer = json.loads(reply.text)
        if answer["status"] == "error":
            raise LoupeError(reply.complaint, cast(Answer, answer))
        said = ""
        for form in PICTURES:
            if values[form]:
                pictures.write(answer, "", form, values[form])
                said += f"\n{PICTURES[form]} written to {values[form]}"
        if values["format"] and values["output"]:
            pictures.write_report(answer, values, context.program)
            return reply, f"written to {values['output']}{said}"
        if values["format"]:
            return reply, pictures.report(answer, values, context.program).rstrip("\n") + said
        return reply, said

    def deliver(self, reply: tool.Reply, values: Values) -> Tuple[str, str]:
        if not reply.is_answer():
            raise tool_ended(reply.complaint, reply.status)
        shown = reply.text if values["json"] else printable_lines(reply.text)
        if values["json"] and json.loads(reply.text).get("status") == "error":
            raise LoupeError(reply.complaint, json.loads(reply.text))
        if values["output"]:
            files.write(values["output"], shown)
            shown = f"{shown.splitlines()[0] if not values['json'] else ''}\nwritten to " \
                    f"{values['output']}".lstrip("\n")
        return shown, self.failure(reply, values)

    def failure(self, reply: tool.Reply, values: Values) -> str:
        """As for rings: nothing of an incomplete answer passes a gate."""
        gate = values.get("fail_if_found") or \
            (values.get("baseline") and not values.get("write_baseline"))
        if not gate:
            return ""
        if reply.status == tool.FOUND:
            return Found(f"found {self.finds}")
        if reply.status == tool.INCOMPLETE:
            return "the answer is incomplete: allow more with --timeout, or pass with " \
                   "--allow-incomplete"
        return ""

    finds = "something"


class Find(HeapCommand):
    name = "loupe find"

    def operands(self, context: Context, values: Values, expression: str) -> List[str]:
        if not expression:
            raise LoupeError("missing PATTERN (usage: loupe find PATTERN, such as 'Photo*')", code="usage")
        return [expression]


class Leaks(HeapCommand):
    name = "loupe leaks"
    finds = "leaks"
    has_fixes = True


class Path(HeapCommand):
    name = "loupe path"

    def operands(self, context: Context, values: Values, expression: str) -> List[str]:
        return [] if values["to_class"] else super().operands(context, values, expression or "self")


class Show(HeapCommand):
    name = "loupe show"

    def operands(self, context: Context, values: Values, expression: str) -> List[str]:
        return super().operands(context, values, expression or "self")


class Gated(HeapCommand):
    """The tool fails only when it is told to."""

    def words(self, context: Context, values: Values) -> List[str]:
        gate = values["fail_if_found"] or values["baseline"]
        return [*super().words(context, values), *(["--fail-if-found"] if gate else [])]


class Cycles(Gated):
    name = "loupe cycles"
    finds = "retain cycles"
    has_fixes = True


class Suspects(Gated):
    name = "loupe suspects"
    finds = "suspects"


class Diff(HeapCommand):
    name = "loupe diff"

    def words_to_offer(self) -> List[str]:
        return snapshots.names_of_marks(self._debugger.GetSelectedTarget().GetProcess())

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        values["mark"] = expression
        return super().run(debugger, exe_ctx, values, "")

    def files(self, context: Context, values: Values) -> List[str]:
        older = [snapshot.path for _, snapshot in snapshots.since(context, values["mark"])]
        now = snapshots.at_this_stop(context)
        if older[-1] == now.path:  # the last mark was made here
            older.pop()
        if not older:
            raise LoupeError("the only mark is of this stop: let the process run before you compare")
        return ["--names", now.names, *older, now.path]


class Fix(Command):
    name = "loupe fix"

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        words = [*([expression] if expression else []),
                 *(f"--{name}" for name in ("apply", "force", "json") if values[name])]
        program = debugger.GetSelectedTarget().GetExecutable().fullpath or ""
        reply = fixes.written(debugger, program, words, options.path(values["source"]))
        if values["json"]:
            return reply.text, ""
        return printable_lines(reply.text), ""


class Mark(Command):
    name = "loupe mark"

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        name, snapshot = snapshots.mark(at_stop(debugger, exe_ctx, values["timeout"]), expression)
        counts: SnapshotCounts = snapshot.answer.get("snapshot") or {}
        return (f"mark {name}: {plural(int(counts.get('objects') or 0), 'object')}, "
                f"{plural(int(counts.get('raw_blocks') or 0), 'other allocation')}"), ""


class Snapshot(HeapCommand):
    name = "loupe snapshot"

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        if not expression:
            raise LoupeError("missing FILE (usage: loupe snapshot FILE)", code="usage")
        return super().run(debugger, exe_ctx, {**values, "output": None},
                           options.path(expression))

    def with_roots(self, given: List[str], words: List[str], context: Context) -> List[str]:
        """All of them: who opens the file has nobody to ask."""
        names, named, snapshot = given
        return [names, root_lines.write_all(named, snapshot, context), snapshot]


# ---- By their names ----

BY_NAME: Dict[str, Type[Command]] = {kind.name: kind for kind in (
    Cycles, Diff, Find, Fix, Leaks, Mark, Path, Show, Snapshot, Suspects)}
OTHERS: Type[Command] = HeapCommand
