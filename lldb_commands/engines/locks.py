"""Whether code can be loaded into the process now: nobody may be in malloc, the loader, the runtime.

Loading takes the loader's lock and calls malloc. Where the asking thread stands in malloc itself, or
another one that stays stopped does, the call waits for ever; it is cut off in the end, and the
loader's lock stays taken: the program hangs when it next loads a library or throws an exception.

Frames tell on every system. On Linux the lock words do, too, where a thread cannot be unwound.
"""
from __future__ import annotations

import re
import struct
from typing import Iterator, Optional, Tuple

import lldb

from ..errors import LoupeError
from ..session.context import Context

_LOADER = re.compile(r"ld-(linux|elf|\d).*|dyld(_sim)?|libdyld\.dylib|linker(64)?")
# musl's loader is its C library.
_C_LIBRARY = re.compile(r"lib(c|dl|pthread)([-.].*)?\.so.*|ld-musl.*|libsystem_.*|libSystem.*")
_ALLOCATOR = re.compile(r"libsystem_malloc\.dylib|lib(je|tc|mi)malloc.*")
_RUNTIME = re.compile(r"libobjc[.\d].*")
_LOADING = re.compile(r"dl(open|mopen|close|sym|vsym|addr|addr1|_iterate_phdr)(_\w+)?|_*dl_\w+")
# A program may have an allocator of its own in its place.
_ALLOCATING = re.compile(r"malloc|free|calloc|realloc|reallocarray|memalign|posix_memalign|"
                         r"aligned_alloc|valloc|pvalloc")
_IN_ALLOCATOR = re.compile(r"_*(GI_+)?(libc_|int_|mid_)?(malloc|free|calloc|realloc|memalign|"
                           r"malloc_\w+|sysmalloc|systrim|unlink_chunk|arena_\w+|tcache_\w+)(\.\w+)*")
# Classes are registered by these, which call nothing of the program while they hold a lock.
_REGISTERING = re.compile(r"_*(objc_load|objc_exec_class|load_images|map_images\w*)")
# Where programs are stopped on purpose, and what waits for a lock of the program's own.
_HARMLESS = ("start", "objc_exception_throw", "objc_sync_enter", "objc_begin_catch",
             "objc_terminate")
_MOST_FRAMES = 4096
_FRAMES_AT_ONCE = 64  # between two looks at the clock


def obstacle(context: Context) -> Optional[str]:
    """Why nothing is to be loaded now, in words, or None. LoupeError: there is no time to tell."""
    for number, thread in enumerate(context.process):
        if number:
            _hurry(context)
        for where, function in _places(thread, context):
            return f"thread {thread.GetIndexID()} is in {where} ({function})"
    return held_lock(context)


def _hurry(context: Context) -> None:
    if context.is_late():
        raise LoupeError("there was no time to see whether the helper can be loaded: allow more with "
                         "--timeout, or use --engine memory")


def _places(thread: lldb.SBThread, context: Context) -> Iterator[Tuple[str, str]]:
    """What of these the thread is in, and the name of the function. Frames are unwound one by one:
    in an endless recursion there are many."""
    innermost = True
    # Cap: lock words tell of what is further out.
    for number in range(_MOST_FRAMES):
        frame = thread.GetFrameAtIndex(number)
        if not frame.IsValid():
            return
        if number % _FRAMES_AT_ONCE == _FRAMES_AT_ONCE - 1:
            _hurry(context)
        module = frame.GetModule().GetFileSpec().GetFilename() or ""
        function = frame.GetSymbol().GetName() or frame.GetFunctionName() or ""
        function = function.split("@", maxsplit=1)[0]
        place = _place(module, function, innermost)
        if place:
            yield place, function or module
        innermost = innermost and bool(_C_LIBRARY.fullmatch(module))


def _place(module: str, function: str, innermost: bool) -> Optional[str]:
    """innermost: no code of the program has been called from there."""
    if function in _HARMLESS:
        return None
    if _LOADER.fullmatch(module) or _LOADING.fullmatch(function) and _C_LIBRARY.fullmatch(module):
        return "the loader"
    if _ALLOCATOR.fullmatch(module) or _ALLOCATING.fullmatch(function) or \
            _IN_ALLOCATOR.fullmatch(function) and _C_LIBRARY.fullmatch(module):
        return "malloc"
    if _REGISTERING.fullmatch(function) or innermost and _RUNTIME.fullmatch(module):
        return "the Objective-C runtime"
    return None


# ---- Lock words of glibc ----

_RECURSIVE = 1
_MUTEX = struct.Struct("<IIIII")  # lock, count, owner, users, kind


def held_lock(context: Context) -> Optional[str]:
    """The lock of the loader or of malloc that a thread holds, in words, or None."""
    owner = _owner_in_loader(context)
    if owner is not None:
        return f"thread {owner} holds a lock of the loader"
    arena = _object("main_arena", context)
    if arena is not None and len(arena) >= 4 and struct.unpack_from("<I", arena)[0] in (1, 2):
        return "a thread holds the lock of malloc"
    return None


def _owner_in_loader(context: Context) -> Optional[int]:
    """Where its locks are in _rtld_global differs by version; what a taken one looks like does not:
    recursive, taken once or more, by a thread that there is."""
    data = _object("_rtld_global", context) or b""
    threads = {thread.GetThreadID(): thread.GetIndexID() for thread in context.process}
    for at in range(0, len(data) - _MUTEX.size, 8):
        lock, count, owner, users, kind = _MUTEX.unpack_from(data, at)
        if lock in (1, 2) and count and users == 1 and kind == _RECURSIVE and owner in threads:
            return int(threads[owner])
    return None


def _object(name: str, context: Context) -> Optional[bytes]:
    """The bytes of a variable of the C library or the loader."""
    if context.is_darwin:
        return None
    for match in context.target.FindSymbols(name, lldb.eSymbolTypeData):
        symbol, module = match.GetSymbol(), match.GetModule().GetFileSpec().GetFilename() or ""
        size = symbol.GetEndAddress().GetFileAddress() - symbol.GetStartAddress().GetFileAddress()
        address = symbol.GetStartAddress().GetLoadAddress(context.target)
        if not (_LOADER.fullmatch(module) or _C_LIBRARY.fullmatch(module)) \
                or address == lldb.LLDB_INVALID_ADDRESS or not 0 < size <= 1 << 16:
            continue
        error = lldb.SBError()
        data = context.process.ReadMemory(address, size, error)
        if error.Success() and data:
            return bytes(data)
    return None


def is_of_system(module: lldb.SBModule) -> bool:
    """Whether a module is the C library or the loader, whose functions are what they are called."""
    name = module.GetFileSpec().GetFilename() or ""
    return bool(_C_LIBRARY.fullmatch(name) or _LOADER.fullmatch(name))
