"""Where an object can be held from without an object: globals, stacks, registers, what is named.

Gathered through lldb, handed to an engine as arguments (docs/protocol.md), which does the reading:
ranges are scanned word by word, and a word that leads to an object is taken for a reference to it.
"""
from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple

import lldb

from .context import Context
from .engines import arguments
from .names.debug_names import is_system_path

# Writable data that holds no reference a program made: the runtime's tables and the loader's.
_NO_ROOTS = ("objc_", "__cfstring", ".tdata", ".tbss", "__thread_", ".got", "__got", ".dynamic",
             ".init_array", ".fini_array", ".eh_frame")
# Where each word is the address of a class, of a category or of a loader's symbol: the place of one
# looks like an object of that class.
_CELLS = re.compile(r"objc_(class_?refs|class_?list|classes|superrefs|nl(class|cat)list|cat(list|s)2?|"
                    r"proto(col_)?refs|protolist|class_aliases)$|^\.got|^__(auth_)?got$")
_SYSTEM_DATA = 64 << 20  # bytes of system libraries' data that are scanned
_STACK = 16 << 20  # bytes of one stack
_DATA = 1 << 30  # bytes of one stretch of data
# What can hold a reference, by the name that some architecture has for it. Asked for one by one:
# to list a frame's registers takes seconds where lldb knows no Objective-C runtime.
_REGISTERS = ("rax", "rbx", "rcx", "rdx", "rdi", "rsi", "rbp",
              *(f"r{number}" for number in range(16)), *(f"x{number}" for number in range(31)),
              "fp", "lr", "eax", "ebx", "ecx", "edx", "edi", "esi", "ebp")
# Linux: the register that leads to a thread's own variables. Those of the modules stand below it
# (x86-64) or above (arm64), what the C library keeps of the thread, values by key among it, on the
# other side, in as many bytes as glibc's. No more is scanned: what is next to that comes and goes.
_THREAD_POINTERS = ("fs_base", "tpidr")
_VARIABLES_BELOW = "fs_base"
_CONTROL_BLOCK = 0x900
_ALIGNMENT = 64  # of a module's variables, at most
_THREAD_LOCAL = 16 << 10  # bytes of all of them
_PAGE = 4096
_RED_ZONE = 128  # bytes below a stack pointer that may be used all the same
_UNUSED_STACK = 64 << 10  # bytes below it that nobody uses, where nothing tells how large a stack is


@dataclass(frozen=True)
class Root:
    """kind and the rest of the argument; where: what a person calls it."""

    kind: str
    rest: str
    where: str
    thread: int = 0  # index id; 0: none

    @property
    def argument(self) -> str:
        start, *end = (int(place, 16) for place in self.rest.split())
        return arguments.scan(self.kind, start, *end) if end else arguments.root(self.kind, start)


@dataclass
class Roots:
    """In the order in which engines number them."""

    items: List[Root] = field(default_factory=list)
    left_out: List[str] = field(default_factory=list)  # phrases: what was not looked at
    threads_are_seen: bool = False  # what belongs to each thread is among them, as far as it can be
    cells: List[Tuple[int, int]] = field(default_factory=list)  # ranges that have no objects
    # All memory that can be written: nothing else leads to an object that no word of it leads to.
    writable: List[Tuple[int, int]] = field(default_factory=list)

    @property
    def arguments(self) -> str:
        return arguments.joined([
            *(arguments.cells(start, end) for start, end in _joined(sorted(self.cells), 0)),
            *(root.argument for root in self.items),
            *(arguments.search(start, end) for start, end in self.writable)])


def given(addresses: Sequence[Tuple[str, int]]) -> Roots:
    """Only what was named: expressions and where they lead."""
    return Roots([Root("given", f"{address:#x}", text) for text, address in addresses],
                 ["what the given roots do not reach"])


def everywhere(context: Context) -> Roots:
    """Globals of all modules, stacks and registers of all threads."""
    roots = Roots()
    roots.cells += _cells(context)
    _add_data(roots, context)
    roots.threads_are_seen = True
    size = _size_of_variables(context)
    for thread in context.process:
        variables = _thread_local(thread, size, context)
        roots.threads_are_seen &= variables is not None
        _add_stack(roots, thread, variables, context)
        _add_registers(roots, thread, context)
    roots.writable = list(_writable(context))
    roots.left_out += ["thread-local variables" + (" of libraries loaded later" if
                                                   roots.threads_are_seen else ""),
                       "memory of C and C++ that is no object"]
    return roots


# ---- Data of modules ----


