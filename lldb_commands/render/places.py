"""How source files are called in a report: as somebody who works in a directory would call them.

Below the working directory the path from there, which terminals and editors open; elsewhere the name
alone; with -v the whole path. Terminals that have links get them. Imports no lldb.
"""
from __future__ import annotations

import os
import re
import socket
import urllib.parse
from typing import Any, Dict, Iterator, List, cast

from ..protocol import Answer, Place
from .words import place

_LINK, _END = "\x1b]8;;", "\x1b\\"


def name_files(answer: Answer, verbose: bool, directory: str) -> None:
    """Gives everything in the answer that was written somewhere a "shown_file"."""
    for thing in _written(answer):
        thing["shown_file"] = _shown(str(thing["file"]), verbose, directory)


def _written(value: Any) -> Iterator[Place]:
    left: List[Any] = [value]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            if value.get("file") and "line" in value:
                yield cast(Place, value)
            left += value.values()
        elif isinstance(value, list):
            left += value


def _shown(file: str, verbose: bool, directory: str) -> str:
    if verbose:
        return file
    inside = os.path.join(os.path.normpath(directory), "")
    path = os.path.normpath(file)
    return path[len(inside):] if path.startswith(inside) else os.path.basename(file)


def with_links(text: str, answer: Answer) -> str:
    """text with a link on each place that the answer knows. For terminals: see Style.links."""
    targets: Dict[str, str] = {}
    for thing in _written(answer):
        if os.path.isabs(str(thing["file"])):
            targets.setdefault(place(thing), _address(thing))
    if not targets:
        return text
    names = "|".join(re.escape(name) for name in sorted(targets, key=len, reverse=True))
    return re.sub(rf"(?<![\w./-])(?:{names})(?![\w])", lambda match: (
        f"{_LINK}{targets[match[0]]}{_END}{match[0]}{_LINK}{_END}"), text)


def _address(thing: Place) -> str:
    """Nothing that rules a terminal is left in it, whatever the path."""
    path = urllib.parse.quote(str(thing["file"]), errors="surrogateescape")
    line = f"#{thing['line']}" if thing.get("line") else ""
    return f"file://{urllib.parse.quote(socket.gethostname())}{path}{line}"
