"""The helper engine: one call of a function in the process, and reading its reply.

The call runs on the asking thread only, for a bounded time, with breakpoints ignored, and is undone
if it fails; the helper takes no lock, so nothing is left held.
"""
from __future__ import annotations

import contextlib
import dataclasses
import json
import os
from typing import Dict, Iterator, List, Optional, Sequence, cast

import lldb

from ..darwin import loading
from ..errors import ANOTHER_STOP, CUT_OFF, LoupeError
from ..expressions.problems import first_line
from ..protocol import Answer
from ..session import only_memory
from ..session.context import Context
from . import arguments, libraries, locks
from .question import LISTED, Question

_REPLY_LIMIT = 256 << 20
_PAGE, _BLOCK, _LONG = 1 << 12, 1 << 14, 1 << 20  # of memory that is read at once
_entry_points: Dict[str, int] = {}  # by process, module count and name
_broken: Dict[int, str] = {}  # by process: why nothing is loaded into it any more
_MORE = 4  # times as many, where those are done with
_MOST_LISTED = 1 << 26  # that an engine takes
_RTLD_NOW = 2
_LEAST_TIME = 0.25  # loading takes some milliseconds; cut off, it leaves the process broken
# The helper ends by itself. An answer that is a little late is better than none.
_LATER, _A_LITTLE_LATER = 1.1, 0.1
_ASK_TYPE = ("(const char *(*)(const char *, const void *, unsigned long, unsigned, unsigned, "
             "unsigned, const char *))")
_LONGEST_LITERAL = 1 << 12
_INSTEAD = "try --engine memory"
_TAKE_OVER = 1  # LOUPE_ASK_TAKE_OVER: a call that was cut off earlier does not block this one
_OTHERS_WAIT = 2  # LOUPE_ASK_OTHERS_WAIT


def entry_point(name: str, context: Context) -> Optional[int]:
    """Where a function of the helper is in the process, or None if the helper is not there.

    The program may have functions of the same names, so only its own image is asked.
    """
    modules = context.target.GetNumModules()
    key = f"{context.process.GetUniqueID()}:{modules}:{name}"
    if key not in _entry_points:
        _entry_points[key] = next((address for module in context.target.module_iter()
                                   if _is_image(module, context)
                                   for address in [_address_in(module, name, context)] if address), 0)
    return _entry_points[key] or None


def _is_image(module: lldb.SBModule, context: Context) -> bool:
    """Whether a module is the helper: a library of its name, or of that of the file in use."""
    file: lldb.SBFileSpec = module.GetFileSpec()
    if file == context.target.GetExecutable():
        return False
    path = libraries.find("helper")
    names = (*libraries.NAMES_OF_HELPER, os.path.basename(os.path.realpath(path)) if path else "")
    return bool(file.GetFilename()) and file.GetFilename() in names


def _address_in(module: lldb.SBModule, name: str, context: Context) -> int:
    """Where a function of the module is in the process, or 0."""
    symbol = module.FindSymbol(name, lldb.eSymbolTypeCode)
    address = symbol.GetStartAddress().GetLoadAddress(context.target) if symbol.IsValid() else 0
    return 0 if address == lldb.LLDB_INVALID_ADDRESS else int(address)


def _of_system(name: str, context: Context) -> Optional[int]:
    """Where a function of the C library is in the process, whatever the program calls its own."""
    for match in context.target.FindSymbols(name, lldb.eSymbolTypeCode):
        address = match.GetSymbol().GetStartAddress().GetLoadAddress(context.target)
        if address != lldb.LLDB_INVALID_ADDRESS and locks.is_of_system(match.GetModule()):
            return int(address)
    return None


def is_loaded(context: Context) -> bool:
    return entry_point("loupe_helper_version", context) is not None


