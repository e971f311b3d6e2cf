"""Whether this lldb can be asked about the C++ types of this program without crashing.

lldb 22 (19 does not) crashes when it completes two instances of a template whose arguments differ in
ownership alone, as vector<id> and vector<__weak id>: for it they are one type. No error can be
caught there, so a program that has both is not looked at with such an lldb.
"""
from __future__ import annotations

import re
from typing import Dict, Optional

from ..session.context import Context

import lldb

_LAST_GOOD = 19
_QUALIFIER = re.compile(r"\* ?__(?:weak|unsafe_unretained)\b")
_MOST = 200
_known: Dict[str, Optional[str]] = {}  # by process and number of modules


def problem(context: Context) -> Optional[str]:
    """Why C++ types are not to be looked at; None if they can be."""
    match = re.match(r"lldb version (\d+)", context.debugger.GetVersionString())
    if match is not None and int(match.group(1)) <= _LAST_GOOD:
        return None
    key = f"{context.process.GetUniqueID()}:{context.target.GetNumModules()}"
    if key not in _known:
        twin = _twin(context.target)
        _known[key] = (f"this lldb may crash over {twin}, which is there with strong references too"
                       if twin else None)
    return _known[key]


def _twin(target: lldb.SBTarget) -> str:
    """A template over weak or unretained objects that is there over strong ones too."""
    found = target.FindGlobalFunctions(r"<.*\* ?__(weak|unsafe_unretained)[ ,>]", _MOST,
                                       lldb.eMatchTypeRegex)
    owners = {_owner(match.GetSymbol().GetName() or "") for match in found}
    for owner in sorted(owners):
        if not _QUALIFIER.search(owner):
            continue
        for other in ("__strong", "__weak", "__unsafe_unretained"):
            twin = _QUALIFIER.sub(f"* {other}", owner)
            if twin != owner and _has_function(target, twin):
                return owner
    return ""


def _owner(name: str) -> str:
    """The class of a member function: std::vector<id> of std::vector<id>::size() const."""
    depth, last = 0, -1
    for index, letter in enumerate(name):
        if letter == "<":
            depth += 1
        elif letter == ">" and name[index - 1] != "-":
            depth -= 1
        elif letter == "(" and depth == 0 and last >= 0:
            break
        elif letter == ":" and depth == 0 and name[index - 1] == ">":
            last = index
    return name[:last] if last >= 0 else ""


def _has_function(target: lldb.SBTarget, owner: str) -> bool:
    pattern = re.escape(owner).replace("\\ ", " ?") + "::"
    return target.FindGlobalFunctions(pattern, 1, lldb.eMatchTypeRegex).GetSize() > 0
