"""Blocks in `frame variable`: a summary line, and the captured variables as children; objects with
what they say of themselves, and the ivars that the runtime has. What does so is loaded when a variable is shown first.

Opt-in: `type category enable loupe`. Then `frame variable blk` says where the block was written,
`frame variable -P1 blk` shows its captures, and `frame variable blk->captured` works.
"""
from __future__ import annotations

import importlib
import sys

import lldb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict

CATEGORY = "loupe"


def register(debugger: lldb.SBDebugger, package: str) -> None:
    """Adds the category, disabled. lldb 14 cannot ask a function which types are meant."""
    for kind in (f"synthetic add -l {package}.variables.formatters.captures",
                 f"summary add -e -F {package}.variables.formatters.summary"):
        for match in (f"--recognizer-function {package}.variables.formatters.is_block", r'-x "\(\^"'):
            result = lldb.SBCommandReturnObject()
            debugger.GetCommandInterpreter().HandleCommand(
                f"type {kind} -w {CATEGORY} {match}", result)
            if result.Succeeded():
                break
    if sys.platform == "darwin":
        return
    # A type cannot be told to be an object's by its name: lldb 14 does without.
    for kind in (f"synthetic add -l {package}.variables.formatters.ivars",
                 f"summary add -e -F {package}.variables.formatters.object_summary"):
        debugger.GetCommandInterpreter().HandleCommand(
            f"type {kind} -w {CATEGORY} --recognizer-function {package}.variables.formatters.is_object",
            lldb.SBCommandReturnObject())


def is_block(kind: lldb.SBType, _internal: Dict[str, Any]) -> bool:
    return "(^" in (kind.GetCanonicalType().GetName() or "")


def is_object(kind: lldb.SBType, _internal: Dict[str, Any]) -> bool:
    """An object or a pointer to one; not a class."""
    classes = lldb.eTypeClassObjCObjectPointer | lldb.eTypeClassObjCObject | \
        lldb.eTypeClassObjCInterface
    return bool(kind.GetCanonicalType().GetTypeClass() & classes) and kind.GetName() != "Class"


def summary(value: lldb.SBValue, _internal: Dict[str, Any]) -> str:
    text: str = _module("block_formatters").summary(value)
    return text


def object_summary(value: lldb.SBValue, _internal: Dict[str, Any]) -> str:
    text: str = _module("object_formatters").summary(value)
    return text


def captures(value: lldb.SBValue, _internal: Dict[str, Any]) -> Any:
    return _module("block_formatters").Captures(value)


def ivars(value: lldb.SBValue, internal: Dict[str, Any]) -> Any:
    return _module("object_formatters").Ivars(value, internal)


def _module(name: str) -> Any:
    return importlib.import_module(f"{__package__}.{name}")
