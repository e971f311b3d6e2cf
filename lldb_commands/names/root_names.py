"""What the roots of an answer are called: globals, variables of frames, registers.

Works in place: each root that the answer mentions gets "name" (of a variable, or null) and "where".
"""
from __future__ import annotations

import os
import re
from typing import Optional, Sequence, Tuple, Union

import lldb

from ..protocol import Answer, NotScanned, Root
from ..session.context import Context
from .code_names import CodeNames, place_of
from .method_names import as_method

# Marks of the linker, which seem to reach up to the next symbol, and names that lldb makes up.
_NO_VARIABLE = re.compile(r"(?:__bss_start|_?edata|_?end|(?:__)?data_start|__TMC_END__|__dso_handle|"
                          r"_GLOBAL_OFFSET_TABLE_|_DYNAMIC)(?:__)?$|___lldb_unnamed_symbol")


# What an answer says was not looked at (docs/protocol.md, "not_scanned"), for people.
_GAPS = {"autorelease-pools": "autorelease pools",
         "regions": "some regions of memory",
         "images": "data of some libraries",
         "data-part": "part of the data of {image}",
         "system-data": "{megabytes} MB of system libraries' data",
         "threads": "some threads",
         "stack": "the stack of thread {thread}",
         "stack-part": "part of the stack of thread {thread}",
         "registers": "the registers of thread {thread}",
         "thread-local": "thread-local variables",
         "later-thread-local": "thread-local variables of libraries loaded later",
         "raw-memory": "non-object memory of C and C++",
         "reserved-memory": "regions of memory of more than 64 GB",
         "memory-of-others": "memory that another process fills in (userfaultfd, FUSE)",
         "shared-memory": "shared memory that the process has no pages of",
         "not-copied": "memory that was not read before the process ran on",
         "beyond-given": "objects that the given roots do not reach"}

# Kinds of roots of a heap that have a variable, and what they are called here.
_OF_HEAPS = {"global": "data", "stack": "stack"}


def name_roots(answer: Answer, given: Sequence[str], context: Context, code: CodeNames) -> None:
    """given: the expressions whose values were named as roots, in their order."""
    holders = [*(answer.get("holders") or []), *(answer.get("memory") or [])]
    mentioned = [root for holder in holders for root in [holder.get("root")] if root]
    _name_owners(answer, context, code)
    for root in [*mentioned, *(answer.get("roots") or [])]:
        root["name"], root["where"] = _named(root, given, context, code)
        root["may_be_stale"] = root["kind"] == "stack" and _is_stale(root, context)
    answer["not_walked"] = [_gap(gap, context) for gap in answer.get("not_scanned") or []]


def is_variable(root: Root) -> bool:
    """Of a root of a whole heap: whether it has a place that a variable can have."""
    return bool(root.get("slot")) and root.get("kind") in _OF_HEAPS


def of_heap(root: Root, context: Context, code: CodeNames) -> Tuple[Optional[str], str]:
    """The variable that such a root is, or None, and where that is."""
    told = root.copy()
    told["kind"] = _OF_HEAPS[root["kind"]]
    if "thread_id" in root:
        told["thread"] = root["thread_id"]
    else:
        told.pop("thread", None)
    return _named(told, (), context, code)


def _name_owners(answer: Answer, context: Context, code: CodeNames) -> None:
    """Roots that memory without a class is part of."""
    for thing in (answer.get("objects") or {}).values():
        part_of = thing.get("part_of") or {}
        if "root" in part_of and is_variable(part_of["root"]):
            name, where = of_heap(part_of["root"], context, code)
            part_of["root"].update({"name": name, "where": where})


def _gap(gap: NotScanned, context: Context) -> str:
    what = str(gap.get("what"))
    return _GAPS.get(what, what).format(image=_file_name(gap), thread=_thread_number(gap, context),
                                        megabytes=int(gap.get("bytes") or 0) >> 20)


def _file_name(owned: Union[Root, NotScanned]) -> str:
    return os.path.basename(str(owned.get("image") or "")) or "a module"