def _add_data(roots: Roots, context: Context) -> None:
    system_left, skipped = _SYSTEM_DATA, 0
    for is_system, ranges, name in _data_of_modules(context):
        if any(end - start > _DATA for start, end in ranges):
            roots.left_out.append(f"part of the data of {name}")
            ranges = [(start, min(end, start + _DATA)) for start, end in ranges]
        size = sum(end - start for start, end in ranges)
        if is_system and size > system_left:
            skipped += size
            continue
        system_left -= size if is_system else 0
        roots.items += [Root("data", f"{start:#x} {end:#x}", name) for start, end in ranges]
    if skipped:
        roots.left_out.append(f"{skipped >> 20} MB of system libraries' data")


def _data_of_modules(context: Context) -> List[Tuple[bool, List[Tuple[int, int]], str]]:
    """(system's, ranges, name), the program's own first, by address: lldb's order differs from run
    to run. A module that lldb has twice, as the loader of a minidump, has its data once."""
    found: Dict[Tuple[int, int], Tuple[bool, List[Tuple[int, int]], str]] = {}
    for index in range(context.target.GetNumModules()):
        module = context.target.GetModuleAtIndex(index)
        ranges = list(_joined(sorted(_data_of(module, context))))
        if ranges and not _is_ours(module):
            is_system = is_system_path(module.GetFileSpec().fullpath or "")
            name = module.GetFileSpec().GetFilename() or "a module"
            found.setdefault(ranges[0], (is_system, ranges, name))
    return sorted(found.values())


def _is_ours(module: lldb.SBModule) -> bool:
    return os.path.basename(module.GetFileSpec().GetFilename() or "").startswith("libloupe_helper.")


def _data_of(module: lldb.SBModule, context: Context) -> Iterator[Tuple[int, int]]:
    for section in _sections(module):
        name = section.GetName() or ""
        writable = section.GetPermissions() & lldb.ePermissionsWritable
        if writable and not any(word in name for word in _NO_ROOTS):
            yield from _loaded(section, context)


def _cells(context: Context) -> Iterator[Tuple[int, int]]:
    for index in range(context.target.GetNumModules()):
        for section in _sections(context.target.GetModuleAtIndex(index)):
            if _CELLS.search(section.GetName() or ""):
                yield from _loaded(section, context)


def _loaded(section: lldb.SBSection, context: Context) -> Iterator[Tuple[int, int]]:
    """Where the section is, if it is anywhere."""
    start, size = section.GetLoadAddress(context.target), section.GetByteSize()
    if size and start != lldb.LLDB_INVALID_ADDRESS:
        yield start, start + size


def _sections(module: lldb.SBModule) -> Iterator[lldb.SBSection]:
    """Those that have no others inside."""
    sections = [module.GetSectionAtIndex(index) for index in range(module.GetNumSections())]
    while sections:
        section = sections.pop()
        inside = section.GetNumSubSections()
        sections += [section.GetSubSectionAtIndex(index) for index in range(inside)]
        if not inside:
            yield section


def _joined(ranges: Sequence[Tuple[int, int]], gap: int = 63) -> Iterator[Tuple[int, int]]:
    """Neighbours as one, also with a small gap between; what overlaps only once."""
    last = None
    for start, end in ranges:
        if last is not None and start - last[1] <= gap:
            last = (last[0], max(last[1], end))
            continue
        if last is not None:
            yield last
        last = (start, end)
    if last is not None:
        yield last


# ---- Threads ----


def _size_of_variables(context: Context) -> int:
    """Bytes of the variables that each thread has of its own, of all modules."""
    size = 0
    for index in range(context.target.GetNumModules()):
        for section in _sections(context.target.GetModuleAtIndex(index)):
            if section.GetName() in (".tdata", ".tbss"):
                size += section.GetByteSize() + _ALIGNMENT
    return min(size, _THREAD_LOCAL)


def _thread_local(thread: lldb.SBThread, size: int,
                  context: Context) -> Optional[Tuple[int, int]]:
    """Where a thread's own variables are, if its registers say it; no unused stack."""
    frame = thread.GetFrameAtIndex(0)
    for name in _THREAD_POINTERS:
        pointer = _register(frame, name)
        start, end = _region(pointer, context) if pointer else (0, 0)
        if start < end:
            used = frame.GetSP() if start <= frame.GetSP() < pointer else start
            below, above = size, _CONTROL_BLOCK
            if name != _VARIABLES_BELOW:
                below, above = above, below
            return max(used, pointer - below), min(end, pointer + above)
    return None


def _add_stack(roots: Roots, thread: lldb.SBThread, variables: Optional[Tuple[int, int]],
               context: Context) -> None:
    """The stack, and the thread's own variables, which may stand at its end."""
    number = thread.GetIndexID()
    start = thread.GetFrameAtIndex(0).GetSP()
    if not start or start == lldb.LLDB_INVALID_ADDRESS:
        roots.left_out.append(f"the stack of thread {number}")
        start = end = 0
    else:
        end = _end_of_stack(thread, start, context)
    if variables is not None:
        end = min(end, variables[0]) if start < variables[1] <= end + _THREAD_LOCAL else end
        roots.items.append(Root("thread-local", f"{variables[0]:#x} {variables[1]:#x}",
                                f"thread-local data of thread {number}", number))
    if end - start > _STACK:
        end = start + _STACK
        roots.left_out.append(f"part of the stack of thread {number}")
    if start < end:
        roots.items.append(Root("stack", f"{start:#x} {end:#x}", f"the stack of thread {number}",
                                number))


