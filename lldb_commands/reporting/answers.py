"""What is said of an answer: its report, sentences of fixes, known mistakes. The library of answers/
says it, in this process; where that cannot be loaded, the command-line tool; without both, answers are told
in short (render/short.py) and the report says so. Imports no lldb.
"""
from __future__ import annotations

import contextlib
import json
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, TypedDict

from ..engines import libraries
from ..errors import LoupeError
from ..protocol import Answer, Pattern
from ..render import short
from ..text.printable import json_of
from . import pictures


class Said(TypedDict, total=False):
    """pictures/words.h"""
    report: str
    headline: str
    found: str
    fixes: List[List[str]]
    patterns: List[Pattern]


class Look(NamedTuple):
    """How text is wanted (pictures/words.h)."""
    unicode: bool
    color: bool
    verbose: bool
    width: int = 0  # columns of the terminal; 0: not known


_NO_ROOM = -1
_LEAST_ROOM = 1 << 20
_ROOMS = (24, 96)  # times the answer's length
_LARGEST = 1 << 22  # bytes; larger answers are left to the tool, which has a process for them
_PATIENCE = 60.0  # seconds, for the tool

_library: "Dict[str, Optional[_Library]]" = {}
_path: Dict[Optional[str], str] = {}  # by LOUPE_ANSWERS: what is loaded need not be looked for again


def add_words(answer: Answer) -> None:
    """Gives each fix its `text`, and each knot that shows a known mistake its `pattern`. Once more where
    names of the answer changed. Where nobody can say them, `words_missing` says why."""
    knots = answer.get("knots") or []
    if not knots:
        return
    for knot in knots:
        knot.pop("pattern", None)  # by names that may be others now
    try:
        said = _said(answer)
    except (LoupeError, ValueError) as error:
        answer["words_missing"] = str(error)
        return
    for knot, texts in zip(knots, said["fixes"]):
        for fix, text in zip(knot.get("fixes") or [], texts):
            fix["text"] = text
    named = {(one["fingerprint"], one["verdict"]): one for one in said["patterns"]}
    for knot in knots:
        pattern = named.get((knot.get("fingerprint"), knot.get("verdict")))
        if pattern is not None:
            knot["pattern"] = {"id": pattern["id"], "name": pattern["name"], "why": pattern["why"]}


def report(answer: Answer, asked: str, look: Look) -> str:
    """The whole of it as text. asked is what was typed; empty for a bare address."""
    try:
        said = _said({**answer, "asked": asked, "look": look._asdict()})
    except (LoupeError, ValueError) as error:
        return short.report(answer, asked, str(error))
    return str(said["report"]).rstrip("\n")


def headline(answer: Answer, asked: str) -> str:
    """The first lines of retain-cycles: the verdict, and what a file of filters had a part in."""
    try:
        return str(_said({**answer, "asked": asked})["headline"]).rstrip("\n")
    except (LoupeError, ValueError):
        return short.headline(answer, asked)


def found_in_words(answer: Answer) -> str:
    """1 leaked retain cycle; 2 retain cycles (1 leaked) and 4 possible; 4 possible retain cycles."""
    try:
        return str(_said(answer)["found"])
    except (LoupeError, ValueError):
        return short.found_in_words(answer)


def _said(answer: Mapping[str, object]) -> Said:
    """pictures/words.h"""
    asked, library = json_of(answer).encode(), _loaded()
    text = library.words(asked) if library is not None else None
    if text is None:
        text = pictures.tool(asked, ["--format", "words"], _PATIENCE)
    said: Said = json.loads(text)
    return said


def _loaded() -> "Optional[_Library]":
    chosen = os.environ.get("LOUPE_ANSWERS")
    path = _path.get(chosen) or libraries.find("answers")
    if path is None:
        return None
    if path not in _library:
        try:
            _library[path] = _Library(path)
            _path[chosen] = path
        except (ImportError, OSError, AttributeError):
            _library[path] = None  # a Python without ctypes, or a debugger that loads only its own
    return _library[path]


class _Library:
    """libloupe_answers (pictures/library.h), which needs memory of ours and keeps none."""

    def __init__(self, path: str) -> None:
        import ctypes  # pylint: disable=import-outside-toplevel  # not while lldb starts

        class Memory(ctypes.Structure):
            _fields_ = [("scratch", ctypes.c_void_p), ("scratch_size", ctypes.c_size_t),
                        ("text", ctypes.c_void_p), ("text_size", ctypes.c_size_t)]

        self._ctypes, self._memory = ctypes, Memory
        self._rooms: List[List[Any]] = []  # for the next answer: new memory is zeroed, page by page
        self._words = ctypes.CDLL(path).loupe_answers_words
        self._words.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(Memory)]
        self._words.restype = ctypes.c_long

    def words(self, answer: bytes) -> Optional[bytes]:
        """None: it can say nothing of that answer."""
        if len(answer) > _LARGEST:
            return None
        for times in _ROOMS:
            room = max(_LEAST_ROOM, times * len(answer))
            scratch, text = self._take_room(room)
            memory = self._memory(self._ctypes.addressof(scratch), room,
                                  self._ctypes.addressof(text), room // 4)
            length = int(self._words(answer, len(answer), self._ctypes.byref(memory)))
            said = self._ctypes.string_at(text, length) if length > 0 else None
            if room == _LEAST_ROOM:
                self._rooms.append([scratch, text])
            if length != _NO_ROOM:
                return said
        return None

    def _take_room(self, size: int) -> List[Any]:
        """Nobody else has it meanwhile: another thread may ask."""
        if size == _LEAST_ROOM:
            with contextlib.suppress(IndexError):
                return self._rooms.pop()
        return [self._ctypes.create_string_buffer(part) for part in (size, size // 4)]
