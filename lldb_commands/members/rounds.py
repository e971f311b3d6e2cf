"""Asks an engine, looks by debug info at what it could not follow, and hands over what it found.

What was found leads to further objects, which may have such members too: so it goes on until
nothing new is listed, or until the time is up; then the answer is incomplete. Between the first
answer and the last one an engine only lists members, and where it keeps the question open, only
new ones. A reference to an object of a class that was listed before is followed at once, so a list
of C++ members takes a few rounds, not one for each of its links.
"""
from __future__ import annotations

import collections
import contextlib
import re
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple, cast

import lldb

from .. import findings
from ..engines import arguments, policy
from ..engines.question import Question
from ..errors import LoupeError
from ..names.block_debug_info import BlockDebugInfo, BlockInfo, byref_variable
from ..protocol import Answer, Edge, Member, Shape
from ..session.context import Context
from . import destructors, formatted, lldb_crashes, plans
from .layouts import Layouts
from .memory import Memory
from .ownership import Code
from .plans import Gap, Plan, TooMuch
from .prefetch import Ahead

_BY_TYPE = (findings.CXX_MEMBER, findings.BYREF_LAYOUT)
_KINDS = {"object": "ivar", "block": "capture", "byref": "byref"}
_QUERIES = ("strong-refs", "retain-cycles", "incoming-refs", "snapshot")
_RESERVE = 2.0  # a question that asks about more takes longer than the one before
_MOST_RESERVED = 0.5  # of the time that is left
_LATE = "the time was up before it was read"
_GIVES_UP = ("timeout", "limit")  # codes of errors


def ask(question: Question, context: Context, engine: str) -> Answer:
    """As policy.ask(), with the references that debug info tells of."""
    if question.query not in _QUERIES:
        return policy.ask(question, context, engine)
    with contextlib.closing(policy.Session(question, context, engine)) as session:
        return _Rounds(session, context).answer()


class _Rounds:
    """One question, until nothing new is found."""

    def __init__(self, session: policy.Session, context: Context) -> None:
        self._session = session
        self._context = context
        self._reader: Optional[_Reader] = None
        self._facts: List[str] = []  # that the engine has not been told
        self._seconds = 0.0  # that it took so far
        self._has_answer = False

    def answer(self) -> Answer:
        answer = self._asked(self._session.ask)
        assert answer is not None
        is_last = True
        while answer.get("unread") and self._explore(answer["unread"]):
            further = self._asked(self._session.ask)
            is_last = further is not None
            if further is None:
                break
            answer = further
        if self._reader is not None:
            self._reader.name_lambdas(_edges(answer))
            _change_lambdas(answer)
        _finish(answer, self._reader, is_last)
        return answer

    def _explore(self, unread: List[Member]) -> bool:
        """Reads members, and what they lead to has. Whether there is more to be told than the last
        answer knew."""
        self._reader = self._reader or _Reader(self._context)
        is_more = False
        while not self._reader.is_out_of_time:
            found = self._reader.read(unread, self._context.deadline - self._reserve())
            is_more |= bool(found)
            self._facts += found
            if self._reader.is_out_of_time or not (found or self._reader.expects_more()):
                break
            survey = self._asked(self._session.extend)
            if survey is None or survey.get("status") == "error":
                break
            unread = survey.get("unread") or []
            self._reader.learn_shapes(survey.get("shapes") or [])
        return is_more

    def _reserve(self) -> float:
        """Seconds for the last answer, which tells of more than the first."""
        return min(_RESERVE * self._seconds, _MOST_RESERVED * self._context.seconds_left())

    def _asked(self, step: Callable[[Sequence[str]], Optional[Answer]]) -> Optional[Answer]:
        """With the facts that are new; None if it did not come in time, and the answer before has
        to do."""
        begun = time.monotonic()
        facts, self._facts = self._facts, []
        try:
            answer = step(facts)
        except LoupeError:
            if not self._has_answer or not self._context.is_late():
                raise
            return None
        self._seconds += time.monotonic() - begun
        code = ((answer or {}).get("error") or {}).get("code")
        if self._has_answer and code in _GIVES_UP:
            return None
        self._has_answer = True
        return answer


def _edges(part: Any) -> Iterator[Edge]:
    """All references of an answer, wherever they stand."""
    waiting = [part]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if "from" in item and "to" in item:
                yield cast(Edge, item)
            else:
                waiting += item.values()
        elif isinstance(item, list):
            waiting += item


