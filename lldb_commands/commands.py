"""The commands but for those about whole heaps: how each is carried out."""
from __future__ import annotations

import datetime
import json
from dataclasses import replace
from typing import Any, Dict, List, Optional, Tuple, Type

import lldb

from . import breakpoints, doctor
from .api import questions
from .api.questions import CycleOptions, Subject
from .command import Command, Values
from .engines import helper, policy
from .engines.question import Question
from .errors import LoupeError
from .expressions import resolve
from .found import found
from .line import handles, options
from .names import debug_names
from .protocol import Answer, Described, Record
from .render.style import PLAIN, Style, from_environment
from .render.words import plural
from .reporting import baseline, fixes, gates, report, shown_before, summary, trees
from .running import backtraces, balance, history, methods, recorded_history, watch
from .session.context import Context, at_stop
from .text import files
from .text.printable import printable, printable_answer, printable_lines

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
        return self.find_subject(expression, context, engine)

    def ask(self, about: Subject, values: Values) -> Answer:
        raise NotImplementedError

    def show(self, answer: Answer, about: Subject, values: Values) -> Tuple[str, str]:
        questions.name(answer, about, bool(values.get("has_names")))
        style = _style(about.context.debugger)
        values["program"] = about.context.program
        return report.deliver(answer, style, _asked(about.name), values), ""


def _asked(expression: str) -> str:
    """What to call the object in the first line; a bare address is there anyway."""
    text = expression or "self"
    return "" if text[0].isdigit() or len(text) > 40 else text


