"""What functions are called where there is no debug information: methods by the runtime's lists.

An engine is asked about the beginnings of functions, which lldb knows of stripped programs, too. Only
a method that begins exactly there gives a function its name; the others go by their place, with the
methods that stand before and behind it, if nothing was left out that could stand between them.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, Iterable, List, Optional, Tuple

import lldb

from ..engines import arguments, policy
from ..engines.question import Question
from ..errors import LoupeError
from ..protocol import Answer, Method, Neighbour
from ..session.context import Context
from .method_names import as_method

_MADE_UP = "___lldb_unnamed_symbol"
_MOST_FRAMES = 512  # of a thread; what is further out keeps lldb's names


@dataclass(frozen=True)
class Code:
    """place: libfoo+0x1234. between: the methods around it; empty where they are not known."""

    method: str = ""
    place: str = ""
    between: Tuple[str, ...] = ()


class CodeNames:
    """Asks once for many addresses. seed: an object, whose classes lead to others; or 0."""

    def __init__(self, context: Context, engine: str, seed: int = 0) -> None:
        self._context = context
        self._engine = engine
        self._seed = seed
        self._known: Dict[int, Code] = {}

    def of_frame(self, frame: lldb.SBFrame) -> str:
        """What the function of a frame is called."""
        name = str(frame.GetDisplayFunctionName() or "a frame")
        if frame.GetFunction().IsValid():
            return as_method(name)
        self.look_up(_start_of(other, self._context) for _, other in
                     zip(range(_MOST_FRAMES), frame.GetThread())
                     if not other.GetFunction().IsValid())
        code = self.at(_start_of(frame, self._context))
        if code.method:
            return code.method
        return code.place if is_made_up(name) and code.place else as_method(name)

    def look_up(self, addresses: Iterable[int]) -> None:
        """Asks about those that are not known yet."""
        wanted = sorted({at for at in addresses if at and at not in self._known})
        if not wanted or self._context.is_late():
            return
        answer = self._ask(wanted)
        whole = answer.get("status") == "ok"
        found = {int(str(item["address"]), 16): item for item in answer.get("methods") or []}
        for address in wanted:
            self._known[address] = self._code(address, found.get(address) or {}, whole)

    def at(self, address: int) -> Code:
        return self._known.get(address, Code())

    def _ask(self, addresses: List[int]) -> Answer:
        """An engine that cannot say leaves the names that lldb has."""
        told = arguments.joined(arguments.code(address) for address in addresses)
        try:
            return policy.ask(Question("methods", self._seed, arguments=told),
                              self._context, self._engine)
        except LoupeError:
            return {}

    def _code(self, address: int, item: Method, whole: bool) -> Code:
        others = int(item.get("others") or 0)
        method = str(item.get("method") or "")
        if method and others:
            method += f" (or {others} more with the same code)"
        around = [self._neighbour(one, address) for one in (item.get("before"), item.get("behind"))]
        return Code(method, place_of(address, self._context),
                    tuple(around) if whole and all(around) else ())

    def _neighbour(self, method: Optional[Neighbour], address: int) -> str:
        """Its name, if it is in the same library."""
        if not method or _module(int(str(method["code"]), 16), self._context) != \
                _module(address, self._context):
            return ""
        return str(method.get("method") or "")


def is_made_up(symbol: str) -> bool:
    """Whether lldb made the name up, for a function that has none."""
    return symbol.startswith(_MADE_UP)


def place_of(address: int, context: Context) -> str:
    """libgnustep-gui+0x5e4028, from where the library begins in memory; empty outside of all."""
    module = context.target.ResolveLoadAddress(address).GetModule()
    if not module.IsValid():
        return ""
    start = module.GetObjectFileHeaderAddress().GetLoadAddress(context.target)
    stem = re.split(r"\.(?:so|dylib)\b", module.GetFileSpec().GetFilename() or "", maxsplit=1)[0]
    return f"{stem}+{address - start:#x}" if start <= address and stem else ""


def _start_of(frame: lldb.SBFrame, context: Context) -> int:
    """Of the function of a frame; 0: not known. The place in a frame may be behind its end."""
    symbol = frame.GetSymbol()
    start = symbol.GetStartAddress().GetLoadAddress(context.target) if symbol.IsValid() else 0
    return 0 if start == lldb.LLDB_INVALID_ADDRESS else int(start)


def _module(address: int, context: Context) -> str:
    return str(context.target.ResolveLoadAddress(address).GetModule().GetFileSpec().fullpath or "")