def inject(context: Context) -> Optional[str]:
    """Loads the helper into the process unless it is there. Returns the path if it did."""
    only_memory.refuse()
    if context.is_core:
        raise LoupeError("a core file has no process to load the helper into: use --engine memory")
    broken = _broken.get(context.process.GetUniqueID())
    if broken is not None:
        raise LoupeError(f"nothing is loaded into this process any more: {broken}")
    if is_loaded(context):
        return None
    path = libraries.find("helper")
    if path is None:
        refused = libraries.refused("helper")
        raise LoupeError(refused[0] if refused else
                         "the helper library is not built or not where it is looked for: "
                         "loupe doctor lists the places")
    obstacle = locks.obstacle(context)
    if obstacle is not None:
        raise LoupeError(f"nothing can be loaded here: {obstacle}, and loading would wait for it; "
                         f"{ANOTHER_STOP}, or {_INSTEAD}")
    reason = load(path, context)
    if reason or not is_loaded(context):
        raise not_loaded(path, reason, _INSTEAD)
    return path


def not_loaded(path: str, reason: str, instead: str) -> LoupeError:
    """instead: what to do where the loader's reason says nothing that can be mended."""
    advice = loading.advice(reason) or instead
    return LoupeError(f"the process does not load {path}: {reason or 'no reason given'}"
                      + (f"; {advice}" if advice else ""))


def other_version(what: str) -> LoupeError:
    return LoupeError(f"the {what} in the process is of another version: rebuild it, and start the "
                      "program again")


def load(path: str, context: Context) -> str:
    """Has the process load the library. Returns why it did not, if it says so.

    Not by SBProcess.LoadImage: in a breakpoint action its first call can stop at the breakpoint on
    another thread, whose action calls it again, and lldb waits for itself.
    """
    dlopen, dlerror = _of_system("dlopen", context), _of_system("dlerror", context)
    if dlopen is None or dlerror is None:
        return "it has no dlopen (a statically linked program?)"
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    value = context.evaluate(
        f'((void *(*)(const char *, int)){dlopen:#x})("{quoted}", {_RTLD_NOW})'
        f" ? (const char *)0 : ((const char *(*)()){dlerror:#x})()", cplusplus=True,
        all_threads=True, at_least=_LEAST_TIME, does="loaded a library")
    if not value.GetError().Success():
        raise LoupeError(_cut_off(path, first_line(value.GetError()), context))
    why = value.GetValueAsUnsigned(0)
    return _text_at(why, context) if why else ""


def _cut_off(path: str, why: str, context: Context) -> str:
    """What to say of a call of the loader that did not return; nothing is loaded after that."""
    held = locks.held_lock(context)
    state = f"now {held}" if held else "locks of the loader or of malloc may have stayed taken"
    harm = f"{state}, and a library may be loaded by half: the program may hang or crash later"
    _broken[context.process.GetUniqueID()] = f"loading {path} was cut off before ({harm})"
    late = CUT_OFF if context.is_late() else why
    return f"loading {path} was cut off: {late}; {harm}. Start it again before you trust it"


def version(context: Context) -> int:
    """What loupe_helper_version() says. The helper is loaded."""
    function = entry_point("loupe_helper_version", context) or 0
    return _call(f"((unsigned (*)()){function:#x})()", context)


def ask(question: Question, context: Context) -> Answer:
    """One question to the helper, which is loaded. A probe frees objects: as loading, it takes locks."""
    only_memory.refuse()
    function = entry_point("loupe_ask_with", context)
    if function is None:
        raise other_version("helper")
    obstacle = locks.obstacle(context) if question.probe else None
    if obstacle is not None:
        raise LoupeError(f"the probe cannot run code of the program here: {obstacle}, and that may "
                         f"wait for it; {ANOTHER_STOP}, or leave --probe out")
    name = "dispose-probe" if question.probe else question.query
    milliseconds = max(int(context.seconds_for_engine() * 1000), 1)
    words = (f"\"{name}\", (const void *){question.address:#x}, {question.limit}, "
             f"{question.max_rings}, {milliseconds}, "
             f"{_TAKE_OVER | _OTHERS_WAIT}")
    with _arguments(question, context) as text:
        reply = _call(f"({_ASK_TYPE}{function:#x})({words}, {text})", context)
    answer: Answer = json.loads(_text_at(reply, context))
    return answer