class RetainCycles(Query):
    name = query = "retain-cycles"

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        if not values["all"]:
            values["timeout"] = values["timeout"] or options.SECONDS
            return super().run(debugger, exe_ctx, values, expression)
        self.check_all(values, expression)
        values["timeout"] = values["timeout"] or options.HEAP_SECONDS
        about = Subject(0, at_stop(debugger, exe_ctx, values["timeout"]), "memory", "--all")
        return self.show(self.ask(about, values), about, values)

    def check_all(self, values: Values, expression: str) -> None:
        """What goes with an object only."""
        for given, why in ((expression, f"--all looks at the whole heap: leave out {expression}"),
                           (values["limit"], "--limit ends a walk, and --all is none: leave one out"),
                           (values["explain"], "--explain goes with an object: leave out --all"),
                           (values["engine"] == "helper", "--all always reads from LLDB: leave out "
                                                          "--engine")):
            if given:
                raise LoupeError(why, code="usage")

    def ask(self, about: Subject, values: Values) -> Answer:
        pictured = values["dot"] or values["html"]
        rings = max(values["max_rings"] or 0, _RINGS_IN_PICTURE if pictured else 0)
        asked = CycleOptions(
            rings=rings, limit=values["limit"] or 0, explain=bool(values["explain"]),
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
            values["has_names"] = True
            fixes.remember(context.debugger.GetID(), lambda: json.dumps(answer))
        summary.note_answer(context.debugger.GetID(), about.name or "self", answer,
                            accepted=bool(values["write_baseline"]))
        if values["quiet"] and not breakpoints.is_news(answer, context, values["repeat"]):
            return "", failure
        if not (values["json"] or values["output"]):
            shown_before.mark(answer, (context.process.GetUniqueID(), context.process.GetStopID()))
        text, _ = super().show(answer, about, values)
        written = answer.get("baseline_written")
        if written and (values["output"] or not values["json"]):
            text += f"\nbaseline written to {written['file']}: {plural(written['rings'], 'loop')}"
        return text, failure

    def note_failure(self, debugger: lldb.SBDebugger, line: str, reason: str) -> None:
        summary.note_failure(debugger.GetID(), line or "self", reason)


class BlockLayout(Query):
    name = query = "block-layout"

    def ask(self, about: Subject, values: Values) -> Answer:
        return questions.block_layout(about, bool(values["probe"]))


class IvarLayout(Query):
    name = query = "ivar-layout"

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

    def ask(self, about: Subject, values: Values) -> Answer:
        explain, limit = bool(values["explain"]), values["limit"] or 0
        if values["incoming"]:
            roots = [self.subject(text, about.context, about.engine) for text in values["from"]]
            return questions.incoming_refs(about, roots, explain, limit)
        if values["from"]:
            raise LoupeError("--from goes with --incoming")
        return questions.strong_refs(about, explain, limit)

    def show(self, answer: Answer, about: Subject, values: Values) -> Tuple[str, str]:
        if not values["depth"] or values["json"] or values["output"]:
            return super().show(answer, about, values)
        def ask(address: str) -> Answer:
            of = replace(about, address=int(address, 16))
            found = answer if of.address == about.address else self.ask(of, {**values, "from": []})
            questions.name(found, of)
            return found

        tree = trees.tree(f"{about.address:#x}", ask, bool(values["incoming"]), values["depth"])
        return report.as_text(tree, _style(about.context.debugger), "", bool(values["verbose"])), ""


class Allocated(Query):
    name = "loupe allocated"
    query = "strong-refs"

    def ask(self, about: Subject, values: Values) -> Answer:
        answer = questions.strong_refs(about, False, 1)
        if "recorded" not in answer:
            raise LoupeError("its allocation was not recorded: start the program with "
                             "libloupe_record preloaded (docs/recording.md)")
        return answer

    def show(self, answer: Answer, about: Subject, values: Values) -> Tuple[str, str]:
        questions.name(answer, about, bool(values.get("has_names")))
        if values["json"]:
            return report.as_json(answer), ""
        style = _style(about.context.debugger)
        allocated = answer.copy()
        allocated["query"] = "allocated"
        return report.as_text(allocated, style, "", bool(values["verbose"])), ""


class Ignore(Command):
    name = "loupe ignore"

    def _addressed(self, expression: str, values: Values) -> Tuple[str, Values]:
        return expression, values  # a number means a finding here

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        if not values["because"]:
            raise LoupeError("missing --because TEXT (such as 'lives as long as the app')", code="usage")
        fingerprint, what = handles.finding(debugger.GetID(), expression)
        path = values["baseline"]
        known = baseline.read(path, will_be_written=True)
        known[fingerprint] = f"{datetime.date.today()} {values['because']}: {what}".rstrip(": ")
        baseline.write(path, {}, known)
        return printable(f"{fingerprint} is in {path} now: give it as --baseline {path}"), ""


class Summary(Command):
    name = "loupe summary"
    query = "summary"

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

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        context = at_stop(debugger, exe_ctx, values["timeout"])
        answer = backtraces.ask(context, values["engine"], expression)
        shown = report.as_json(answer) if values["json"] else \
            report.as_text(answer, PLAIN, "", False)
        if values["output"]:
            files.write(values["output"], shown)
            shown = f"{plural(len(answer['threads']), 'thread')}\nwritten to {values['output']}"
        return shown, ""


class Doctor(Command):
    name = "loupe doctor"

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        return doctor.examine(debugger, exe_ctx, values["verbose"]), ""


class Inject(Command):
    name = "loupe inject"

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        path = helper.inject(at_stop(debugger, exe_ctx, values["timeout"]))
        return (f"loaded {printable(path)}" if path else "the helper is in the process already"), ""


class Break(Command):
    name = "loupe break"

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        target = _before_launch(debugger, exe_ctx)
        if target is not None and not values["dealloc"]:
            return methods.set_before_launch(expression, target), ""
        context = at_stop(debugger, exe_ctx, values["timeout"])
        if values["dealloc"]:
            address = _address(expression, context)
            return methods.set_at_death(address, _class_of(address, context), context), ""
        return methods.set_breakpoint(expression, context), ""


def _before_launch(debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext) -> Optional[lldb.SBTarget]:
    """The program that is chosen, where it does not run; else None."""
    process, target = exe_ctx.GetProcess(), debugger.GetSelectedTarget()
    runs = process.IsValid() and process.GetState() not in (lldb.eStateExited, lldb.eStateUnloaded,
                                                            lldb.eStateDetached, lldb.eStateInvalid)
    return target if target.IsValid() and target.GetExecutable().fullpath and not runs else None


def _class_of(address: int, context: Context) -> str:
    answer = policy.ask(Question("strong-refs", address, limit=1), context, "memory")
    thing = (answer.get("objects") or {}).get(f"{address:#x}") or {}
    if thing.get("kind") != "object" or not thing.get("class"):
        raise LoupeError(f"{address:#x} is not an object with a -dealloc of its own")
    return str(thing["class"])


class Watch(Command):
    name = "loupe watch"

    def run(self, debugger: lldb.SBDebugger, exe_ctx: lldb.SBExecutionContext, values: Values,
            expression: str) -> Tuple[str, str]:
        if bool(values["class"]) != bool(values["stop_at"]):
            raise LoupeError("--class and --stop-at go together", code="usage")
        target = _before_launch(debugger, exe_ctx)
        if target is not None and values["class"]:
            return methods.stop_at_instance_after_launch(values["class"], values["stop_at"], target), ""
        context = at_stop(debugger, exe_ctx, values["timeout"])
        verb, _, rest = expression.partition(" ")
        if verb == "list" and not rest:
            return printable_lines(watch.listed(context, _counted(context))), ""
        if verb == "delete":
            address = _address(rest.strip(), context) if rest.strip() else None
            return printable_lines(watch.forget(address, context)), ""
        if values["class"]:
            return methods.stop_at_instance(values["class"], values["stop_at"], context), ""
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
    def of(address: int) -> Described:
        answer = policy.ask(Question("strong-refs", address, limit=1), context, "auto")
        found: Described = (answer.get("objects") or {}).get(f"{address:#x}") or {}
        return found
    return of


class History(Command):
    name = "loupe history"

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
        return (f"Recording retains of {begun.subject} (retain count {begun.before}). Continue, then run "
                "`loupe history`"), ""

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

    def show(self, debugger: lldb.SBDebugger, records: List[Record],
             values: Values) -> str:
        answer = balance.as_json(records)
        if values["json"]:
            return json.dumps(answer, separators=(",", ":"))
        return report.as_text(answer, _style(debugger), "", bool(values["verbose"]))


def _style(debugger: lldb.SBDebugger) -> Style:
    return from_environment(debugger.GetUseColor(), debugger.GetTerminalWidth())


# ---- By their names ----

BY_NAME: Dict[str, Type[Command]] = {kind.name: kind for kind in (
    Allocated, RetainCycles, BlockLayout, IvarLayout, StrongRefs, Backtraces, Break, Doctor, History,
    Ignore, Inject, Summary, Watch)}
OTHERS: Type[Command] = Query  # there is none