def _region(address: int, context: Context) -> Tuple[int, int]:
    """The writable memory around an address; empty if there is none, or it is not known."""
    region = lldb.SBMemoryRegionInfo()
    error = context.process.GetMemoryRegionInfo(address, region)
    known = error.Success() and region.IsWritable()
    return (region.GetRegionBase(), region.GetRegionEnd()) if known else (0, 0)


def _end_of_stack(thread: lldb.SBThread, start: int, context: Context) -> int:
    """Where its memory ends; if that is not known, where its outermost frame does."""
    _, end = _region(start, context)
    if end > start:
        return end
    outermost = thread.GetFrameAtIndex(thread.GetNumFrames() - 1).GetCFA()
    known = outermost != lldb.LLDB_INVALID_ADDRESS and outermost > start
    return int(outermost) if known else start


# ---- All memory ----


def _writable(context: Context) -> Iterator[Tuple[int, int]]:
    """What a word can stand in, less what no frame uses of stacks, and the helper's own data."""
    unused = [_unused_stack(thread, context) for thread in context.process]
    unused += _values_of_lldb(context)
    for index in range(context.target.GetNumModules()):
        module = context.target.GetModuleAtIndex(index)
        if _is_ours(module):
            unused += _data_of(module, context)
    regions, region = context.process.GetMemoryRegions(), lldb.SBMemoryRegionInfo()
    for index in range(regions.GetSize()):
        if regions.GetMemoryRegionAtIndex(index, region) and region.IsWritable() and \
                region.IsReadable():
            yield from _without(region.GetRegionBase(), region.GetRegionEnd(), sorted(unused))


def _values_of_lldb(context: Context) -> Iterator[Tuple[int, int]]:
    """The page in which lldb keeps values of expressions, where one was evaluated just now: the
    object's address stands there too. lldb takes new memory from the same page.
    """
    error, permissions = lldb.SBError(), lldb.ePermissionsReadable | lldb.ePermissionsWritable
    if not context.has_evaluated:
        return
    address = context.process.AllocateMemory(8, permissions, error)
    if error.Success() and address != lldb.LLDB_INVALID_ADDRESS:
        context.process.DeallocateMemory(address)
        yield address // _PAGE * _PAGE, (address // _PAGE + 1) * _PAGE


def _without(start: int, end: int, holes: Sequence[Tuple[int, int]]) -> Iterator[Tuple[int, int]]:
    """Holes are sorted by their starts."""
    for hole_start, hole_end in holes:
        if hole_start < end and hole_end > start:
            if start < hole_start:
                yield start, hole_start
            start = max(start, hole_end)
    if start < end:
        yield start, end


def _unused_stack(thread: lldb.SBThread, context: Context) -> Tuple[int, int]:
    """Below the stack pointer: all of a stack that the system made, a little of any other."""
    frame, region = thread.GetFrameAtIndex(0), lldb.SBMemoryRegionInfo()
    pointer = frame.GetSP()
    if not pointer or pointer == lldb.LLDB_INVALID_ADDRESS or \
            not context.process.GetMemoryRegionInfo(pointer, region).Success():
        return 0, 0
    start, end = region.GetRegionBase(), region.GetRegionEnd()
    is_systems = region.GetName() == "[stack]" or \
        any(start <= _register(frame, name) < end for name in _THREAD_POINTERS)
    return start if is_systems else max(start, pointer - _UNUSED_STACK), pointer - _RED_ZONE


def _add_registers(roots: Roots, thread: lldb.SBThread, context: Context) -> None:
    """Those of the innermost frame; what callers kept in registers is on the stack."""
    frame = thread.GetFrameAtIndex(0)
    seen: Set[int] = set()
    for name in _REGISTERS:
        word = _register(frame, name)
        if word in seen or word < 4096 or word % context.pointer_size:
            continue
        seen.add(word)
        roots.items.append(Root("register", f"{word:#x}",
                                f"register {name} of thread {thread.GetIndexID()}",
                                thread.GetIndexID()))


def _register(frame: lldb.SBFrame, name: str) -> int:
    """0 if there is no such register."""
    value = frame.FindRegister(name)
    value.SetPreferDynamicValue(lldb.eNoDynamicValues)  # else lldb looks for a runtime each time
    return int(value.GetValueAsUnsigned(0)) if value.IsValid() else 0
