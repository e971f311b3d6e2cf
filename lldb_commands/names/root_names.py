"""What the roots of an answer are called: globals, variables of frames, registers.

Works in place: each root that the answer mentions gets "name" (of a variable, or null) and "where".
"""
from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Tuple

import lldb

from ..context import Context
from ..roots import Root, Roots
from .code_names import CodeNames, place_of
from .method_names import as_method

Json = Dict[str, Any]
# Marks of the linker, which seem to reach up to the next symbol, and names that lldb makes up.
_NO_VARIABLE = re.compile(r"(?:__bss_start|_?edata|_?end|(?:__)?data_start|__TMC_END__|__dso_handle|"
                          r"_GLOBAL_OFFSET_TABLE_|_DYNAMIC)(?:__)?$|___lldb_unnamed_symbol")


def name_roots(answer: Json, roots: Roots, context: Context, code: CodeNames) -> None:
    mentioned: List[Json] = [holder["root"] for holder in answer.get("holders") or []
                             if holder.get("root")]
    for root in [*mentioned, *(answer.get("roots") or [])]:
        number = root.get("number")
        if isinstance(number, int) and number < len(roots.items):
            root["name"], root["where"] = _named(root, roots.items[number], context,
                                                  code)
            root["may_be_stale"] = root["kind"] == "stack" and _is_stale(root, context)
    abi = answer.get("abi")
    # GNUstep's own pools are objects, to which threads lead; libobjc2 has pools of its own.
    seen = abi == "gcc" or (abi == "apple" and roots.threads_are_seen)
    pools = [] if seen or not roots.left_out or _only_given(roots) else ["autorelease pools"]
    answer["not_walked"] = [*pools, *roots.left_out]


def variable_at(address: int, context: Context) -> Optional[Tuple[Optional[str], str]]:
    """What an address on a stack or in data is the place of: thing, local of main, thread 1. Without
    a name: a word in a frame. None: it is in neither, or nothing tells."""
    for thread in context.process:
        number = thread.GetIndexID()
        if _is_on_stack(address, thread):
            return _local_at(address, Root("stack", "", f"stack of thread {number}", number), context)
    symbol = _symbol_at(address, context)
    if not symbol.IsValid() or symbol.GetType() != lldb.eSymbolTypeData:
        return None
    module = symbol.GetStartAddress().GetModule().GetFileSpec().GetFilename() or "a library"
    return _global_at(address, Root("data", "", module), context)


def _is_on_stack(address: int, thread: lldb.SBThread) -> bool:
    count = thread.GetNumFrames()
    if count == 0:
        return False
    end = thread.GetFrameAtIndex(count - 1).GetCFA()
    return end != lldb.LLDB_INVALID_ADDRESS and \
        int(thread.GetFrameAtIndex(0).GetSP()) <= address < int(end)


def _only_given(roots: Roots) -> bool:
    return all(item.kind == "given" for item in roots.items)


def _named(root: Json, item: Root, context: Context,
           code: CodeNames) -> Tuple[Optional[str], str]:
    slot = root.get("slot")
    if item.kind == "given":
        return item.where, "given"
    if root.get("kind") == "autorelease-pool":
        return None, f"autorelease pool of thread {item.thread}" if item.thread else \
            "an autorelease pool"
    if slot is None or item.kind == "thread-local":
        return None, item.where
    address = int(str(slot), 16)
    if item.kind == "data":
        return _global_at(address, item, context)
    return _local_at(address, item, context, code)


# ---- Data ----


def _global_at(address: int, item: Root, context: Context) -> Tuple[Optional[str], str]:
    symbol = _symbol_at(address, context)
    name = symbol.GetName() if symbol.IsValid() else None
    if not name or _NO_VARIABLE.match(name):
        return place_of(address, context) or None, f"data of {item.where}"
    offset = address - symbol.GetStartAddress().GetLoadAddress(context.target)
    variable = _debug_info(name, address - offset, context)
    kind = "global" if symbol.IsExternal() else "static"
    if variable is None:
        return name + (f"+{offset:#x}" if offset else ""), f"{kind} in {item.where}"
    file = variable.GetDeclaration().GetFileSpec().GetFilename()
    return path_in(variable, name, address), f"{kind} in {file or item.where}"