def _change_lambdas(answer: Answer) -> None:
    """What is captured by a lambda is not the ivar's to make weak, that has it."""
    for knot in answer.get("knots") or []:
        for fix in knot.get("fixes") or []:
            for subject in fix.get("subjects") or []:
                if subject["edge"].get("lambda"):
                    subject["do"] = "capture-weakly"
            if fix.get("subjects"):
                fix["do"] = fix["subjects"][0]["do"]


def _finish(answer: Answer, reader: Optional[_Reader], is_last: bool) -> None:
    """Says why members are unread. is_last: everything that was found is in the answer."""
    for member in answer.get("unread") or []:
        late = reader.left_of(member) if reader is not None else []
        unlisted = reader.unlisted(member) if reader is not None else 0
        if late or unlisted or not is_last:
            findings.count_interrupted(answer, max(len(late) + unlisted, 1),
                                       late[0] if late else member.get("example"))
        member.pop("objects", None)
        member.pop("holders", None)
        member.pop("left", None)
        if reader is not None:
            reader.explain(member)
            if late or unlisted:
                member.setdefault("why", _LATE)
            if member.get("guessed") and member.get("why"):
                # What the engine took for followed, and debug info tells that it is not.
                member["guessed"] = False
                findings.count(answer, member["code"], member["reason"], member.get("count"),
                               member.get("example"))


