"""Where the code of a block is that has no name, as in programs without debug information.

A block's function is in no list of methods. What is known of it is its place, and that compilers put
it next to the method it was written in: so the methods before and behind it are told, no more.
"""
from __future__ import annotations

from typing import List, Tuple

from ..protocol import Answer, Described, Invoke
from ..session.context import Context
from .code_names import CodeNames, is_made_up


def name_blocks(answer: Answer, context: Context, engine: str) -> None:
    """Fills "place" and "between" of "invoke", in place; a name that lldb made up goes."""
    blocks = _nameless(answer, context)
    if not blocks:
        return
    code = CodeNames(context, engine, _an_object(answer))
    code.look_up(address for address, _ in blocks)
    for address, invoke in blocks:
        found = code.at(address)
        invoke["symbol"] = invoke["function"] = found.method or None
        invoke["place"], invoke["between"] = found.place or None, list(found.between)


def _nameless(answer: Answer, context: Context) -> List[Tuple[int, Invoke]]:
    """Their functions' addresses, and what is known of them."""
    things: List[Tuple[int, Described]] = [(int(str(address), 16), thing)
              for address, thing in (answer.get("objects") or {}).items()
              if thing.get("kind") == "block"]
    if answer.get("block"):
        things.append((int(str(answer["block"]["address"]), 16), answer["block"]))
    found = []
    for address, thing in things:
        invoke: Invoke = thing.get("invoke") or {}
        symbol = str(invoke.get("symbol") or "")
        if not invoke.get("file") and (not symbol or is_made_up(symbol)):
            word = context.pointer_size
            found.append((context.strip(context.read_pointer(address + word + 8)), invoke))
            thing["invoke"] = invoke
    return found


def _an_object(answer: Answer) -> int:
    """Some object of the answer: its class leads to those of the runtime."""
    for address, thing in (answer.get("objects") or {}).items():
        if thing.get("kind") == "object":
            return int(str(address), 16)
    return 0
