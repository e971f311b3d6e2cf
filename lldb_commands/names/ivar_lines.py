"""Where the ivars of classes are declared: LLDB's API has no line for a member, debug information does.

The tool reads it (`loupe ivar-lines`), once for each module that somebody asks about.
"""
from __future__ import annotations

import os
from typing import Dict, Optional, Tuple

import lldb

from ..errors import LoupeError
from ..heaps import tool
from ..protocol import Place
from ..session.context import Context
from .class_symbols import symbols_of_class

Lines = Dict[str, Tuple[str, int]]  # "Class.ivar": file and line

SYSTEM_PATHS = ("/System/Library/", "/usr/lib", "/lib")
_known: Dict[Tuple[str, float], str] = {}  # by file and when it was written


class IvarLines:
    """Lives as long as one command."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._classes: Dict[str, Lines] = {}
        self._modules: Dict[str, Lines] = {}

    def declared(self, class_name: str, ivar: str) -> Optional[Place]:
        """{"file","line"}; None: nothing tells."""
        if class_name not in self._classes:
            self._classes[class_name] = self._lines_of_class(class_name)
        found = self._classes[class_name].get(f"{class_name}.{ivar}")
        return {"file": found[0], "line": found[1]} if found else None

    def _lines_of_class(self, class_name: str) -> Lines:
        for match in symbols_of_class(class_name, self._context.target):
            lines = self._lines_of_module(match.GetModule())
            if any(name.startswith(f"{class_name}.") for name in lines):
                return lines
        return {}

    def _lines_of_module(self, module: lldb.SBModule) -> Lines:
        path = module.GetFileSpec().fullpath or ""
        if path not in self._modules:
            self._modules[path] = _parsed(text_of_module(module, self._context))
        return self._modules[path]


def text_of_module(module: lldb.SBModule, context: Context) -> str:
    """Lines `ivar CLASS.IVAR LINE FILE` (cli/heaps/names.h), which are none where the tool is not there."""
    path = module.GetFileSpec().fullpath or ""
    if path.startswith(SYSTEM_PATHS):  # asked first: LLDB would read its symbols for the other
        return ""
    files = [file for file in dict.fromkeys((module.GetSymbolFileSpec().fullpath or "", path))
             if os.path.isfile(file)]
    if not files:
        return ""
    key = files[0], os.stat(files[0]).st_mtime
    if key not in _known:
        if context.is_late():
            return ""
        try:
            _known[key] = tool.run(["ivar-lines", *files], context).text
        except LoupeError as error:
            if error.code == "timeout":
                raise
            return ""
    return _known[key]


def _parsed(text: str) -> Lines:
    lines: Lines = {}
    for line in text.splitlines():
        words = line.split("\t")
        if len(words) == 4 and words[2].isdigit():
            lines[words[1]] = words[3], int(words[2])
    return lines