class _Reader:
    """Reads members, each object's once. Lives as long as one command."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._memory = Memory(context)
        self._layouts = Layouts(context, self._memory)
        self._blocks = BlockDebugInfo(context)
        self._plans: Dict[Tuple[str, str, Optional[bool]], Optional[Plan]] = {}
        self._unoptimised: Dict[str, bool] = {}  # by the name of a function
        self._tried: Set[int] = set()  # addresses of members
        self._places: Dict[str, Tuple[str, int]] = {}  # by slot: the lambda that has it
        self._unfinished: Set[int] = set()  # of these
        self._left: Dict[Tuple[Any, ...], int] = {}  # by member: objects that were not listed yet
        self._readable: Set[Tuple[Any, ...]] = set()  # members whose types are known
        self._gaps: Dict[Tuple[Any, ...], str] = {}  # by member: why it is still unread
        self._ahead = Ahead(self._memory)
        self._deadline = float("inf")
        self._problem = lldb_crashes.problem(context)
        self.is_out_of_time = False  # something was not looked at

    def read(self, unread: List[Member], deadline: float) -> List[str]:
        """Arguments for what was found in members that were not looked at before."""
        self._deadline = deadline
        waiting = collections.deque(self._listed(unread))
        found: List[str] = []
        self._ahead.begin_round()
        while waiting:
            member, source, holder = waiting.popleft()
            place = _place(member, source)
            if place in self._tried:
                continue
            if self._is_late():
                self.is_out_of_time = True
                break
            self._tried.add(place)
            for line, word in self._read_one(member, source, holder):
                found.append(line)
                if word:
                    waiting.extend((further, owner, 0)
                                   for further, owner in self._ahead.members_from(word))
        return found

    def learn_shapes(self, shapes: List[Shape]) -> None:
        """What a survey told of classes."""
        self._ahead.learn_shapes(shapes)

    def name_lambdas(self, edges: Iterator[Edge]) -> None:
        """Says where lambdas were written; it is no part of a path, which has to last."""
        for edge in edges if self._places else ():
            place = self._places.get(str(edge.get("slot")))
            if place is not None and edge.get("evidence") == "debug-info":
                edge["lambda"] = {"file": place[0], "line": place[1]}

    def left_of(self, member: Member) -> List[str]:
        """Objects of those listed with the member that were not looked at to the end."""
        places = [(address, _place(member, int(address, 16)))
                  for address in member.get("objects") or []]
        return [address for address, place in places
                if place not in self._tried or place in self._unfinished]

    def expects_more(self) -> bool:
        """Whether there are objects that no answer listed, with members that can be read."""
        return not self.is_out_of_time and any(self._left.get(key) for key in self._readable)

    def unlisted(self, member: Member) -> int:
        """How many objects have the member, could have been read, and were never listed."""
        key = _key(member)
        return self._left.get(key, 0) if key in self._readable else 0

    def _listed(self, unread: List[Member]) -> Iterator[Tuple[Member, int, int]]:
        for member in unread:
            self._left[_key(member)] = int(member.get("left") or 0)
            objects: List[str] = member.get("objects") or []
            holders: List[str] = member.get("holders") or ["0"] * len(objects)
            for address, holder in zip(objects, holders):
                # Objects of one class have the same members.
                if member.get("kind") == "object" and member.get("code") in _BY_TYPE:
                    self._ahead.learn_member(member, _key(member), int(address, 16))
                yield member, int(address, 16), int(holder, 16)

    def _is_late(self) -> bool:
        return time.monotonic() >= self._deadline

    def explain(self, member: Member) -> None:
        """Says why a member is unread although there is debug info."""
        if member.get("code") in findings.POINTERS and member.get("kind") == "block":
            member["name"] = self._capture_name(member)
            return
        why = self._gaps.get(_key(member))
        if why is not None and member.get("name") is None:
            match = re.match(r"\w+", why)  # a captured variable
            member["name"] = match.group(0) if match is not None else None
        if why is None and member.get("code") in _BY_TYPE and not member.get("guessed"):
            why = self._problem
        if why:
            member["why"] = why

    def _read_one(self, member: Member, source: int, holder: int) -> Iterator[Tuple[str, int]]:
        """Arguments, and what the references lead to."""
        if member.get("code") not in _BY_TYPE:
            yield from self._read_formatted(member, source)
            return
        if self._problem is not None:
            return
        plan, name, start = self._plan(member, source, holder)
        if plan is None:
            return
        self._readable.add(_key(member))
        try:
            found, gaps = plans.contents(self._memory, source + start, plan, name, self._is_late)
        except TooMuch:
            self._note(member, Gap(name, "it holds too much to be read in time"))
            self._unfinished.add(_place(member, source))
            self.is_out_of_time = self._is_late()
            return
        kind = _KINDS[str(member.get("kind"))]
        for item in found:
            if item.place is not None:
                self._places[f"{item.slot:#x}"] = item.place
            is_inside = 0 <= item.slot - source - start < plan.size
            yield arguments.fact(source, kind, item.claim, "debug-info", item.word, item.path,
                                 slot=item.slot,
                                 offset=item.slot - source if is_inside else None), item.word
        for gap in gaps:
            self._note(member, gap)
        if not gaps:
            yield arguments.read(_place(member, source)), 0

    def _read_formatted(self, member: Member, source: int) -> Iterator[Tuple[str, int]]:
        if member.get("code") != findings.COLLECTION_LAYOUT:
            return
        try:
            found = formatted.children(self._context, source, str(member.get("class")),
                                       self._is_late)
        except TooMuch:
            self._unfinished.add(source)
            self.is_out_of_time = True
            return
        if found is None:
            return
        for kind, path, word in found:
            if word:
                yield arguments.fact(source, kind, "strong", "formatter", word, path), word
        yield arguments.read(source), 0

    def _note(self, member: Member, gap: Gap) -> None:
        self._gaps.setdefault(_key(member), f"{gap.path}: {gap.why}")

    def _plan(self, member: Member, source: int, holder: int) -> Tuple[Optional[Plan], str, int]:
        """Of the member, what it is called, and where in the source it begins."""
        if member.get("kind") == "block":
            return self._plan_of_capture(member, source)
        if member.get("kind") == "byref":
            return self._plan_of_shared(member, source, holder)
        if member.get("kind") != "object" or not member.get("name"):
            return None, "", 0
        name = str(member["name"])
        key = (str(member.get("class")), name, member.get("arc"))
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

    def _capture_name(self, member: Member) -> Optional[str]:
        info = self._blocks.of_block(int(str(member["example"]), 16))
        return next((variable.path for variable in info.variables
                     if variable.offset == member.get("offset")), None)

    def _plan_of_capture(self, member: Member, source: int) -> Tuple[Optional[Plan], str, int]:
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

    def _plan_of_shared(self, member: Member, source: int,
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

    def _code(self, member: Member, info: BlockInfo) -> Code:
        """Blocks of C++ say so if they are ARC's."""
        key = f"{info.module} {info.file} {info.symbol}"
        if key not in self._unoptimised:
            self._unoptimised[key] = info.invoke is not None and \
                destructors.is_unoptimised(info.invoke, self._context.target)
        return Code(member.get("arc"), self._unoptimised[key])

    def _leads_to(self, slot: int, byref: int) -> bool:
        """Whether the __block variable captured there lives at an address now."""
        first = self._memory.word(slot)
        return first is not None and first != 0 and byref in (
            first, self._memory.word(first + self._memory.word_size))


def _is_cxx(info: BlockInfo) -> bool:
    unit = info.invoke.GetStartAddress().GetCompileUnit() if info.invoke is not None else None
    return unit is not None and unit.GetLanguage() == lldb.eLanguageTypeObjC_plus_plus


def _place(member: Member, source: int) -> int:
    return source + int(member.get("offset") or 0)


def _key(member: Member) -> Tuple[Any, ...]:
    return tuple(member.get(name) for name in ("class", "name", "offset", "type"))
