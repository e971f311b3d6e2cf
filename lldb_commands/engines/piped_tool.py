"""One process of `loupe engine`: how it is started, spoken to and ended (readers/piped/wire.h)."""
from __future__ import annotations

import json
import os
import socket
import subprocess
from contextlib import contextmanager, suppress
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple, cast

from ..errors import LATE, LoupeError, does_not_run
from ..protocol import Answer
from ..session.context import Context
from ..text.printable import printable
from . import arguments, libraries, wire
from .question import Question
from .seen_by_lldb import SeenByLldb
from .talk import Late, Talk
from .wire import Body, Kind, Nonsense

Stop = Tuple[int, int, int]
_TO_END = 0.5  # seconds, once nobody speaks to it
_MOST_TOLD = 4096  # requests; others are told again
_LAST_WORDS = 400  # bytes of what it says when it dies
_CLEARED = ("DYLD_", "LD_", "LOUPE_")  # of the environment: they change what a process loads or does


class PipedTool:
    """It is ended by whoever finds it over, and by end()."""

    def __init__(self, context: Context) -> None:
        path = libraries.find("tool")
        if path is None:
            raise LoupeError("the command-line tool `loupe` is not there: loupe doctor says more")
        self.is_over = False
        self.path = path
        self._stop: Optional[Stop] = None
        self._seen: Optional[SeenByLldb] = None
        self._told: Set[wire.Asked] = set()  # of this stop, what stays true
        self._connection, theirs = Talk.ends()
        try:
            self._process = subprocess.Popen(
                [path, "engine"], stdin=theirs.fileno(), stdout=theirs.fileno(),
                stderr=subprocess.PIPE, env=environment(), start_new_session=True)
        except OSError as error:
            self._connection.close()
            raise does_not_run(path, error) from None
        finally:
            theirs.close()
        with self._talking(context) as talk:
            _expect_greeting(talk)

    def is_running(self) -> bool:
        """Somebody may have killed it while nobody spoke to it."""
        return self._process.poll() is None

    def is_for(self, context: Context) -> bool:
        return self._stop == _stop(context)

    def begin(self, context: Context) -> None:
        """Another stop, of which it knows nothing."""
        self._seen = SeenByLldb(context)
        self._told = set()
        with self._talking(context) as talk:
            talk.send(self._seen.target().message())
        self._stop = _stop(context)

    def open(self, question: Question, context: Context, stays_open: bool) -> Tuple[Answer, bool]:
        """The answer to a question, and whether that stays open."""
        requests: List[wire.Asked] = []
        message = wire.opening(question.query, question.address, question.limit,
                               question.max_rings, _microseconds(context), stays_open,
                               question.arguments, question.file)
        key = _key(question, context)
        remembered = _taken.get(key, [])
        told_before = [asked for asked in remembered if asked in self._told]
        with self._talking(context) as talk:
            foretold = self._foretold(remembered)
            if foretold:
                talk.send(wire.known(foretold))
            talk.send(message)
            answer = self._serve(talk, [asked for asked, _ in foretold], requests)
        _remember(key, [*told_before, *requests])
        return answer

    def go_on(self, kind: Kind, facts: Sequence[str], context: Context) -> Tuple[Answer, bool]:
        """The same by ASK or EXTEND."""
        with self._talking(context) as talk:
            talk.send(wire.step(kind, _microseconds(context), arguments.joined(facts)))
            return self._serve(talk, [], [])

    def end(self) -> None:
        """It ends with its input."""
        self.is_over = True
        self._connection.close()
        try:
            self._process.wait(_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()

    # ---- What it says ----

    def _serve(self, talk: Talk, foretold: List[wire.Asked],
               requests: List[wire.Asked]) -> Tuple[Answer, bool]:
        """Answers requests until the question is answered. What it took goes to `requests`."""
        text, stays_open = bytearray(), 0
        is_more = wire.MORE
        while is_more:
            kind, body = talk.receive()
            if kind == Kind.ANSWER:
                flags = body.take(1)
                text += body.rest()
                is_more, stays_open = flags & wire.MORE, flags & wire.STAYS_OPEN
                if len(text) > wire.LONGEST_ANSWER:
                    raise Nonsense("its answer does not end")
            elif kind == Kind.REFUSAL:
                raise LoupeError(f"loupe gave no answer: {printable(body.text())}")
            elif kind == Kind.USED:
                requests[:0] = _used(body, foretold)
            else:
                talk.send(self._reply(kind, body.rest(), requests))
        return _decoded(bytes(text)), bool(stays_open)

    def _reply(self, kind: Kind, request: bytes, requests: List[wire.Asked]) -> bytes:
        if self._seen is None:
            raise Nonsense("it asks before there is a stop")
        found = self._seen.reply(kind, Body(request))
        if wire.may_be_foretold(request, found) and len(requests) < wire.MOST_KNOWN:
            requests.append((kind, request))
            self._note_told(kind, request)
        return wire.message(Kind.REPLY, wire.reply(found))

    def _foretold(self, remembered: List[wire.Asked]) -> List[Tuple[wire.Asked, Optional[bytes]]]:
        """What such a question took the last time, as it is now: each round trip costs more than
        most replies."""
        told: List[Tuple[wire.Asked, Optional[bytes]]] = []
        size = 0
        if self._seen is None:
            return told
        for kind, request in remembered:
            if (kind, request) in self._told or not self._seen.may_answer_unasked(kind, request):
                continue
            found = self._seen.reply(kind, Body(request))
            size += len(request) + len(found or b"")
            if size > wire.MOST_FORETOLD:
                break
            told.append(((kind, request), found))
            self._note_told(kind, request)
        return told

    def _note_told(self, kind: Kind, request: bytes) -> None:
        if kind in wire.STAY_TRUE and len(self._told) < _MOST_TOLD:
            self._told.add((kind, request))

    # ---- How it ends ----

    @contextmanager
    def _talking(self, context: Context) -> Iterator[Talk]:
        """A part of the conversation. Whatever goes wrong ends the process, but a refusal of its."""
        talk = Talk(self._connection, context)
        try:
            yield talk
        except LoupeError:
            raise
        except (Late, KeyboardInterrupt) as problem:
            self._kill()
            is_late = isinstance(problem, Late) and not talk.is_interrupted
            raise LoupeError(LATE if is_late else "interrupted", code="timeout") from None
        except Nonsense as problem:
            self._kill()
            raise LoupeError(f"{self.path} is not understood: {problem}") from None
        except (OSError, EOFError):
            raise self._death() from None
        except BaseException:
            self._kill()
            raise

    def _kill(self) -> None:
        self._process.kill()
        self.end()

    def _death(self) -> LoupeError:
        """What to say where it hung up."""
        said = self._last_words()
        self.end()
        status = self._process.returncode
        how = f"with status {status}" if status >= 0 else f"by signal {-status}"
        return LoupeError(f"{self.path} ended {how} before it answered" +
                          (f": {printable(said)}" if said else "") + "; ask again")

    def _last_words(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_TO_END)
        if self._process.returncode is None or self._process.stderr is None:
            return ""
        said = os.read(self._process.stderr.fileno(), _LAST_WORDS)
        return " ".join(said.decode("utf-8", "replace").split())


def environment() -> Dict[str, str]:
    """That of lldb, without what decides which libraries a process loads or what Loupe's own do."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_CLEARED)}


def _expect_greeting(talk: Talk) -> None:
    kind, body = talk.receive()
    version = body.take(4) if kind == Kind.HELLO else 0
    if version != wire.VERSION:
        raise Nonsense(f"it speaks version {version} of the pipe's messages, these commands version "
                       f"{wire.VERSION}: rebuild or reinstall both")


def _decoded(text: bytes) -> Answer:
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise Nonsense("its answer is not a JSON object")
    return cast(Answer, answer)


def _microseconds(context: Context) -> int:
    return int(context.seconds_for_engine() * 1e6)


def _stop(context: Context) -> Stop:
    """Expressions stop the process, too, and may have written anything."""
    process = context.process
    return process.GetUniqueID(), process.GetStopID(True), context.target.GetNumModules()


# ---- What such questions took the last time ----

_Key = Tuple[int, str]
_taken: Dict[_Key, List[wire.Asked]] = {}
_MOST_TAKEN = 64  # processes and questions


def _key(question: Question, context: Context) -> _Key:
    return context.process.GetUniqueID(), question.query


def _remember(key: _Key, requests: List[wire.Asked]) -> None:
    if len(_taken) >= _MOST_TAKEN:
        _taken.clear()
    _taken[key] = requests[:wire.MOST_KNOWN]


def _used(body: Body, foretold: List[wire.Asked]) -> List[wire.Asked]:
    numbers = list(wire.used(body))
    if any(number >= len(foretold) for number in numbers):
        raise Nonsense("it had use for what it was not told")
    return [foretold[number] for number in numbers]
