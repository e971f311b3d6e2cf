"""Reads a Mach-O relocatable object: symbols, and data with what its pointers lead to.

As much as data needs, of x86_64, arm64 and 32-bit ARM (<mach-o/loader.h>, <mach-o/reloc.h>). The
sections of an object have addresses of their own, from 0 up; a pointer in data is a relocation.
"""
from __future__ import annotations

import struct
from typing import Dict, List, NamedTuple, Optional, Tuple

_MAGIC_32, _MAGIC_64 = 0xFEEDFACE, 0xFEEDFACF
_SEGMENT, _SYMTAB, _SEGMENT_64 = 0x1, 0x2, 0x19
_STAB, _TYPE, _IN_SECTION = 0xE0, 0x0E, 0x0E
_SCATTERED = 0x80000000
_UNSIGNED = 0  # X86_64_RELOC_UNSIGNED, ARM64_RELOC_UNSIGNED, ARM_RELOC_VANILLA
_AUTHENTICATED = 11  # ARM64_RELOC_AUTHENTICATED_POINTER: the upper half of the word says how
_ZERO_FILL = 0x1


class Section(NamedTuple):
    name: str  # "__DATA,__const"
    address: int
    data: bytes


class Pointer(NamedTuple):
    """What a word in data leads to: a symbol, or an address in the object, plus a distance."""

    symbol: Optional[str]
    address: Optional[int]  # None: in another object


class _Relocation(NamedTuple):
    is_symbol: bool  # number is a symbol's, else a section's
    number: int
    is_signed: bool


class MachObject:
    def __init__(self, data: bytes) -> None:
        self._data = data
        magic, = struct.unpack_from("<I", data)
        if magic not in (_MAGIC_32, _MAGIC_64):
            raise ValueError(f"not a little-endian Mach-O object: magic {magic:#x}")
        self.word = 8 if magic == _MAGIC_64 else 4
        self.sections: List[Section] = []
        self.symbols: Dict[str, int] = {}  # by C name, without the leading underscore
        self._symbol_list: List[Tuple[str, Optional[int]]] = []
        self._relocations: Dict[int, _Relocation] = {}  # by address
        self._read_commands()

    # ---- What the file holds ----

    def _read_commands(self) -> None:
        count, = struct.unpack_from("<I", self._data, 16)
        place = 32 if self.word == 8 else 28
        for _ in range(count):
            command, size = struct.unpack_from("<II", self._data, place)
            if command in (_SEGMENT, _SEGMENT_64):
                self._read_segment(place)
            elif command == _SYMTAB:
                self._read_symbols(place)
            place += size

    def _read_segment(self, place: int) -> None:
        head, entry = (72, "<16s16sQQIIIIIIII") if self.word == 8 else (56, "<16s16sIIIIIIIII")
        count, = struct.unpack_from("<I", self._data, place + head - 8)
        for number in range(count):
            fields = struct.unpack_from(entry, self._data,
                                        place + head + number * struct.calcsize(entry))
            name, segment, address, size, offset, _, relocations, pointers, flags = fields[:9]
            in_file = b"" if flags & 0xFF == _ZERO_FILL else self._data[offset:offset + size]
            self.sections.append(Section(f"{_text(segment)},{_text(name)}", address, in_file))
            self._read_relocations(address, relocations, pointers)

    def _read_relocations(self, section_address: int, offset: int, count: int) -> None:
        for number in range(count):
            address, info = struct.unpack_from("<II", self._data, offset + 8 * number)
            kind = info >> 28
            is_word = 1 << (info >> 25 & 3) == self.word and not info >> 24 & 1
            if not address & _SCATTERED and is_word and kind in (_UNSIGNED, _AUTHENTICATED):
                self._relocations[section_address + address] = _Relocation(
                    bool(info >> 27 & 1), info & 0xFFFFFF, kind == _AUTHENTICATED)

    def _read_symbols(self, place: int) -> None:
        table, count, strings, _ = struct.unpack_from("<IIII", self._data, place + 8)
        entry = "<IBBHQ" if self.word == 8 else "<IBBHI"
        for number in range(count):
            index, kind, _, _, value = struct.unpack_from(entry, self._data,
                                                          table + number * struct.calcsize(entry))
            end = self._data.index(0, strings + index)
            name = self._data[strings + index:end].decode("latin-1")
            defined = not kind & _STAB and kind & _TYPE == _IN_SECTION
            self._symbol_list.append((name, value if defined else None))
            if defined:
                self.symbols[name[1:] if name.startswith("_") else name] = value

    # ---- Data ----

    def _bytes_from(self, address: int) -> bytes:
        for section in self.sections:
            if section.address <= address < section.address + len(section.data):
                return section.data[address - section.address:]
        raise ValueError(f"no data at {address:#x}")

    def integer(self, address: int) -> int:
        return int.from_bytes(self._bytes_from(address)[:self.word], "little")

    def pointer(self, address: int) -> Optional[Pointer]:
        """What the word at an address leads to; None: it is a number."""
        if address not in self._relocations:
            return None
        relocation = self._relocations[address]
        stored = self.integer(address) & (0xFFFFFFFF if relocation.is_signed else ~0)
        if not relocation.is_symbol:
            return Pointer(None, stored)
        name, value = self._symbol_list[relocation.number]
        name = name[1:] if name.startswith("_") else name
        return Pointer(name, None if value is None else value + stored)

    def string(self, address: int) -> bytes:
        """The bytes up to the NUL."""
        data = self._bytes_from(address)
        return data[:data.index(0)]

    def name_of(self, pointer: Optional[Pointer]) -> Optional[str]:
        """The symbol that a pointer leads to, exactly."""
        if pointer is None:
            return None
        if pointer.symbol is not None:
            return pointer.symbol
        for name, value in self.symbols.items():
            if value == pointer.address and not name.startswith("ltmp"):
                return name
        return None


def _text(field: bytes) -> str:
    return field.rstrip(b"\0").decode("ascii")