def _symbol_at(address: int, context: Context) -> lldb.SBSymbol:
    """The symbol there. lldb 16 and older do not place what takes no room in the file, as .bss."""
    symbol = context.target.ResolveLoadAddress(address).GetSymbol()
    for number in range(context.target.GetNumModules() if not symbol.IsValid() else 0):
        module = context.target.GetModuleAtIndex(number)
        header = module.GetObjectFileHeaderAddress()
        slide = header.GetLoadAddress(context.target) - header.GetFileAddress()
        inside = module.ResolveFileAddress(address - slide) if address >= slide else None
        if inside is not None and inside.GetSymbol().IsValid():
            return inside.GetSymbol()
    return symbol


def _debug_info(symbol: str, address: int, context: Context) -> Optional[lldb.SBValue]:
    """The variable of that symbol; a static of a function is called FUNCTION.NAME."""
    for name in dict.fromkeys((symbol, symbol.rsplit(".", 1)[-1])):
        for value in context.target.FindGlobalVariables(name, 100):
            if value.GetLoadAddress() == address:
                return value
    return None


# ---- Stacks ----


def _local_at(address: int, item: Root, context: Context,
              code: Optional[CodeNames] = None) -> Tuple[Optional[str], str]:
    thread = context.process.GetThreadByIndexID(item.thread)
    frame = _frame_of(address, thread)
    if frame is None:
        return None, f"{item.where}, above its frames"
    function = code.of_frame(frame) if code else \
        as_method(frame.GetDisplayFunctionName() or "a frame")
    where = f"{function}, thread {item.thread}"
    for variable in frame.GetVariables(True, True, False, False, lldb.eNoDynamicValues):
        if not _holds(variable, address):
            continue
        kind = "argument" if variable.GetValueType() == lldb.eValueTypeVariableArgument else "local"
        name = path_in(variable, variable.GetName() or "a variable", address)
        return name, f"{kind} of {where}"
    return None, f"a word in the frame of {where}"


def _is_stale(root: Json, context: Context) -> bool:
    """Whether no variable that is in use now stands there: what a call left behind, a variable of a
    scope that ended or has not begun, or a copy that the compiler keeps."""
    address = int(str(root["slot"]), 16)
    frames = (frame for thread in context.process if _is_on_stack(address, thread)
              for frame in [_frame_of(address, thread)] if frame is not None)
    return not any(_holds(variable, address) and variable.IsInScope()
                   for frame in frames
                   for variable in frame.GetVariables(True, True, False, False,
                                                      lldb.eNoDynamicValues))


def _holds(variable: lldb.SBValue, address: int) -> bool:
    start = variable.GetLoadAddress()
    return start != lldb.LLDB_INVALID_ADDRESS and start <= address < start + _size(variable)


def _frame_of(address: int, thread: lldb.SBThread) -> Optional[lldb.SBFrame]:
    for frame in thread:
        end = frame.GetCFA()
        if end != lldb.LLDB_INVALID_ADDRESS and address < end and not frame.IsInlined():
            return frame
    return None


def _size(variable: lldb.SBValue) -> int:
    return int(variable.GetType().GetByteSize())


def path_in(variable: lldb.SBValue, name: str, address: int) -> str:
    """items[2] and pair.first: the plain member of a variable that stands at address."""
    while True:
        inner = _member_at(variable, address)
        if inner is None:
            return name
        step = inner.GetName() or ""
        name += step if step.startswith("[") else f".{step}"
        variable = inner


def _member_at(variable: lldb.SBValue, address: int) -> Optional[lldb.SBValue]:
    kind = variable.GetType().GetCanonicalType().GetTypeClass()
    if not kind & (lldb.eTypeClassStruct | lldb.eTypeClassArray | lldb.eTypeClassUnion):
        return None
    variable = variable.GetNonSyntheticValue()
    for index in range(min(variable.GetNumChildren(), 256)):
        member = variable.GetChildAtIndex(index)
        start = member.GetLoadAddress()
        if start != lldb.LLDB_INVALID_ADDRESS and start <= address < start + _size(member):
            return member
    return None
