"""The commands about whole heaps: a snapshot of the stop, and the tool's answer about it."""
from __future__ import annotations

import dataclasses
import json
from typing import Any, Dict, List, Tuple, Type

import lldb

from . import files, options, pictures
from .api import questions
from .command import Command, Values, add
from .commands import (ALLOW, APPEND, BASELINE, DOT, FAIL, FILTERS, FORMAT, HTML, WRITE_BASELINE,
                       Query)
from .context import Context, at_stop
from .errors import LoupeError
from .heaps import root_lines, snapshots, tool
from .options import Option
from .printable import printable_lines
from .report import PICTURES
from .render.words import plural

SHOWN = Option("limit", "show N; 0 shows all", short="n", value="N", read=options.any_count)
SORT = Option("sort", "what comes first: count, size or retained", value="WHAT",
              read=options.expression, choices=("count", "size", "retained"))
CLASS = Option("class", "only classes of that name; * stands for any text", value="PATTERN",
               read=options.expression)
SUBCLASSES = Option("subclasses", "those that inherit from them, too")
PATHS = Option("paths", "so many paths", short="n", value="N", read=options.count)
GROUP = Option("group", "add up by who allocated them", value="WHAT",
               read=options.expression, choices=("stack",))
KNOWN = Option("known", "show the known leaks of libraries, too")
TO_CLASS = Option("to-class", "to instances of that class", value="PATTERN",
                  read=options.expression)
RULES = Option("rules", "rules before those that come with loupe", value="FILE", read=options.path)
EXCLUDE = Option("exclude", "the same as --rules", value="FILE", read=options.path)
REDACT = Option("redact", "leave out texts of the program's data")
GATES = (FAIL, ALLOW, FILTERS, BASELINE, WRITE_BASELINE)
DRAW = (HTML, DOT, FORMAT, APPEND)
COMMON = (options.JSON, options.OUTPUT, options.HEAP_TIMEOUT, options.VERBOSE)
_OWN = ("timeout", "verbose", "output", "fail_if_found", "allow_incomplete", "help", "engine",
        *(option.key for option in DRAW))
_FINDINGS = 100  # in a picture, where nobody says how many


class HeapCommand(Query):
    """A verb of the tool, asked about this stop. Subclasses say verb, and what they take."""

    verb = ""
    takes = ""
    takes_words = True
    table: Tuple[Option, ...] = (*COMMON, SHOWN)
    shows_roots = False  # so that variables at their places are to be named

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        values.setdefault("engine", "memory")
        context = at_stop(debugger, exe_ctx, values["timeout"])
        operands = self.operands(context, values, expression)
        files_asked = self.files(context, values)
        words = [*operands, *self.words(context, values)]
        if self.shows_roots:
            files_asked = self.with_roots(files_asked, words, context)
        asked = [self.verb, *files_asked, *words]
        drawn = ""
        if any(values.get(option.key) for option in DRAW):
            reply, drawn = self.draw(asked, values, context)
            if values["format"]:
                return drawn, self.failure(reply, values)
        reply = tool.run(asked, context)
        complaint = reply.complaint.replace(files_asked[-1], "the heap of this stop")
        text, failure = self.deliver(dataclasses.replace(reply, complaint=complaint), values)
        return text if values["json"] else text + drawn, failure

    def with_roots(self, given: List[str], words: List[str], context: Context) -> List[str]:
        """The same files, with names for the roots that the answer shows: only these are named,
        since debug info is slow and roots are many."""
        first = tool.run([self.verb, *given, *words, *([] if "--json" in words else ["--json"])],
                         context)
        try:
            answer = json.loads(first.text)
        except ValueError:
            return given
        names, named, *rest = given
        return [names, root_lines.write(named, answer, context), *rest]

    def operands(self, context: Context, values: Values, expression: str) -> List[str]:
        """What stands behind the file: the address of an object, or a pattern as it is."""
        return [expression] if expression else []

    def object(self, context: Context, values: Values, expression: str) -> List[str]:
        return [f"{self.subject(expression, context, 'memory').address:#x}"] if expression else []

    def files(self, context: Context, values: Values) -> List[str]:
        """The snapshot that is asked about, with the names of its blocks."""
        snapshot = snapshots.at_this_stop(context)
        return ["--names", snapshot.names, snapshot.path]

    def words(self, context: Context, values: Values) -> List[str]:
        """The options that the tool has too."""
        given: List[str] = []
        for option in self.table:
            value = values.get(option.key)
            if option.key in _OWN or value is None or value is False:
                continue
            given += [f"--{option.long}"] if value is True else [f"--{option.long}", str(value)]
        if FILTERS in self.table and not values["filters"]:
            file = questions.filter_file(None, context)
            given += ["--filters", file] if file else []
        return given

    def draw(self, words: List[str], values: Values, context: Context) -> Tuple[tool.Reply, str]:
        """Writes pictures of the answer and reports of it, and says where."""
        if values["append"] and not (values["format"] and values["output"]):
            raise LoupeError("--append goes with --format and --output", code="usage")
        limited = values.get("limit") is not None or SHOWN not in self.table
        reply = tool.run([*words, *([] if limited else ["--limit", str(_FINDINGS)]), "--json"],
                         context)
        answer = json.loads(reply.text) if reply.text else {"status": "error"}
        if answer["status"] == "error":
            raise LoupeError(reply.complaint, answer if "error" in answer else None)
        said = ""
        for form in PICTURES:
            if values[form]:
                pictures.write(answer, "", form, values[form])
                said += f"\npicture written to {values[form]}"
        if values["format"] and values["output"]:
            pictures.write_report(answer, values["format"], values["output"],
                                  bool(values["append"]))
            return reply, f"written to {values['output']}{said}"
        if values["format"]:
            return reply, pictures.report(answer, values["format"]).rstrip("\n") + said
        return reply, said

    def deliver(self, reply: tool.Reply, values: Values) -> Tuple[str, str]:
        if not reply.text:
            raise LoupeError(reply.complaint or f"the tool ended with {reply.status}")
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
            return f"found {self.finds}"
        if reply.status == tool.INCOMPLETE:
            return "the answer is incomplete: allow more with --timeout, or pass with " \
                   "--allow-incomplete"
        return ""

    finds = "something"


