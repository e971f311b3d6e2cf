"""loupe backtraces: where the threads are, by lldb's own unwinder or by the helper's, in one form.

The helper unwinds from the registers that lldb says, since its threads are held by lldb.
"""
from __future__ import annotations

from typing import Dict, Iterator, List, Optional, Tuple

import lldb

from ..engines import arguments, helper
from ..engines.question import Question
from ..errors import LoupeError
from ..names.code_names import CodeNames
from ..names.method_names import as_method
from ..protocol import Answer, Frame, Image, Thread
from ..session.context import Context

# What a caller's frame can depend on, by the names that lldb has for it on some architecture.
_REGISTERS = ("rip", "rsp", "rbp", "rbx", "r12", "r13", "r14", "r15", "pc", "sp", "fp", "lr",
              *(f"x{number}" for number in range(19, 29)))
_SIGNAL_RETURNS = ("__restore_rt", "_sigtramp", "__kernel_rt_sigreturn")


def ask(context: Context, engine: str, wanted: str) -> Answer:
    """An answer as the protocol has it, with the threads that were asked for; `wanted` is empty, or
    main, a number, a system's id, a name."""
    answer = _by_helper(context) if engine == "helper" else _by_lldb(context)
    if answer.get("status") == "error":
        raise LoupeError(str(answer["error"]["message"]), answer=answer)
    _take_names_of_lldb(answer, context)
    _add_names_of_source(answer, context, engine)
    if wanted:
        answer["threads"] = [thread for thread in answer["threads"] if _is_meant(thread, wanted)]
        if not answer["threads"]:
            raise LoupeError(f"there is no thread {wanted}: say main, a number from 0, the "
                             "system's id, or a name")
    return answer


def _is_meant(thread: Thread, wanted: str) -> bool:
    if wanted == "main":
        return bool(thread["number"] == 0)
    if wanted.isdigit():
        return int(wanted) in (thread["number"], thread["id"])
    return bool(thread["name"] == wanted)


# ---- The helper ----

def _by_helper(context: Context) -> Answer:
    told = arguments.joined(text for thread in context.process for text in _registers(thread))
    helper.inject(context)
    return helper.ask(Question("backtraces", 0, arguments=told), context)


def _registers(thread: lldb.SBThread) -> Iterator[str]:
    frame = thread.GetFrameAtIndex(0)
    for name in _REGISTERS:
        value = frame.FindRegister(name)
        value.SetPreferDynamicValue(lldb.eNoDynamicValues)
        if value.IsValid():
            yield arguments.register(thread.GetThreadID(), name, value.GetValueAsUnsigned(0))


def _take_names_of_lldb(answer: Answer, context: Context) -> None:
    """Threads may be known to lldb by better names than to the system."""
    known = {thread.GetThreadID(): thread for thread in context.process}
    for thread in answer["threads"]:
        found = known.get(thread["id"])
        if found is not None and found.GetName():
            thread["name"] = found.GetName()


def _add_names_of_source(answer: Answer, context: Context, engine: str) -> None:
    """What people call functions, which compilers encode, with the line: lldb knows how. Methods of
    stripped programs by the runtime's lists."""
    frames = [(frame, _place(frame, context)) for thread in answer["threads"]
              for frame in thread["frames"]]
    codes = CodeNames(context, engine)
    codes.look_up(_start(place, context) for _, place in frames
                  if not place.GetFunction().IsValid())
    for frame, place in frames:
        line = place.GetLineEntry()
        frame["name"] = _name_of_source(frame, place, codes, context)
        frame["file"] = line.GetFileSpec().GetFilename() if line.IsValid() else None
        frame["line"] = line.GetLine() if line.IsValid() else None


def _place(frame: Frame, context: Context) -> lldb.SBAddress:
    called = int(frame["address"], 16) - (not frame["interrupted"])
    return context.target.ResolveLoadAddress(called)


def _start(place: lldb.SBAddress, context: Context) -> int:
    """Of the function there, which lldb knows of stripped programs, too; 0: it does not."""
    symbol = place.GetSymbol()
    start = symbol.GetStartAddress().GetLoadAddress(context.target) if symbol.IsValid() else \
        lldb.LLDB_INVALID_ADDRESS
    return 0 if start == lldb.LLDB_INVALID_ADDRESS else int(start)


