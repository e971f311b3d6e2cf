"""What lldb knows of a process, for `loupe engine` (readers/piped/wire.h): one function for each
request. All of them only read: nothing runs in the process, and nothing of it is changed.

The same as plugin/target_reader.cpp and plugin/process_parts.cpp, by the same functions of lldb.
"""
from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Callable, Dict, Iterator, List, Optional, Set, Tuple

import lldb

from ..session.context import Context
from . import pages, wire
from .regions import Regions
from .wire import Body, Kind, Nonsense

_PAGE = 4096
_SIGN = 1 << 55  # of an arm64 address: which bits above it are its own
_ALL_BITS = (1 << 64) - 1
_MOST_IMAGES = 4096  # of the loader's list; a longer one is not believed
_OF_NOTE, _MOST_READS = 1 << 14, 4096  # bytes and number of reads that are noted
_MOST_LEVELS = 16  # of sections in sections
Request = Callable[["SeenByLldb", Body], Optional[bytes]]


@dataclass(frozen=True)
class _FilePart:
    """What a read-only section of a module's file holds, where it is loaded, and its pages."""

    first_page: int
    end_page: int
    start: int
    section: lldb.SBSection

    @property
    def end(self) -> int:
        return self.start + int(self.section.GetFileByteSize())


class SeenByLldb:
    """One process at one stop."""

    def __init__(self, context: Context) -> None:
        self._process = context.process
        self._target = context.target
        self._is_core = context.is_core
        self._id = int(context.process.GetProcessID())
        self._is_here = not self._is_core and pages.is_here(self._id)
        self._regions = Regions(context.process)
        self._parts: Optional[List[_FilePart]] = None
        self._error = lldb.SBError()  # of reads, which say by what they give whether they failed
        self._was_read: Set[bytes] = set()  # requests: their pages are there

    def target(self) -> wire.Target:
        triple = self._target.GetTriple() or ""
        kept, put = self._bits_of_addresses()
        flags = (wire.IS_CORE if self._is_core else 0) | \
            (wire.IS_APPLE if "-apple-" in triple else 0) | \
            (wire.IS_HERE if self._is_here else 0)
        executable = self._target.GetExecutable()
        return wire.Target(4 if self._target.GetAddressByteSize() == 4 else 8,
                           wire.architecture(triple), flags, kept, put,
                           self._id, _path(executable))

    def reply(self, kind: Kind, body: Body) -> Optional[bytes]:
        """None: that is not there. Nonsense: that is not a request."""
        answer = _REQUESTS.get(kind)
        if answer is None:
            raise Nonsense(f"{kind.name} is not a request")
        return answer(self, body)

    def may_answer_unasked(self, kind: Kind, request: bytes) -> bool:
        """Whether the reply makes no pages for the process, whatever it did since it was asked for."""
        if kind != Kind.READ or not self._is_here or request in self._was_read:
            return True
        return pages.are_there(self._id, *wire.READ.unpack(Body(request).exactly(wire.READ.size)))

    def _bits_of_addresses(self) -> Tuple[int, int]:
        """Which bits lldb keeps of an address whose bit 55 is clear, and which it sets in another:
        by that bit it knows what of a signed or tagged word is the address (since lldb 16)."""
        if not hasattr(self._process, "FixAddress"):
            return _ALL_BITS, 0
        return int(self._process.FixAddress(_ALL_BITS ^ _SIGN)), \
            int(self._process.FixAddress(_SIGN))

    # ---- Memory ----

    def read(self, body: Body) -> Optional[bytes]:
        address, size = wire.READ.unpack(body.exactly(wire.READ.size))
        if not 0 < size <= wire.LONGEST_READ or address + size > 1 << 64:
            raise Nonsense("more is to be read than can be")
        data = self._process.ReadMemory(address, size, self._error)
        if data is None or len(data) != size:
            return self._read_from_file(address, size)
        if size <= _OF_NOTE and len(self._was_read) < _MOST_READS:
            self._was_read.add(body.data)
        found: bytes = data
        return found

    def region(self, body: Body) -> Optional[bytes]:
        start, end, address = body.take(8), body.take(8), body.take(8)
        body.end()
        found = self._regions.around(start, end, address)
        if not found:
            return None
        return b"".join(struct.pack("<QQQB", region.asked, region.start, region.end, region.readable)
                        for region in found)

    # ---- What a core file leaves to the files of its modules ----

    def file_parts(self, body: Body) -> Optional[bytes]:
        body.end()
        return b"".join(struct.pack("<QQ", part.first_page, part.end_page)
                        for part in self._file_parts())

    def _file_parts(self) -> List[_FilePart]:
        if self._parts is None:
            self._parts = list(self._find_file_parts()) if self._is_core else []
        return self._parts

    def _find_file_parts(self) -> Iterator[_FilePart]:
        for module in _modules(self._target):
            for index in range(module.GetNumSections()):
                section = module.GetSectionAtIndex(index)
                start, size = section.GetLoadAddress(self._target), section.GetFileByteSize()
                if start == lldb.LLDB_INVALID_ADDRESS or not size or \
                        section.GetPermissions() & lldb.ePermissionsWritable:
                    continue
                last = (start + size - 1) // _PAGE * _PAGE
                yield _FilePart(start // _PAGE * _PAGE, last + _PAGE, start, section)

    def _read_from_file(self, address: int, size: int) -> Optional[bytes]:
        """Code and constants, which cores often leave out. The rest of a segment's first and last
        page, which nothing in the program refers to, reads as zero."""
        part = next((part for part in self._file_parts()
                     if part.first_page <= address < part.end_page), None)
        if part is None or address + size > part.end_page:
            return None
        first, end = max(address, part.start), min(address + size, part.end)
        if first >= end:
            return bytes(size)
        error = lldb.SBError()
        data = part.section.GetSectionData(first - part.start, end - first)
        found = data.ReadRawData(error, 0, end - first)
        if not error.Success() or found is None or len(found) != end - first:
            return None
        return bytes(first - address) + bytes(found) + bytes(address + size - end)

    # ---- Symbols ----

    def symbol(self, body: Body) -> Optional[bytes]:
        name = body.text()
        body.end()
        starts = []
        found = self._target.FindSymbols(name)
        for index in range(found.GetSize()):
            symbol = found.GetContextAtIndex(index).GetSymbol()
            start = symbol.GetStartAddress()
            if start.GetLoadAddress(self._target) != lldb.LLDB_INVALID_ADDRESS and \
                    symbol.GetType() != lldb.eSymbolTypeUndefined:
                starts.append(start)
        if not starts:
            return None
        start = starts[0] if len(starts) == 1 else self._first_loaded(starts)
        return wire.number(start.GetLoadAddress(self._target))

    def _first_loaded(self, starts: List[lldb.SBAddress]) -> lldb.SBAddress:
        """The symbol that the program itself uses is that of the first image in the loader's list.
        lldb loads images in parallel (since version 18), so the order of its own list differs from
        run to run."""
        word = self._target.GetAddressByteSize()
        for image in self._link_maps(word):
            # struct link_map: where it was loaded, its name, its dynamic section, the next one.
            module = self._target.ResolveLoadAddress(self._pointer(image + 2 * word)).GetModule()
            for start in starts:
                if module.IsValid() and start.GetModule() == module:
                    return start
        return starts[0]

    def _link_maps(self, word: int) -> Iterator[int]:
        lists = self._target.FindSymbols("_r_debug")
        if not lists.GetSize():
            return
        start = lists.GetContextAtIndex(0).GetSymbol().GetStartAddress()
        image = self._pointer(start.GetLoadAddress(self._target) + word)
        # Cap: the first symbol of lldb's own list.
        for _ in range(_MOST_IMAGES):
            if not image:
                return
            yield image
            image = self._pointer(image + 3 * word)

    def _pointer(self, address: int) -> int:
        """The word at an address; 0 where it cannot be read."""
        error = lldb.SBError()
        word = self._process.ReadPointerFromMemory(address & _ALL_BITS, error)
        return int(word) if error.Success() else 0

    def name(self, body: Body) -> Optional[bytes]:
        address = body.take(8)
        body.end()
        symbol = self._target.ResolveLoadAddress(address).GetSymbol()
        if not symbol.IsValid():
            return None
        start = symbol.GetStartAddress().GetLoadAddress(self._target)
        name = symbol.GetMangledName() or symbol.GetName()
        if not name or start == lldb.LLDB_INVALID_ADDRESS or start > address:
            return None
        return wire.number(address - start) + wire.text(name)

    def line(self, body: Body) -> Optional[bytes]:
        address = body.take(8)
        body.end()
        entry = self._target.ResolveLoadAddress(address).GetLineEntry()
        file = entry.GetFileSpec()
        if not entry.IsValid() or not entry.GetLine() or not file.GetFilename():
            return None
        return wire.number(entry.GetLine(), 4) + wire.text(_path(file))

    # ---- What the process consists of ----

    def regions(self, body: Body) -> Optional[bytes]:
        body.end()
        regions = self._process.GetMemoryRegions()
        packed = []
        info = lldb.SBMemoryRegionInfo()
        for index in range(regions.GetSize()):
            if not regions.GetMemoryRegionAtIndex(index, info):
                return None
            flags = (wire.READABLE if info.IsReadable() else 0) | \
                (wire.WRITABLE if info.IsWritable() else 0) | \
                (wire.IS_STACK if info.GetName() == "[stack]" else 0)
            packed.append(struct.pack("<QQB", info.GetRegionBase(), info.GetRegionEnd(), flags))
        return b"".join(packed)

    def images(self, body: Body) -> Optional[bytes]:
        body.end()
        return b"".join(wire.text(_path(module.GetFileSpec()))
                        for module in _modules(self._target))

    def sections(self, body: Body) -> Optional[bytes]:
        image = body.take(4)
        body.end()
        if image >= self._target.GetNumModules():
            return None
        module = self._target.GetModuleAtIndex(image)
        return b"".join(self._section(leaf) for index in range(module.GetNumSections())
                        for leaf in _leaves(module.GetSectionAtIndex(index), 0))

    def _section(self, section: lldb.SBSection) -> bytes:
        start = section.GetLoadAddress(self._target)
        flags = (wire.LOADED if start != lldb.LLDB_INVALID_ADDRESS else 0) | \
            (wire.SECTION_WRITABLE if section.GetPermissions() & lldb.ePermissionsWritable else 0)
        return struct.pack("<QQB", start, section.GetByteSize(), flags) + \
            wire.text(section.GetName() or "")

    def threads(self, body: Body) -> Optional[bytes]:
        body.end()
        return b"".join(wire.number(self._process.GetThreadAtIndex(index).GetThreadID())
                        for index in range(self._process.GetNumThreads()))

    def registers(self, body: Body) -> Optional[bytes]:
        """One by one and as plain numbers: with dynamic values lldb looks for a runtime each time,
        which takes seconds where it knows none."""
        frame = self._process.GetThreadAtIndex(body.take(4)).GetFrameAtIndex(0)
        packed = []
        for name in wire.texts(body):
            value = frame.FindRegister(name)
            value.SetPreferDynamicValue(lldb.eNoDynamicValues)
            known = value.IsValid()
            packed.append(struct.pack("<BQ", known, value.GetValueAsUnsigned(0) if known else 0))
        return b"".join(packed)

    def frames_end(self, body: Body) -> Optional[bytes]:
        thread = self._process.GetThreadAtIndex(body.take(4))
        body.end()
        count = thread.GetNumFrames()
        end = thread.GetFrameAtIndex(count - 1).GetCFA() if count else lldb.LLDB_INVALID_ADDRESS
        return None if end == lldb.LLDB_INVALID_ADDRESS else wire.number(end)


_REQUESTS: Dict[Kind, Request] = {
    Kind.READ: SeenByLldb.read, Kind.REGION: SeenByLldb.region,
    Kind.FILE_PARTS: SeenByLldb.file_parts, Kind.SYMBOL: SeenByLldb.symbol,
    Kind.NAME: SeenByLldb.name, Kind.LINE: SeenByLldb.line, Kind.REGIONS: SeenByLldb.regions,
    Kind.IMAGES: SeenByLldb.images, Kind.SECTIONS: SeenByLldb.sections,
    Kind.THREADS: SeenByLldb.threads, Kind.REGISTERS: SeenByLldb.registers,
    Kind.FRAMES_END: SeenByLldb.frames_end,
}


def _modules(target: lldb.SBTarget) -> Iterator[lldb.SBModule]:
    for index in range(target.GetNumModules()):
        yield target.GetModuleAtIndex(index)


def _leaves(section: lldb.SBSection, level: int) -> Iterator[lldb.SBSection]:
    """lldb's sections are a tree; segments are those on top."""
    inside = section.GetNumSubSections() if level < _MOST_LEVELS else 0
    for index in range(inside):
        yield from _leaves(section.GetSubSectionAtIndex(index), level + 1)
    if not inside:
        yield section


def _path(file: lldb.SBFileSpec) -> str:
    """Of any length."""
    folder = file.GetDirectory()
    return (f"{folder}/" if folder else "") + (file.GetFilename() or "")