class Heap(HeapCommand):
    name = "loupe heap"
    verb = "heap"
    short = "Say what memory is used for: objects by class, what they keep alive."
    about = ("Makes a snapshot of the whole heap at this stop, once, and counts it by class. The\n"
             "process does not run meanwhile, and nothing is run in it.")
    table = (*COMMON, SHOWN, SORT, CLASS)
    examples = (("loupe heap", "the largest first"), ("loupe heap --sort count --class 'My*'", ""))


class Find(HeapCommand):
    name = "loupe find"
    verb = "find"
    short = "List the instances of a class, those that keep most alive first."
    about = "Instances of classes by name, where * stands for any text."
    takes = "<pattern>"
    takes_class = True
    table = (*COMMON, SHOWN, SUBCLASSES)
    examples = (("loupe find PhotoScreen", ""), ("loupe find --subclasses NSView", ""))

    def operands(self, context: Context, values: Values, expression: str) -> List[str]:
        if not expression:
            raise LoupeError("say which class, as in loupe find 'Photo*'", code="usage")
        return [expression]


class Leaks(HeapCommand):
    name = "loupe leaks"
    verb = "leaks"
    short = "Find memory that leaks in the whole heap, without naming an object."
    about = ("What nothing that is alive leads to: objects, memory and retain cycles, equal ones\n"
             "together, with what each keeps; retain cycles that only stale words lead to; and\n"
             "objects that are retained more often than anything could release.\n\n"
             "It succeeds also if it finds leaks. With --fail-if-found they make it fail, so that\n"
             "`lldb -b` exits with 1; with --baseline those do that the file does not have. Both\n"
             "fail, too, if the answer is incomplete, unless --allow-incomplete is given.")
    table = (*COMMON, SHOWN, CLASS, GROUP, KNOWN, *GATES, *DRAW)
    examples = (("loupe leaks", ""), ("loupe leaks --fail-if-found", "at the end of a script"),
                ("loupe leaks --html leaks.html", "also a page of them"),
                ("loupe leaks --write-baseline known.txt", "record what is there"))
    finds = "leaks"


class Path(HeapCommand):
    name = "loupe path"
    verb = "path"
    shows_roots = True
    short = "Say why an object is alive: a shortest path from a root."
    about = "The shortest path of references from a root to an object."
    takes = "[<expr>]"
    takes_words = False
    table = (*COMMON, PATHS, TO_CLASS, RULES, EXCLUDE, *DRAW)
    examples = (("loupe path self", ""), ("loupe path -n 5 self->_items", "from different roots"),
                ("loupe path --to-class PhotoScreen", "to each instance"))

    def operands(self, context: Context, values: Values, expression: str) -> List[str]:
        return [] if values["to_class"] else self.object(context, values, expression or "self")