class HelperSession:
    """A question that is asked again and again: the helper keeps nothing between two calls, since
    code of the program may run. So a survey lists what the one before did, too, and is told all."""

    def __init__(self, question: Question, context: Context) -> None:
        self._question = question
        self._context = context
        self._facts: List[str] = []
        self._listed = LISTED
        self._spent = {"reads": 0, "bytes": 0, "ms": 0}

    def ask(self, facts: Sequence[str]) -> Answer:
        return self._call(facts, "")

    def extend(self, facts: Sequence[str]) -> Optional[Answer]:
        if not facts:  # more of what is there
            if self._listed == _MOST_LISTED:
                return None
            self._listed = min(self._listed * _MORE, _MOST_LISTED)
        return self._call(facts, arguments.SURVEY)

    def close(self) -> None:
        """Nothing is open."""

    def _call(self, facts: Sequence[str], wish: str) -> Answer:
        self._facts += facts
        text = arguments.joined([self._question.arguments, wish, *self._facts,
                                 arguments.listed(self._listed)])
        answer = ask(dataclasses.replace(self._question, arguments=text), self._context)
        stats = cast(Dict[str, int], answer.get("stats") or {})
        for name in self._spent:
            self._spent[name] += int(stats.get(name) or 0)
        if stats:
            stats.update(self._spent)
        return answer


@contextlib.contextmanager
def _arguments(question: Question, context: Context) -> Iterator[str]:
    """An expression for them; long ones are put into the process for the time of the call."""
    if len(question.arguments) <= _LONGEST_LITERAL:
        yield f'"{question.arguments}"'
        return
    text = question.arguments.encode("ascii") + b"\0"
    error = lldb.SBError()
    address = context.process.AllocateMemory(
        len(text), lldb.ePermissionsReadable | lldb.ePermissionsWritable, error)
    if not error.Success() or address == lldb.LLDB_INVALID_ADDRESS:
        raise LoupeError(f"no room in the process for the question: {first_line(error)}; "
                         f"{_INSTEAD}")
    try:
        context.process.WriteMemory(address, text, error)
        if not error.Success():
            raise LoupeError(f"the question cannot be written into the process: "
                             f"{first_line(error)}; {_INSTEAD}")
        yield f"(const char *){address:#x}"
    finally:
        context.process.DeallocateMemory(address)


def _call(expression: str, context: Context) -> int:
    """The result of a call. lldb's error for a late one is that for a crash: the clock tells."""
    value = context.evaluate(f"(unsigned long){expression}", cplusplus=True,
                             at_least=_LATER * context.seconds_left() + _A_LITTLE_LATER,
                             does="called the helper")
    if value.GetError().Success():
        return int(value.GetValueAsUnsigned(0))
    if context.is_late():
        raise LoupeError("the helper did not answer in time: allow more with --timeout, "
                         "or use --engine memory")
    raise LoupeError(f"the helper cannot be called here: {first_line(value.GetError())}; "
                     f"{_INSTEAD}")


def _text_at(address: int, context: Context) -> str:
    """The NUL-terminated text at address. By blocks: lldb's own way reads 512 bytes at a time."""
    text = bytearray()
    # Cap: an error.
    while len(text) < _REPLY_LIMIT:
        part = _block_at(address + len(text), _BLOCK if len(text) < _LONG else _LONG, context)
        end = part.find(b"\0")
        text += part if end < 0 else part[:end]
        if end >= 0:
            return text.decode("utf-8", "surrogateescape")
    raise LoupeError(f"the helper's reply does not end; {_INSTEAD}")


def _block_at(address: int, block: int, context: Context) -> bytes:
    """What is there up to the end of a block, or if that cannot be read as a whole, of a page."""
    for size in (block, _PAGE):
        error = lldb.SBError()
        data = context.process.ReadMemory(address, size - address % size, error)
        if error.Success() and data:
            return bytes(data)
    raise LoupeError(f"the helper's reply cannot be read: {first_line(error)}; {_INSTEAD}")