def _name_of_source(frame: Frame, place: lldb.SBAddress, codes: CodeNames,
                    context: Context) -> Optional[str]:
    function, symbol, mangled = place.GetFunction(), place.GetSymbol(), frame["symbol"]
    if function.IsValid() and mangled and as_method(mangled) == mangled and symbol.IsValid() \
            and symbol.GetMangledName() == mangled:
        return str(symbol.GetName())
    if function.IsValid():
        return as_method(str(function.GetName()))
    method = codes.at(_start(place, context)).method
    if method:
        return method
    if not mangled:
        return None
    is_same = symbol.IsValid() and mangled in (symbol.GetMangledName(), symbol.GetName())
    return as_method(str(symbol.GetName())) if is_same else None


# ---- lldb itself ----

def _by_lldb(context: Context) -> Answer:
    files: Dict[str, Image] = {}
    threads = [_thread(number, thread, context, files)
               for number, thread in enumerate(context.process)]
    return {"loupe": 1, "query": "backtraces", "engine": "memory", "status": "ok", "abi": None,
            "pointer_size": context.pointer_size, "misses_threads": False, "threads": threads,
            "images": list(files.values()), "not_followed": [],
            "stats": {"ms": context.milliseconds_waited()}}


def _thread(number: int, thread: lldb.SBThread, context: Context, files: Dict[str, Image]) -> Thread:
    frames: List[Frame] = []
    interrupted = True
    pc = 0  # of several functions that were inlined only the innermost has the real one
    for frame in thread:
        if frame.IsArtificial():  # lldb's guess of what called the next one as its last act
            continue
        pc = pc or frame.GetPC()
        if frame.IsInlined():
            continue
        shown = _frame(frame, pc, interrupted, context, files)
        interrupted, pc = str(shown["symbol"]) in _SIGNAL_RETURNS, 0
        frames.append(shown)
    asks = context.thread.IsValid() and thread.GetThreadID() == context.thread.GetThreadID()
    return {"number": number, "id": thread.GetThreadID(), "name": thread.GetName() or None,
            "asks": bool(asks), "registers": "all", "end": "outermost", "frames": frames}


def _frame(frame: lldb.SBFrame, pc: int, interrupted: bool, context: Context,
           files: Dict[str, Image]) -> Frame:
    module, symbol = frame.GetModule(), frame.GetSymbol()
    name = module.GetFileSpec().GetFilename() if module.IsValid() else None
    start = symbol.GetStartAddress().GetLoadAddress(context.target) if symbol.IsValid() else \
        lldb.LLDB_INVALID_ADDRESS
    has_symbol = start != lldb.LLDB_INVALID_ADDRESS and not symbol.IsSynthetic()
    if name:
        files.setdefault(name, _file(module, context))
    return {"address": f"{pc:#x}", "interrupted": interrupted, "image": name,
            "symbol": (symbol.GetMangledName() or symbol.GetName()) if has_symbol else None,
            "offset": pc - start if has_symbol else None}


def _file(module: lldb.SBModule, context: Context) -> Image:
    start, end = _extent(module, context)
    return {"file": module.GetFileSpec().fullpath, "start": f"{start:#x}", "end": f"{end:#x}",
            "build_id": " ".join(_bytes(module.GetUUIDString() or "")) or None}


def _bytes(uuid: str) -> List[str]:
    digits = uuid.replace("-", "").lower()
    return [digits[at:at + 2] for at in range(0, len(digits), 2)]


def _extent(module: lldb.SBModule, context: Context) -> Tuple[int, int]:
    """From the first to behind the last loaded byte; 0 and 0 where nothing is."""
    places = [(start, start + section.GetByteSize()) for section in module.section_iter()
              for start in [section.GetLoadAddress(context.target)]
              if start != lldb.LLDB_INVALID_ADDRESS]
    return (min(start for start, _ in places), max(end for _, end in places)) if places else (0, 0)