def _thread_number(owned: Union[Root, NotScanned], context: Context) -> int:
    """lldb's number of the thread that an answer names by the system's id; 0: none."""
    thread = context.process.GetThreadByID(owned["thread"]) if "thread" in owned else None
    return int(thread.GetIndexID()) if thread is not None and thread.IsValid() else 0


def variable_at(address: int, context: Context) -> Optional[Tuple[Optional[str], str]]:
    """What an address on a stack or in data is the place of: thing, local of main, thread 1. Without
    a name: a word in a frame. None: it is in neither, or nothing tells."""
    for thread in context.process:
        number = thread.GetIndexID()
        if _is_on_stack(address, thread):
            return _local_at(address, number, context)
    symbol = _symbol_at(address, context)
    if not symbol.IsValid() or symbol.GetType() != lldb.eSymbolTypeData:
        return None
    module = symbol.GetStartAddress().GetModule().GetFileSpec().GetFilename() or "a library"
    return _global_at(address, module, context)


def _is_on_stack(address: int, thread: lldb.SBThread) -> bool:
    count = thread.GetNumFrames()
    if count == 0:
        return False
    end = thread.GetFrameAtIndex(count - 1).GetCFA()
    return end != lldb.LLDB_INVALID_ADDRESS and \
        int(thread.GetFrameAtIndex(0).GetSP()) <= address < int(end)


def _named(root: Root, given: Sequence[str], context: Context,
           code: CodeNames) -> Tuple[Optional[str], str]:
    kind, thread = root.get("kind"), _thread_number(root, context)
    if kind == "given":
        return given[root["number"]], "given"
    if kind == "autorelease-pool":
        return None, f"autorelease pool of thread {thread}" if thread else "autorelease pool"
    if kind == "register":
        return None, f"register {root.get('register')} of thread {thread}"
    if kind == "kernel":
        return None, f"{root.get('holder')} (kept by the kernel)"
    if kind == "thread-local":
        return None, f"thread-local data of thread {thread}"
    if kind == "class":
        return None, "system class"
    if kind == "memory":
        return None, "other memory"
    address = int(str(root.get("slot")), 16)
    if kind == "data":
        return _global_at(address, _file_name(root), context)
    return _local_at(address, thread, context, code)


# ---- Data ----


def _global_at(address: int, module: str, context: Context) -> Tuple[Optional[str], str]:
    symbol = _symbol_at(address, context)
    name = symbol.GetName() if symbol.IsValid() else None
    if not name or _NO_VARIABLE.match(name):
        return place_of(address, context) or None, f"global in {module}"
    offset = address - symbol.GetStartAddress().GetLoadAddress(context.target)
    variable = _debug_info(name, address - offset, context)
    kind = "global" if symbol.IsExternal() else "static"
    if variable is None:
        return name + (f"+{offset:#x}" if offset else ""), f"{kind} in {module}"
    file = variable.GetDeclaration().GetFileSpec().GetFilename()
    return path_in(variable, name, address), f"{kind} in {file or module}"


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


def _local_at(address: int, number: int, context: Context,
              code: Optional[CodeNames] = None) -> Tuple[Optional[str], str]:
    thread = context.process.GetThreadByIndexID(number)
    frame = _frame_of(address, thread)
    if frame is None:
        return None, f"the stack of thread {number}, above its frames"
    function = code.of_frame(frame) if code else \
        as_method(frame.GetDisplayFunctionName() or "a frame")
    where = f"{function}, thread {number}"
    for variable in frame.GetVariables(True, True, False, False, lldb.eNoDynamicValues):
        if not _holds(variable, address):
            continue
        kind = "argument" if variable.GetValueType() == lldb.eValueTypeVariableArgument else "local"
        name = path_in(variable, variable.GetName() or "a variable", address)
        return name, f"{kind} of {where}"
    return None, f"stack of {where}"


def _is_stale(root: Root, context: Context) -> bool:
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
