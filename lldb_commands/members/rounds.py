"""Asks an engine, looks by debug info at what it could not follow, and asks again.

What was found leads to further objects, which may have such members too: so it goes on until an
answer lists nothing new.
"""
from __future__ import annotations

import dataclasses
import re
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

import lldb

from ..context import Context
from ..engines import policy
from ..engines.policy import Answer
from ..engines.question import Question
from ..names.block_debug_info import BlockDebugInfo, BlockInfo, byref_variable
from . import destructors, formatted, plans, soundness
from .layouts import Layouts
from .memory import Memory
from .ownership import Code
from .plans import Gap, Plan, TooMuch

Json = Dict[str, Any]
_BY_TYPE = ("C++ member", "__block variable without a layout")
_COLLECTION = "collection of an unknown layout"
_KINDS = {"object": "ivar", "block": "capture", "byref": "byref"}
_QUERIES = ("strong-refs", "retain-cycles", "incoming-refs")
_LISTED = 20000  # objects that one answer names
_ROUNDS = 64
_PLAIN = re.compile(r"[^A-Za-z0-9_.\[\]*>()-]")


def ask(question: Question, context: Context, engine: str) -> Answer:
    """As policy.ask(), with the references that debug info tells of."""
    if question.query not in _QUERIES:
        return policy.ask(question, context, engine)
    directives = [text for text in (question.directives, f"list {_LISTED}") if text]
    reader: Optional[_Reader] = None
    for _ in range(_ROUNDS):
        answer = policy.ask(dataclasses.replace(question, directives=";".join(directives)),
                            context, engine)
        unread: List[Json] = answer.get("unread") or []
        if not unread:
            break
        reader = reader or _Reader(context)
        found = reader.read(unread)
        if not found:
            break
        directives += found
    for member in answer.get("unread") or []:
        member.pop("objects", None)
        member.pop("holders", None)
        if reader is not None:
            reader.explain(member)
            if member.get("guessed") and member.get("why"):
                _count(answer, member)
    return answer


def _count(answer: Answer, member: Json) -> None:
    """What the engine took for followed, and debug info tells that it is not."""
    member["guessed"] = False
    findings: List[Json] = answer.setdefault("not_followed", [])
    known = next((item for item in findings if item.get("reason") == member["reason"]), None)
    if known is not None:
        known["count"] = int(known.get("count") or 0) + int(member.get("count") or 0)
    else:
        findings.append({key: member.get(key) for key in ("reason", "count", "example")})