class Retained(HeapCommand):
    name = "loupe retained"
    verb = "retained"
    short = "Say what keeps most alive, or what one object alone keeps alive."
    about = "Without an object the largest dominators; with one what goes when it does."
    takes = "[<expr>]"
    takes_words = False
    table = (*COMMON, SHOWN, *DRAW)
    examples = (("loupe retained", ""), ("loupe retained self", ""))

    def operands(self, context: Context, values: Values, expression: str) -> List[str]:
        return self.object(context, values, expression)


class Cycles(HeapCommand):
    name = "loupe cycles"
    verb = "cycles"
    short = "Find all retain cycles (leaks) of the heap."
    about = ("All knots of objects that keep each other alive, leaked or held, with a ring of each\n"
             "and what to change; with an object those that it leads to.")
    takes = "[<expr>]"
    takes_words = False
    table = (*COMMON, SHOWN, *GATES, *DRAW)
    examples = (("loupe cycles", ""), ("loupe cycles self", "as retain-cycles self"))
    finds = "retain cycles"

    def operands(self, context: Context, values: Values, expression: str) -> List[str]:
        return self.object(context, values, expression)

    def words(self, context: Context, values: Values) -> List[str]:
        gate = values["fail_if_found"] or values["baseline"]
        return [*super().words(context, values), *(["--fail-if-found"] if gate else [])]


class Suspects(HeapCommand):
    name = "loupe suspects"
    verb = "suspects"
    shows_roots = True
    short = "List objects that rules say should be gone, and what holds them."
    about = "Objects that rules say should be gone although something holds them."
    table = (*COMMON, SHOWN, RULES, EXCLUDE, *DRAW)


class Diff(HeapCommand):
    name = "loupe diff"
    verb = "diff"
    short = "Compare the heap (what grew in memory) with what it was at a mark."
    about = ("What is new, gone and still there since a mark, by class; without one since all marks,\n"
             "the oldest first, and by how much each class grew from one to the next: mark, do the\n"
             "same thing again, mark, and so on. Then which leaks and retain cycles are new.")
    takes = "[<mark>]"
    table = (*COMMON, SHOWN, CLASS)
    examples = (("loupe mark", "before"), ("loupe diff", "after"), ("loupe diff start", "by name"))

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


class Mark(Command):
    name = "loupe mark"
    short = "Keep a snapshot of the heap, to compare with later."
    about = "Keeps a snapshot of this stop under a name, else a number, for loupe diff."
    takes = "[<name>]"
    takes_words = True
    table = (options.HEAP_TIMEOUT, options.VERBOSE)
    examples = (("loupe mark", ""), ("loupe mark before", ""))

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        name, snapshot = snapshots.mark(at_stop(debugger, exe_ctx, values["timeout"]), expression)
        counts: Dict[str, Any] = snapshot.answer.get("snapshot") or {}
        return (f"mark {name}: {plural(int(counts.get('objects') or 0), 'object')}, "
                f"{plural(int(counts.get('raw_blocks') or 0), 'other block')}"), ""


class Snapshot(HeapCommand):
    name = "loupe snapshot"
    verb = "snapshot"
    short = "Save a snapshot of the whole heap in a file."
    about = ("Writes what the other commands are answered from: `loupe leaks FILE` and the like ask\n"
             "it again, in a terminal and on other machines. The format follows from the name.")
    takes = "<file>"
    table = (options.JSON, options.HEAP_TIMEOUT, options.VERBOSE, REDACT)
    examples = (("loupe snapshot before.loupe", "for loupe leaks and the like, later"),
                ("loupe snapshot heap.html", "a page"),
                ("loupe snapshot heap.hprof", "for tools that read heap dumps"))

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        if not expression:
            raise LoupeError("say which file, as in loupe snapshot before.loupe", code="usage")
        return super().run(debugger, exe_ctx, {**values, "output": None},
                           options.path(expression))


COMMANDS: Tuple[Type[Command], ...] = (Heap, Find, Leaks, Path, Retained, Cycles, Suspects, Diff,
                                       Mark, Snapshot)


def register(debugger: lldb.SBDebugger, package: str) -> None:
    """Adds the commands, after those of commands.py."""
    for command in COMMANDS:
        for name in (command.name, command.name.replace(" ", "-")):
            add(debugger, f"{package}.heap_commands", command, name)
