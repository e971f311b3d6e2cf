"""Questions about one object, and their answers as the protocol has them (docs/protocol.md).

The commands show these answers, and the classes of this package are made of them: there is one way
to ask.
"""
from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from typing import Callable, Dict, List, Optional, Sequence, Tuple, cast

from ..engines import arguments, policy
from ..engines.question import Question
from ..errors import LATE, LoupeError, tool_ended
from ..expressions import resolve
from ..heaps import snapshots, tool
from ..members import rounds
from ..names import block_names, debug_names, probes, root_names, stacks
from ..names.code_names import CodeNames
from ..protocol import Answer, Probe
from ..reporting import baseline, filters, refusals
from ..reporting.rings import shorten
from ..session.context import Context
from ..text import files


@dataclass(frozen=True)
class Subject:
    """What is asked about, where, and of which engine."""

    address: int
    context: Context
    engine: str = "auto"
    name: str = ""  # as somebody wrote it, for refusals


@dataclass(frozen=True)
class CycleOptions:
    """What else a question about cycles says. None and 0 leave it to the engine."""

    rings: int = 0  # in each knot
    limit: int = 0
    explain: bool = False
    filters: Optional[str] = None  # a file, or filters.NONE; else the project's
    baseline: Optional[str] = None
    write_baseline: Optional[str] = None
    in_action: bool = False


def subject(expression: str, context: Context, engine: str = "auto") -> Subject:
    """What an expression leads to; self, if it is empty."""
    address = resolve.resolve(expression, context, lambda at: describe(at, context, engine))
    return Subject(address, context, engine, expression)


def class_or_object(expression: str, context: Context, engine: str = "auto") -> Subject:
    """The class of that name, unless a variable hides it; else what the expression leads to."""
    by_name = class_named(expression, context, engine)
    if by_name is not None:
        return Subject(by_name, context, engine, expression)
    return subject(expression, context, engine)


def class_named(name: str, context: Context, engine: str) -> Optional[int]:
    """Where the class is, unless a variable hides it; None: there is none."""
    if not name or resolve.hides_class(resolve.variable(name, context)):
        return None
    by_name = resolve.class_address(name, context)
    if by_name is None and resolve.variable(name, context) is None:
        by_name = _class_of_runtime(name, context, engine)
    return by_name


def _class_of_runtime(name: str, context: Context, engine: str) -> Optional[int]:
    """Where no symbol tells: they are local in some libraries, and stripped in others."""
    if not resolve.is_name(name):
        return None
    answer = policy.ask(Question("ivar-layout", 0, arguments=arguments.of_class(name)), context,
                        engine)
    place = (answer.get("class") or {}).get("address") if answer.get("status") == "ok" else None
    return int(str(place), 16) if place else None


def describe(address: int, context: Context, engine: str) -> Answer:
    """The ivars of the object there, or what the block there captured, for a path through it."""
    answer = policy.ask(Question("block-layout", address), context, engine)
    if answer.get("status") == "error":
        answer = policy.ask(Question("ivar-layout", address), context, engine)
    _refuse(answer, Subject(address, context, engine, f"{address:#x}"))
    debug_names.add_names(answer, context)
    return answer


def name(answer: Answer, about: Subject, has_names: bool = False) -> None:
    """Adds all that debug information and symbols know, for people. has_names: those of
    debug_names.add_names() are there already."""
    if not has_names:
        debug_names.add_names(answer, about.context)
    block_names.name_blocks(answer, about.context, about.engine)
    stacks.name_stacks(answer, about.context)
    answer.setdefault("stats", {})["waited_ms"] = about.context.milliseconds_waited()


def retain_cycles(about: Subject, options: CycleOptions) -> Answer:
    def ask(hiding: List[filters.Filter], _file: Optional[str], rings: int) -> Answer:
        told = filters.as_arguments(hiding, standard=options.filters != filters.NONE)
        return _ask(Question("retain-cycles", about.address, limit=options.limit, max_rings=rings,
                             in_action=options.in_action,
                             arguments=arguments.joined([told, _explained(options.explain)])), about)
    answer = _cycles(about.context, options, ask)
    if not options.in_action:
        _decide_by_heap(answer, about, options)
    return answer


def _decide_by_heap(answer: Answer, about: Subject, options: CycleOptions) -> None:
    """Verdicts that a search from one object leaves open are those of the whole heap, where it was searched
    at this stop already."""
    left_open = [knot for knot in answer.get("knots") or [] if knot.get("verdict") == "unknown"]
    snapshot = snapshots.already_made(about.context) if left_open else None
    if snapshot is None:
        return
    file = filters.NONE if options.filters == filters.NONE else (answer.get("filters") or {}).get("file")
    with contextlib.suppress(LoupeError, ValueError, KeyError):
        reply = tool.run(["cycles", "--json", "--limit", "0", *(["--filters", file] if file else []),
                          snapshot.path, f"{about.address:#x}"], about.context)
        found: Answer = json.loads(reply.text)
        for knot in left_open:
            same = [each for each in found["knots"] if each["fingerprint"] == knot["fingerprint"]]
            if len({each["verdict"] for each in same}) == 1:
                knot["verdict"], knot["verdict_reason"] = same[0]["verdict"], same[0].get("verdict_reason")
                knot["degree"], knot["severity"] = same[0]["degree"], same[0]["severity"]
        answer["heap_searched"] = True


