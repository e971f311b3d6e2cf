"""The rows of an ivar's members in ivar-layout: of arrays one for each run. Imports no lldb.

A buffer of thousands of numbers is a row, an array of structs a row for each member, an array of
objects one that counts them, unless there are few. With -v every element has its row.
"""
from __future__ import annotations

import re
from typing import Dict, Iterator, List, Sequence, Tuple

from ..protocol import Ivar
from .words import plural

_INDEX = re.compile(r"\[(\d+)\]")
_FEW = 16  # members of an ivar that each have a row
_RUNS = 8  # of equal values in an array that each have a row
_FIRST = 6  # values shown of more


def member_rows(ivar: Ivar, verbose: bool) -> List[Ivar]:
    """What to show of the ivar's members, as fields: a run's path, size and "shown" tell of all."""
    fields = ivar.get("fields") or []
    if verbose:
        rows = [element for field in fields for element in _elements(field)]
    elif len(fields) <= _FEW:
        rows = [row for field in fields for row in _runs([field])]
    else:
        rows = [row for group in _alike(fields) for row in _runs(group)]
    left_out = int(ivar.get("fields_left_out") or 0)
    if left_out:
        rows.append({"offset": None, "size": "", "path": "", "ownership": "none", "type": "",
                     "shown": f"{plural(left_out, 'further member')}, not listed"})
    return rows


def _elements(field: Ivar) -> Iterator[Ivar]:
    """An entry that stands for many numbers, as an entry for each."""
    count = int(field.get("count") or 1)
    if count == 1:
        yield field
        return
    values: Sequence[str] = field.get("values") or []
    indices, offset = _indices(field), field.get("offset")
    for number in range(count):
        element = field.copy()
        element.update({"count": None, "values": None, "path": _path(field, (*indices[:-1], indices[-1] + number)),
                        "offset": None if offset is None else offset + number * int(field["size"]),
                        "shown": values[number] if number < len(values) else None})
        yield element


def _indices(field: Ivar) -> Tuple[int, ...]:
    return tuple(int(number) for number in _INDEX.findall(str(field.get("path"))))


def _path(field: Ivar, indices: Sequence[object]) -> str:
    left = iter(indices)
    return _INDEX.sub(lambda match: f"[{next(left)}]", str(field.get("path")))


def _alike(fields: Sequence[Ivar]) -> List[List[Ivar]]:
    """Fields that are the same member of different elements of arrays, together."""
    groups: Dict[Tuple[str, ...], List[Ivar]] = {}
    for field in fields:
        path = str(field.get("path"))
        pattern = _INDEX.sub("[]", path)
        key = (pattern if pattern != path else f"{path} {field.get('offset')}",
               str(field.get("type")), str(field.get("ownership")), str(field.get("size")),
               str(field.get("count")))
        groups.setdefault(key, []).append(field)
    return list(groups.values())


def _runs(group: Sequence[Ivar]) -> List[Ivar]:
    """A row for each run of equal values, or one for all of them where there are many."""
    if len(group) == 1 and not group[0].get("count"):
        return list(group)
    text = _text(group[0]) if len(group) == 1 else ""
    if text:
        return [_row_of_all(group, text)]
    runs: List[List[Ivar]] = []
    for element in _each(group):
        if runs and _value(runs[-1][0]) == _value(element):
            runs[-1].append(element)
        else:
            runs.append([element])
        if len(runs) > _RUNS:
            row = _row_of_all(group, _summary(group))
            row["value"] = None
            return [row]
    return [run[0] if len(run) == 1 and not run[0].get("count") else
            _row(run, whole=len(runs) == 1) for run in runs]


def _each(group: Sequence[Ivar]) -> Iterator[Ivar]:
    """All elements where their values are known; else entries as they are."""
    for field in group:
        if field.get("values"):
            yield from _elements(field)
        else:
            yield field


def _text(field: Ivar) -> str:
    """The text in an array of characters that has nothing else in it."""
    if str(field.get("type")) not in ("c", "C"):
        return ""
    numbers = [int(value) for value in field.get("values") or []]
    end = numbers.index(0) if 0 in numbers else 0
    if not all(32 <= number < 127 for number in numbers[:end]) or any(numbers[end:]):
        return ""
    return '"' + "".join(map(chr, numbers[:end])) + '"' if end else ""


def _value(field: Ivar) -> Tuple[object, object]:
    return field.get("shown"), field.get("value")


def _row(run: Sequence[Ivar], whole: bool) -> Ivar:
    """One row for all of a run; whole: for all such members of the ivar."""
    begin, end = _indices(run[0]), list(_indices(run[-1]))
    end[-1] += int(run[-1].get("count") or 1) - 1
    count = sum(int(field.get("count") or 1) for field in run)
    differing = sum(1 for low, high in zip(begin, end) if low != high)
    path = f"{run[0].get('path')} to {_path(run[0], end)}"
    if whole or differing <= 1:
        path = _path(run[0], [low if low == high else f"{low}..{high}"
                              for low, high in zip(begin, end)])
    row = run[0].copy()
    row.update({"path": path, "size": f"{count} x {run[0].get('size')}"})
    return row


def _row_of_all(group: Sequence[Ivar], shown: str) -> Ivar:
    row = _row(group, whole=True)
    row["shown"] = shown
    return row


def _summary(group: Sequence[Ivar]) -> str:
    """12 objects, 3 nil; or the first of many numbers."""
    if group[0].get("value") is not None:
        nil = sum(1 for field in group if field.get("value") == "0x0")
        words = [plural(len(group) - nil, "pointer" if group[0].get("ownership") == "none"
                        else "object")] + ([f"{nil} nil"] if nil else [])
        return ", ".join(words)
    texts = [str(element.get("shown")) for element, _ in zip(_each(group), range(_FIRST))]
    return ", ".join(texts) + ", ..."
