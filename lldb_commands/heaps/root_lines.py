"""What debug info knows of roots of a snapshot (cli/heaps/names.h)."""
from __future__ import annotations

import time
from typing import Any, Iterable, Iterator

from ..names import root_names
from ..names.code_names import CodeNames
from ..protocol import HeapAnswer, Root
from ..session.context import Context
from . import block_names, tool

# Of the time that is left: the rest is the tool's, which writes what was named.
_SHARE = 0.5


def write(names: str, answer: HeapAnswer, context: Context) -> str:
    """The path of a file with the names of one and with those of the roots that the answer names.
    Names that there is no time for are left out."""
    return _write(names, _roots(answer), context)


def write_all(names: str, snapshot: str, context: Context) -> str:
    """The same with all roots of the snapshot."""
    lines = tool.run(["functions", snapshot], context).text.splitlines()
    roots = (line.split("\t") for line in lines if line.startswith("root\t"))
    return _write(names, ({"slot": slot, "kind": kind, "to": to, "thread_id": int(thread)}
                          for _, slot, kind, to, thread in roots), context)


def _write(names: str, roots: Iterable[Root], context: Context) -> str:
    path = f"{names}.roots"
    end = time.monotonic() + context.seconds_left() * _SHARE
    with open(names, encoding="utf-8") as known, \
            open(path, "w", encoding="utf-8", errors="replace") as file:
        file.writelines(known)
        file.writelines(_threads(context))
        for root in roots:
            if time.monotonic() >= end:
                break
            file.write(_line(root, context))
    return path


def _roots(answer: HeapAnswer) -> Iterator[Root]:
    paths = [*(answer.get("paths") or []),
             *(suspect["path"] for suspect in answer.get("suspects") or [])]
    for root in [*(path.get("root") or {} for path in paths), *(answer.get("roots") or []),
                 *_owners(answer)]:
        if root_names.is_variable(root):
            yield root


def _owners(part: Any) -> Iterator[Root]:
    """Roots that memory is part of, anywhere in the answer."""
    if isinstance(part, dict):
        owner = part.get("part_of")
        if isinstance(owner, dict) and owner.get("root"):
            yield owner["root"]
        part = list(part.values())
    if isinstance(part, list):
        for one in part:
            yield from _owners(one)


def _threads(context: Context) -> Iterator[str]:
    for thread in context.process:
        yield f"thread\t{thread.GetThreadID()}\t{thread.GetIndexID()}\n"


def _line(root: Root, context: Context) -> str:
    address = int(str((root.get("to") or "0x0")), 16)
    name, where = root_names.of_heap(root, context, CodeNames(context, "memory", address))
    return f"root\t{root['slot']}\t{block_names.plain(name or '')}\t{block_names.plain(where)}\n"