def all_cycles(context: Context, options: CycleOptions) -> Answer:
    """Those of the whole heap, from the snapshot of the stop: knots that are alike are one."""
    def ask(_hiding: List[filters.Filter], file: Optional[str], rings: int) -> Answer:
        snapshot = snapshots.at_this_stop(context)
        wanted = filters.NONE if options.filters == filters.NONE else file
        reply = tool.run(["cycles", "--json", "--limit", "0", "--max-rings", str(rings or 1),
                          *(["--filters", wanted] if wanted else []), snapshot.path], context)
        answer: Answer = json.loads(reply.text) if reply.is_answer() else {"status": "error"}
        if answer.get("status") == "error":
            raise tool_ended(reply.complaint, reply.status)
        if "knots" not in answer:
            raise LoupeError(LATE, answer, code="timeout")
        counted = answer.get("snapshot") or {}
        answer["stats"] = {"objects": counted.get("objects"), "edges": counted.get("references")}
        answer["query"] = "retain-cycles"
        return answer
    return _cycles(context, options, ask)


def _cycles(context: Context, options: CycleOptions,
            ask: Callable[[List[filters.Filter], Optional[str], int], Answer]) -> Answer:
    """What the options say of the answer, whoever gives it."""
    known = _known(options)
    file = filter_file(options.filters, context)
    hiding, refused = _filters_of(file, bool(options.filters)) if file else ([], "")
    compares = options.baseline or options.write_baseline
    answer = ask(hiding, None if refused else file,
                 max(options.rings, baseline.RINGS) if compares else options.rings)
    if file:
        answer["filters"] = {"file": file, "count": len(hiding),
                             "hidden": filters.hidden_by(hiding, answer.get("hidden") or [])}
        if refused:
            answer["filters"]["refused"] = refused
    if options.write_baseline:
        debug_names.add_names(answer, context)
        answer["baseline_written"] = {
            "file": options.write_baseline,
            "rings": baseline.write(options.write_baseline, answer, known)}
    if options.baseline:
        baseline.hide(answer, known)
    if compares:
        shorten(answer, options.rings or 1)
    return answer


def strong_refs(about: Subject, explain: bool = False, limit: int = 0) -> Answer:
    return _ask(Question("strong-refs", about.address, limit=limit, arguments=_explained(explain)),
                about)


def incoming_refs(about: Subject, roots: Sequence[Subject] = (), explain: bool = False,
                  limit: int = 0) -> Answer:
    """Who holds it; of roots that are given, only holders that these lead to."""
    given = [arguments.root("given", one.address) for one in roots]
    answer = _ask(Question("incoming-refs", about.address, limit=limit,
                           arguments=arguments.joined([*given, _explained(explain)])), about)
    root_names.name_roots(answer, [one.name or f"{one.address:#x}" for one in roots], about.context,
                          CodeNames(about.context, about.engine, about.address))
    return answer


def block_layout(about: Subject, probe: bool = False) -> Answer:
    answer = _ask(Question("block-layout", about.address), about)
    if probe:
        answer["probe"] = _probe("block-layout", answer["block"]["address"], about)
        probes.join_block(answer)
    return answer


def ivar_layout(about: Subject, probe: bool = False) -> Answer:
    """Of an object, or of a class by its address."""
    answer = _ask(Question("ivar-layout", about.address), about)
    if (answer.get("class") or {}).get("address") != f"{about.address:#x}":
        answer["object"] = f"{about.address:#x}"
    if probe:
        answer["probe"] = _probe("ivar-layout", answer.get("object") or answer["class"]["address"],
                                 about)
        probes.join_ivars(answer)
    return answer


def filter_file(asked: Optional[str], context: Context) -> Optional[str]:
    """The file that was asked for, else the project's: nearest to where lldb runs, else to the
    source of the frame (Xcode's lldb runs in the root directory)."""
    if asked == filters.NONE:
        return None
    if asked:
        return asked
    source = context.frame.GetLineEntry().GetFileSpec().GetDirectory()
    return filters.default_file([os.getcwd(), *([source] if source else [])])


def _ask(question: Question, about: Subject) -> Answer:
    answer = rounds.ask(question, about.context, about.engine)
    _refuse(answer, about)
    return answer


def _refuse(answer: Answer, about: Subject) -> None:
    if answer.get("status") == "error":
        raise LoupeError(refusals.in_words(answer, about.name, about.address,
                                           about.context), answer)


def _explained(explain: bool) -> str:
    return arguments.EXPLAIN if explain else ""


def _probe(query: str, at: object, about: Subject) -> Probe:
    """What the dispose probe says of what was found at an address."""
    if about.context.is_core:
        raise LoupeError("the probe runs code of the program, and a core file runs none: leave "
                         "--probe out")
    answer = policy.ask(Question(query, int(str(at), 16), probe=True), about.context, about.engine)
    _refuse(answer, about)
    return cast(Probe, {key: value for key, value in answer.items() if key not in ("loupe", "query")})


def _known(options: CycleOptions) -> Dict[str, str]:
    """The rings of the baseline. One that is to be written now knows nothing yet."""
    if not options.baseline:
        return {}
    written = bool(options.write_baseline) and \
        os.path.abspath(options.write_baseline or "") == os.path.abspath(options.baseline)
    return baseline.read(options.baseline, written)


def _filters_of(file: str, asked_for: bool) -> Tuple[List[filters.Filter], str]:
    """The filters in a file, or why that is not taken, which nobody asked for by its name."""
    try:
        return filters.read(file, asked_for), ""
    except files.Foreign as foreign:
        if asked_for:
            raise
        return [], str(foreign)
