"""The commands but for those about whole heaps: what each is called, its options and help."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Tuple, Type

import lldb

from . import (backtraces, breakpoints, doctor, files, gates, history, methods, options,
               recorded_history, report, summary, told, watch)
from .api import questions
from .api.questions import CycleOptions, Subject
from .command import Command, Values, add, first_accepted
from .context import Context, at_stop
from .engines import helper, policy
from .engines.policy import Answer
from .engines.question import Question
from .errors import LoupeError
from .expressions import resolve
from .names import debug_names
from .options import Option
from .printable import printable, printable_answer, printable_lines
from .render import history as history_report
from .render import places
from .render.cycles import found
from .render.style import from_environment
from .render.words import plural

RINGS = Option("max-rings", "rings shown per knot (default 1)", short="n", value="N",
               read=options.count, default=0)
LIMIT = Option("limit", "walk at most N objects (default one million)", value="N",
               read=options.count, default=0)
DOT = Option("dot", "also write a picture for Graphviz to FILE", value="FILE", read=options.path)
HTML = Option("html", "also write a page for browsers to FILE", value="FILE", read=options.path)
FORMAT = Option("format", "a report for CI instead: github, sarif or junit", value="FORMAT",
                read=options.expression, choices=("github", "sarif", "junit"))
APPEND = Option("append", "with --format: behind the reports that --output has")
QUIET = Option("quiet", "silent if nothing is found; each ring only once",
               short="q")
REPEAT = Option("repeat", "with -q: also rings that were printed before")
FAIL = Option("fail-if-found", "fail if there is something to find (see below)")
ALLOW = Option("allow-incomplete", "do not fail because the answer is incomplete")
KNOWN = Option("baseline", "silent about rings that are in FILE", value="FILE", read=options.path)
HIDING = Option("filters", "silent about what only references in FILE keep alive", value="FILE", read=options.path)
FILTERS = Option("filters", "hide what FILE lists (default .loupe-filters)",
                 value="FILE", read=options.path)
BASELINE = Option("baseline", "only what is not in FILE; fail if there is something",
                  value="FILE", read=options.path)
WRITE_BASELINE = Option("write-baseline", "record what is found in FILE, with what --baseline has",
                        value="FILE", read=options.path)
EXPLAIN = Option("explain", "also weak and unretained references, and why")
ALL = Option("all", "the whole heap, with no object named", short="a")
CYCLES_TIMEOUT = Option("timeout", "give up after SECONDS (default 10, with --all 120)", short="t",
                        value="SECONDS", read=options.seconds)
INCOMING = Option("incoming", "who holds the object, instead of what it holds")
FROM = Option("from", "with --incoming: only what EXPR leads to; repeatable",
              value="EXPR", read=options.expression, repeat=True)
PLACES = Option("verbose", "also where the plugin and the helper are looked for", short="v")
TRACE = Option("verbose", "say where an internal error came from", short="v")
AFTER = Option("after", "how long it may live (default 2)", value="SECONDS",
               read=options.seconds, default=2.0)
RULES = Option("rules", "follow the rules of FILE", value="FILE", read=options.path)
STOP = Option("stop", "stop where an object is reported")
NO_LONGER = Option("stop", "tell, and watch no longer")
FRAMES = Option("verbose", "whole stacks", short="v")
PROBE = Option("probe", "also run the dispose helper on a fake block")
PROBE_IVARS = Option("probe", "also run .cxx_destruct on a fake instance")
_RINGS_IN_PICTURE = 16


class Query(Command):
    """A command that asks an engine about the object that an expression leads to."""

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        context = at_stop(debugger, exe_ctx, values["timeout"])
        about = self.subject(expression, context, values["engine"])
        return self.show(self.ask(about, values), about, values)

    find_subject = staticmethod(questions.subject)

    def subject(self, expression: str, context: Context, engine: str) -> Subject:
        try:
            return self.find_subject(expression, context, engine)
        except LoupeError as error:
            misplaced = options.behind(expression, self.table)
            hint = f"; options such as {misplaced} come before the expression" if misplaced else ""
            raise LoupeError(f"{error}{hint}") from None

    def ask(self, about: Subject, values: Values) -> Answer:
        raise NotImplementedError

    def show(self, answer: Answer, about: Subject, values: Values) -> Tuple[str, str]:
        questions.name(answer, about)
        debugger = about.context.debugger
        style = from_environment(debugger.GetUseColor(), debugger.GetTerminalWidth())
        return report.deliver(answer, style, _asked(about.name), values), ""


def _asked(expression: str) -> str:
    """What to call the object in the first line; a bare address is there anyway."""
    text = expression or "self"
    return "" if text[0].isdigit() or len(text) > 40 else text


class RetainCycles(Query):
    name = query = "retain-cycles"
    short = "Find retain cycles (leaks) that keep an Objective-C object alive."
    about = ("Walks everything the object keeps alive, and shows each retain cycle as a path\n"
             "with names, whether it is leaked, and what to make weak. Without an expression\n"
             "it asks about self. With --all it looks at the whole heap, and those that are\n"
             "alike are one; a snapshot of the stop is made for that, once.\n\n"
             "It succeeds also if nothing is found. With --fail-if-found a retain cycle makes\n"
             "the command fail, so that `lldb -b` stops and exits with 1; with --baseline\n"
             "a ring does that the file does not have, unless --write-baseline records it.\n"
             "Both fail, too, if nothing was found so far and the walk is incomplete, unless\n"
             "--allow-incomplete is given.\n"
             "--filters none hides nothing, not even what Loupe hides by itself.")
    table = (options.ENGINE, options.JSON, options.OUTPUT, CYCLES_TIMEOUT, options.VERBOSE, ALL, RINGS,
             LIMIT, DOT, HTML, FORMAT, APPEND, QUIET, REPEAT, FAIL, ALLOW, FILTERS, EXPLAIN,
             BASELINE, WRITE_BASELINE)
    examples = (("retain-cycles", "about self"),
                ("retain-cycles self->_delegate", "about an ivar"),
                ("retain-cycles --all", "of the whole heap"),
                ("retain-cycles -n 5 0x600003a04000", "up to five rings a knot"),
                ("retain-cycles --html leak.html self", "a page with the ring to try cuts on"),
                ("retain-cycles --dot knot.dot self", "a picture for Graphviz"),
                ("retain-cycles -q --timeout 2 self", "in a breakpoint action"),
                ("retain-cycles -j -o rings.json --fail-if-found self", "in CI"),
                ("retain-cycles --format sarif -o leaks.sarif self", "for code scanning"),
                ("retain-cycles --explain self", "also rings that weak references prevent"),
                ("retain-cycles --filters ours.txt self", "ignore intended references"),
                ("retain-cycles --write-baseline known.txt self", "record what is there"),
                ("retain-cycles --baseline known.txt self", "only new ones, failing"))

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        if not values["all"]:
            values["timeout"] = values["timeout"] or options.TIMEOUT.default
            return super().run(debugger, exe_ctx, values, expression)
        self.check_all(values, expression)
        values["timeout"] = values["timeout"] or options.HEAP_TIMEOUT.default
        about = Subject(0, at_stop(debugger, exe_ctx, values["timeout"]), "memory", "--all")
        return self.show(self.ask(about, values), about, values)

    def check_all(self, values: Values, expression: str) -> None:
        """What goes with an object only."""
        for given, why in ((expression, f"--all looks at the whole heap: leave out {expression}"),
                           (values["limit"], "--limit ends a walk, and --all is none: leave one out"),
                           (values["explain"], "--explain goes with an object: leave out --all"),
                           (values["engine"] == "helper", "--all reads from outside: leave out "
                                                          "--engine")):
            if given:
                raise LoupeError(why, code="usage")

    def ask(self, about: Subject, values: Values) -> Answer:
        pictured = values["dot"] or values["html"]
        rings = max(values["max_rings"], _RINGS_IN_PICTURE) if pictured else values["max_rings"]
        asked = CycleOptions(
            rings=rings, limit=values["limit"], explain=bool(values["explain"]),
            filters=values["filters"], baseline=values["baseline"],
            write_baseline=values["write_baseline"], in_action=bool(values["quiet"]))
        return questions.all_cycles(about.context, asked) if values["all"] else \
            questions.retain_cycles(about, asked)

    def show(self, answer: Answer, about: Subject, values: Values) -> Tuple[str, str]:
        context = about.context
        compares = values["baseline"] and not values["write_baseline"]
        failure = gates.failure(answer, bool(values["fail_if_found"] or compares),
                                bool(values["allow_incomplete"]))
        if any(found(answer)):
            debug_names.add_names(answer, context)  # for the summary, whatever is shown now
        summary.note_answer(context.debugger.GetID(), about.name or "self", answer,
                            accepted=bool(values["write_baseline"]))
        if values["quiet"] and not breakpoints.is_news(answer, context, values["repeat"]):
            return "", failure
        if not (values["json"] or values["output"]):
            told.mark(answer, (context.process.GetUniqueID(), context.process.GetStopID()))
        text, _ = super().show(answer, about, values)
        written = answer.get("baseline_written")
        if written and (values["output"] or not values["json"]):
            text += f"\nbaseline written to {written['file']}: {plural(written['rings'], 'ring')}"
        return text, failure

    def note_failure(self, debugger: lldb.SBDebugger, line: str, reason: str) -> None:
        summary.note_failure(debugger.GetID(), line or "self", reason)


class BlockLayout(Query):
    name = query = "block-layout"
    short = "Show what a block captures: names, types, offsets, ownership."
    about = ("Shows where a block was written, its signature, and every captured variable\n"
             "with its offset, size, type, ownership and value, and which evidence says so.\n"
             "Reads memory only, unless --probe is given.")
    takes = "<expr>"
    table = (*options.COMMON, PROBE)
    examples = (("block-layout handler", "a local variable"),
                ("block-layout self->_completion", ""),
                ("block-layout --probe 0x600000c04b40", "compare with its helper"))

    def ask(self, about: Subject, values: Values) -> Answer:
        return questions.block_layout(about, bool(values["probe"]))


class IvarLayout(Query):
    name = query = "ivar-layout"
    short = "Show an object's or a class's ivars with their ownership."
    about = ("Shows each class of the hierarchy with its ivars: offset, size, type, ownership,\n"
             "and the value if an object was given; and the runtime's layout strings, decoded.\n"
             "Reads memory only, unless --probe is given.")
    takes = "<expr or class name>"
    takes_class = True
    table = (*options.COMMON, PROBE_IVARS)
    examples = (("ivar-layout self", ""),
                ("ivar-layout PhotoViewController", "a class by name"),
                ("ivar-layout --probe self", "compare with what is destroyed"))

    find_subject = staticmethod(questions.class_or_object)

    def subject(self, expression: str, context: Context, engine: str) -> Subject:
        try:
            return super().subject(expression, context, engine)
        except LoupeError as error:
            named = resolve.is_name(expression) and "$" not in expression
            no_class = f", and no class is named {expression}" if named else ""
            raise LoupeError(f"{error}{no_class}") from None

    def ask(self, about: Subject, values: Values) -> Answer:
        return questions.ivar_layout(about, bool(values["probe"]))


class StrongRefs(Query):
    name = query = "strong-refs"
    short = "List what an object holds strongly, or who keeps (leaks) it alive."
    about = ("Lists what the object (or block) keeps alive, by kind and name. With --incoming\n"
             "the other way round: who holds it, each holder with a shortest path from a root,\n"
             "and how far that explains the retain count. Roots are globals, stacks and\n"
             "registers, or only the objects given with --from.")
    table = (*options.COMMON, INCOMING, FROM, EXPLAIN, LIMIT)
    examples = (("strong-refs self", ""), ("strong-refs self->_items", "what an array holds"),
                ("strong-refs --incoming self", "why it is alive"),
                ("strong-refs --explain self", "weak and unretained references, too"),
                ("strong-refs --incoming --from app self", "only holders reachable from app"))

    def ask(self, about: Subject, values: Values) -> Answer:
        explain, limit = bool(values["explain"]), values["limit"]
        if values["incoming"]:
            roots = [self.subject(text, about.context, about.engine) for text in values["from"]]
            return questions.incoming_refs(about, roots, explain, limit)
        if values["from"]:
            raise LoupeError("--from goes with --incoming")
        return questions.strong_refs(about, explain, limit)


class Summary(Command):
    name = "loupe summary"
    query = "summary"
    short = "Say what the questions about cycles of this session found."
    about = ("Counts all questions to retain-cycles of this session, also those of breakpoint\n"
             "actions, and lists each cycle that they found once. With --fail-if-found it\n"
             "fails if one found a cycle (unless --write-baseline recorded it), had no\n"
             "answer or was incomplete, and if nothing was asked at all: for the end of a\n"
             "script for `lldb -b`, which ends at the first command that fails.")
    takes = ""
    takes_words = True
    table = (options.JSON, options.OUTPUT, FAIL, ALLOW, TRACE)
    examples = (("loupe summary --fail-if-found", "the last command of a script"),)

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        session = summary.of(debugger.GetID())
        style = from_environment(debugger.GetUseColor(), 0)
        text = summary.in_words(session, style.unicode)
        shown = report.as_json(summary.answer_of(session)) if values["json"] else text
        if values["output"]:
            files.write(values["output"], shown)
            shown = f"{text.splitlines()[0]}\nwritten to {values['output']}"
        failure = summary.failure(session, bool(values["allow_incomplete"])) \
            if values["fail_if_found"] else ""
        return shown, failure


class Backtraces(Command):
    name = "loupe backtraces"
    query = "backtraces"
    short = "Say where threads are, as crash reports do."
    about = ("Says where all threads are, or the ones named: main, a number from 0, the\n"
             "system's id, or a name. By lldb's unwinder, or with --engine helper by the one that\n"
             "programs have without a debugger (docs/stacks.md).")
    takes = "[<thread>]"
    takes_words = True
    table = (options.ENGINE, options.JSON, options.OUTPUT, options.TIMEOUT, TRACE)
    examples = (("loupe backtraces", "all threads"),
                ("loupe backtraces main", "the one that the process began with"),
                ("loupe backtraces -j -o stacks.json", "for a program"))

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        context = at_stop(debugger, exe_ctx, values["timeout"])
        answer = backtraces.ask(context, values["engine"], expression)
        shown = report.as_json(answer) if values["json"] else \
            backtraces.as_text(printable_answer(answer))
        if values["output"]:
            files.write(values["output"], shown)
            shown = f"{plural(len(answer['threads']), 'thread')}\nwritten to {values['output']}"
        return shown, ""


class Doctor(Command):
    name = "loupe doctor"
    short = "Say what Loupe found: lldb, runtime, plugin, helper."
    about = "Says which parts of Loupe are found and loaded, and why not."
    takes = ""
    takes_words = True
    table = (PLACES,)

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        return doctor.examine(debugger, exe_ctx, values["verbose"]), ""


class Inject(Command):
    name = "loupe inject"
    short = "Load the helper library into the process now."
    about = ("Loads the helper, which then answers for --engine auto and helper. Loading\n"
             "runs the dynamic loader in the process for a moment, on all threads; where one\n"
             "is in malloc, the loader or the runtime it is refused.")
    takes = ""
    takes_words = True
    table = (options.TIMEOUT, TRACE)

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        path = helper.inject(at_stop(debugger, exe_ctx, values["timeout"]))
        return (f"loaded {printable(path)}" if path else "the helper is in the process already"), ""


class Break(Command):
    name = "loupe break"
    short = "Set a breakpoint at an Objective-C method, also in a stripped program."
    about = ("Asks the runtime where the code of the method is, and sets a breakpoint there: for\n"
             "methods that lldb has no name for, on GNUstep and in stripped programs. One that\n"
             "is inherited is said to be. Needs a live process whose classes are loaded, and\n"
             "calls functions of the runtime in it; where a thread is in malloc, the loader or\n"
             "the runtime it is refused.")
    takes = "<method>"
    table = (options.TIMEOUT, TRACE)
    examples = (("loupe break '-[NSWindow close]'", "of instances"),
                ("loupe break '+[NSDate date]'", "of the class"))

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        context = at_stop(debugger, exe_ctx, values["timeout"])
        return methods.set_breakpoint(expression, context), ""


class Watch(Command):
    name = "loupe watch"
    short = "Be told when an object that should have died lives on."
    about = ("Watches an object: alive after its time it is reported, with the ring that keeps it\n"
             "alive, on the program's standard error; --stop stops there, and asks for names from\n"
             "debug information. With --rules the objects are found by rules, as in programs that\n"
             "run without a debugger; FILE may be uikit, appkit or gnustep. `list` shows what is\n"
             "watched, `delete` ends it, of one object or of all. Loads libloupe_watch into the\n"
             "process; where a thread is in malloc, the loader or the runtime it is refused.")
    takes = "[<expr> | list | delete [<expr>]]"
    table = (AFTER, RULES, STOP, KNOWN, HIDING, options.TIMEOUT, TRACE)
    examples = (("loupe watch self", "should be dead in two seconds"),
                ("loupe watch --after 0.5 self->_request", ""),
                ("loupe watch --rules uikit --stop", "screens that live on"),
                ("loupe watch list", "age, state, retain count"),
                ("loupe watch delete", "nothing any more"))

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        context = at_stop(debugger, exe_ctx, values["timeout"])
        verb, _, rest = expression.partition(" ")
        if verb == "list" and not rest:
            return printable_lines(watch.listed(context, _counted(context))), ""
        if verb == "delete":
            address = _address(rest.strip(), context) if rest.strip() else None
            return printable_lines(watch.forget(address, context)), ""
        told = []
        if values["baseline"] or values["filters"]:
            told.append(watch.stay_silent(values["baseline"], values["filters"], context))
        if values["rules"]:
            told.append(watch.follow_rules(values["rules"], context))
        if expression or not (told or values["stop"]):
            told.append(watch.watch_object(_address(expression, context), values["after"], context))
        if values["stop"]:
            told.append(watch.stop_at_reports(context))
        return printable_lines("\n".join(told)), ""


def _address(expression: str, context: Context) -> int:
    return questions.subject(expression, context).address


def _counted(context: Context) -> Any:
    """Class and retain count of an object, as far as they can be told."""
    def of(address: int) -> Dict[str, Any]:
        answer = policy.ask(Question("strong-refs", address, limit=1), context, "auto")
        found: Dict[str, Any] = (answer.get("objects") or {}).get(f"{address:#x}") or {}
        return found
    return of


class History(Command):
    name = "loupe history"
    short = "Record who retains and releases an object, from now on."
    about = ("Watches the count of the object while the program runs on: each retain, release,\n"
             "autorelease and weak store with its stack, until the object is freed. Without an\n"
             "expression it tells what was seen so far, and which retain has no release.\n"
             "It takes one of the processor's watchpoints for each object; --stop ends it.\n\n"
             "Where libloupe_record recorded the object from its beginning on (LOUPE_RECORD=Class),\n"
             "that is told at once, also on a core.")
    takes = "[<expr>]"
    table = (options.ENGINE, options.JSON, options.TIMEOUT, NO_LONGER, FRAMES)
    examples = (("loupe history self->_cache", "from now on; then continue"),
                ("loupe history", "what was seen"))

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        if not expression:
            return self.tell(debugger, exe_ctx, values), ""
        context = at_stop(debugger, exe_ctx, values["timeout"])
        address = questions.subject(expression, context, values["engine"]).address
        recorded = recorded_history.of(context, address, expression, values["engine"])
        if recorded:
            return self.show(debugger, [recorded], values), ""
        begun = history.begin(context, address, expression, values["engine"])
        return (f"{begun.subject} is watched from now on, retain count {begun.before}: continue, then "
                "loupe history tells what was seen"), ""

    def tell(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext,
             values: Values) -> str:
        seen = history.of_process(exe_ctx.GetProcess())
        if not seen:
            raise LoupeError("no object of this process is watched: loupe history EXPR begins")
        process = exe_ctx.GetProcess()
        context = Context(debugger, process.GetTarget(), process, exe_ctx.GetThread(),
                          exe_ctx.GetFrame())
        for item in seen:
            if values["stop"]:
                item.end("not watched any more")
        return self.show(debugger, [item.record(context) for item in seen], values)

    def show(self, debugger: lldb.SBDebugger, records: List[Dict[str, Any]],
             values: Values) -> str:
        if values["json"]:
            return json.dumps(history_report.as_json(records), separators=(",", ":"))
        style = from_environment(debugger.GetUseColor(), debugger.GetTerminalWidth())
        texts = []
        for told in records:
            record = printable_answer(told, style.unicode)
            places.name_files(record, bool(values["verbose"]), os.getcwd())
            texts.append(history_report.history(record, style, bool(values["verbose"])))
        return "\n\n".join(texts)


# ---- Registration ----

QUERIES: Tuple[Type[Query], ...] = (RetainCycles, BlockLayout, IvarLayout, StrongRefs)
CONTAINED: Tuple[Type[Command], ...] = (Backtraces, Break, Doctor, History, Inject, Summary, Watch)


def register(debugger: lldb.SBDebugger, package: str) -> None:
    """Adds the commands. A second time overwrites them."""
    for command in QUERIES:
        add(debugger, f"{package}.commands", command, command.name)
    first_accepted(debugger, ["command container add -o -h \"Parts of Loupe.\" loupe",
                               "command container add -h \"Parts of Loupe.\" loupe"])
    for inner in CONTAINED:
        add(debugger, f"{package}.commands", inner, inner.name)
        # In one word, too: debug consoles take the first of two for a variable.
        add(debugger, f"{package}.commands", inner, inner.name.replace(" ", "-"))
