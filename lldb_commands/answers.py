"""What is said of an answer: its knots as text, sentences of fixes, known mistakes. The library of answers/
says it, in this process; where that cannot be loaded, the command-line tool; without both, knots are told
in short (render/short.py) and the report says so. Imports no lldb.
"""
from __future__ import annotations

import contextlib
import json
import os
from typing import Any, Dict, List, NamedTuple, Optional

from . import pictures
from .engines import libraries
from .errors import LoupeError
from .printable import json_of

Json = Dict[str, Any]


class Look(NamedTuple):
    """How text is wanted (pictures/words.h)."""
    unicode: bool
    color: bool
    verbose: bool


_NO_ROOM = -1
_LEAST_ROOM = 1 << 20
_ROOMS = (24, 96)  # times the answer's length
_LARGEST = 1 << 22  # bytes; larger answers are left to the tool, which has a process for them
_PATIENCE = 60.0  # seconds, for the tool

_library: "Dict[str, Optional[_Library]]" = {}
_path: Dict[Optional[str], str] = {}  # by LOUPE_ANSWERS: what is loaded need not be looked for again


def add_words(answer: Json, look: Optional[Look] = None) -> None:
    """Gives each fix its `text`, and each knot that shows a known mistake its `pattern`; with a look
    each knot its `lines` and its `best` fix as well, and the answer its `doubt`. Once more where names of the answer changed. Where nobody can say
    them, `words_missing` says why."""
    knots: List[Json] = answer.get("knots") or []
    if not knots:
        return
    asked = {**answer, "look": look._asdict()} if look else answer
    try:
        said = _said(json_of(asked).encode())
    except (LoupeError, ValueError) as error:
        answer["words_missing"] = str(error)
        return
    for knot, texts in zip(knots, said["fixes"]):
        for fix, text in zip(knot.get("fixes") or [], texts):
            fix["text"] = text
    for knot, text in zip(knots, said.get("knots") or []):
        knot["lines"] = text.rstrip("\n").split("\n")
    for knot, text in zip(knots, said.get("best") or []):
        knot["best"] = text
    if "doubt" in said:
        answer["doubt"] = said["doubt"].rstrip("\n").split("\n")
    named = {(one["fingerprint"], one["verdict"]): one for one in said["patterns"]}
    for knot in knots:
        pattern = named.get((knot.get("fingerprint"), knot.get("verdict")))
        if pattern is not None:
            knot["pattern"] = {key: pattern[key] for key in ("id", "name", "why")}


def _said(answer: bytes) -> Json:
    library = _loaded()
    text = library.words(answer) if library is not None else None
    if text is None:
        text = pictures.tool(answer, ["--format", "words"], _PATIENCE)
    said: Json = json.loads(text)
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