class _Reader:
    """Reads members, each object's once. Lives as long as one command."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._memory = Memory(context)
        self._layouts = Layouts(context, self._memory)
        self._blocks = BlockDebugInfo(context)
        self._plans: Dict[Tuple[str, str, bool], Optional[Plan]] = {}
        self._unoptimised: Dict[str, bool] = {}  # by the name of a function
        self._tried: Set[int] = set()  # addresses of members
        self._gaps: Dict[Tuple[Any, ...], str] = {}  # by member: why it is still unread
        self._problem = soundness.problem(context)

    def read(self, unread: List[Json]) -> List[str]:
        """Directives for what was found in members that were not looked at before."""
        directives: List[str] = []
        for member in unread:
            objects: List[str] = member.get("objects") or []
            holders: List[str] = member.get("holders") or ["0"] * len(objects)
            for address, holder in zip(objects, holders):
                if self._context.is_late():
                    return directives
                directives += self._read_one(member, int(address, 16), int(holder, 16))
        return directives

    def explain(self, member: Json) -> None:
        """Says why a member is unread although there is debug info."""
        why = self._gaps.get(_key(member))
        if why is not None and member.get("name") is None:
            match = re.match(r"\w+", why)  # a captured variable
            member["name"] = match.group(0) if match is not None else None
        if why is None and member.get("reason") in _BY_TYPE and not member.get("guessed"):
            why = self._problem
        if why:
            member["why"] = why

    def _read_one(self, member: Json, source: int, holder: int) -> Iterator[str]:
        place = source + int(member.get("offset") or 0)
        if place in self._tried:
            return
        self._tried.add(place)
        if member.get("reason") not in _BY_TYPE:
            yield from self._read_formatted(member, source)
            return
        if self._problem is not None:
            return
        plan, name, start = self._plan(member, source, holder)
        if plan is None:
            return
        try:
            found, gaps = plans.contents(self._memory, source + start, plan, name,
                                         self._context.is_late)
        except TooMuch:
            self._note(member, Gap(name, "it holds too much to be read in time"))
            return
        kind = _KINDS[str(member.get("kind"))]
        for item in found:
            is_inside = 0 <= item.slot - source - start < plan.size
            slot = f"+{item.slot - source:#x}" if is_inside else f"{item.slot:#x}"
            yield f"ref {source:#x} {kind} {item.claim} debug-info {slot} {item.word:#x} " + \
                _encoded(item.path)
        for gap in gaps:
            self._note(member, gap)
        if not gaps:
            yield f"read {place:#x}"

    def _read_formatted(self, member: Json, source: int) -> Iterator[str]:
        if member.get("reason") != _COLLECTION:
            return
        found = formatted.children(self._context, source, str(member.get("class")))
        if found is None:
            return
        for kind, path, word in found:
            if word:
                yield f"ref {source:#x} {kind} strong formatter - {word:#x} {_encoded(path)}"
        yield f"read {source:#x}"

    def _note(self, member: Json, gap: Gap) -> None:
        self._gaps.setdefault(_key(member), f"{gap.path}: {gap.why}")

    def _plan(self, member: Json, source: int, holder: int) -> Tuple[Optional[Plan], str, int]:
        """Of the member, what it is called, and where in the source it begins."""
        if member.get("kind") == "block":
            return self._plan_of_capture(member, source)
        if member.get("kind") == "byref":
            return self._plan_of_shared(member, source, holder)
        if member.get("kind") != "object" or not member.get("name"):
            return None, "", 0
        name = str(member["name"])
        key = (str(member.get("class")), name, bool(member.get("arc")))
        if key not in self._plans:
            kind = self._ivar_type(key[0], name)
            code = Code(key[2], self._is_unoptimised(f"-[{key[0]} .cxx_destruct]"))
            self._plans[key] = None if kind is None else self._layouts.plan(kind, code)
        return self._plans[key], name, int(member.get("offset") or 0)

    def _is_unoptimised(self, name: str) -> bool:
        if name not in self._unoptimised:
            found = [match.GetFunction() for match in self._context.target.FindFunctions(name)]
            self._unoptimised[name] = any(
                destructors.is_unoptimised(function, self._context.target)
                for function in found if function.IsValid())
        return self._unoptimised[name]

    def _ivar_type(self, class_name: str, name: str) -> Optional[lldb.SBType]:
        """A class may be described several times, only by its implementation with all ivars."""
        for kind in self._context.target.FindTypes(class_name):
            if not kind.GetTypeClass() & (lldb.eTypeClassObjCInterface
                                          | lldb.eTypeClassObjCObject):
                continue
            for index in range(kind.GetNumberOfFields()):
                if kind.GetFieldAtIndex(index).GetName() == name:
                    return kind.GetFieldAtIndex(index).GetType()
        return None

    def _plan_of_capture(self, member: Json, source: int) -> Tuple[Optional[Plan], str, int]:
        info = self._blocks.of_block(source)
        offset = int(member.get("offset") or 0)
        if info.literal is None:
            return None, "", 0
        for index in range(info.literal.GetNumberOfFields()):
            variable = info.literal.GetFieldAtIndex(index)
            start = variable.GetOffsetInBytes()
            if start <= offset < start + variable.GetType().GetByteSize():
                plan = self._layouts.plan(variable.GetType(), self._code(member, info))
                return plan, variable.GetName() or "?", start
        return None, "", 0

    def _plan_of_shared(self, member: Json, source: int,
                        block: int) -> Tuple[Optional[Plan], str, int]:
        """Of a __block variable: the debug info of a block that captures it describes it. Outside of
        C++ its type does not tell what it owns; the engine knows it from the layout."""
        info = self._blocks.of_block(block)
        if info.literal is None or not _is_cxx(info):
            return None, "", 0
        for index in range(info.literal.GetNumberOfFields()):
            offset = info.literal.GetFieldAtIndex(index).GetOffsetInBytes()
            found = byref_variable(info.literal, offset)
            if found is not None and self._leads_to(block + offset, source):
                name, variable = found
                plan = self._layouts.plan(variable.GetType(), self._code(member, info))
                return plan, name, variable.GetOffsetInBytes()
        return None, "", 0

    def _code(self, member: Json, info: BlockInfo) -> Code:
        """Blocks of C++ say so if they are ARC's."""
        key = f"{info.module} {info.file} {info.symbol}"
        if key not in self._unoptimised:
            self._unoptimised[key] = info.invoke is not None and \
                destructors.is_unoptimised(info.invoke, self._context.target)
        return Code(bool(member.get("arc")), self._unoptimised[key])

    def _leads_to(self, slot: int, byref: int) -> bool:
        """Whether the __block variable captured there lives at an address now."""
        first = self._memory.word(slot)
        return first is not None and first != 0 and byref in (
            first, self._memory.word(first + self._memory.word_size))


def _is_cxx(info: BlockInfo) -> bool:
    unit = info.invoke.GetStartAddress().GetCompileUnit() if info.invoke is not None else None
    return unit is not None and unit.GetLanguage() == lldb.eLanguageTypeObjC_plus_plus


def _key(member: Json) -> Tuple[Any, ...]:
    return tuple(member.get(name) for name in ("class", "name", "offset", "type"))


def _encoded(path: str) -> str:
    return _PLAIN.sub(lambda match: "".join(f"%{byte:02x}" for byte in match.group(0).encode()),
                      path)
