"""What a Mach-O file says of itself: for which processors it is built, and how it is signed.

Read from the file alone, so that it works beside any debugger. Files are hostile: what does not fit
is not there. Layouts and flags are those of xnu's osfmk/kern/cs_blobs.h.
"""
from __future__ import annotations

import dataclasses
import plistlib
import struct
from typing import Any, BinaryIO, Dict, List, Optional, Tuple

_MAGIC_64, _MAGIC_FAT, _MAGIC_FAT_64 = 0xfeedfacf, 0xcafebabe, 0xcafebabf
_CODE_SIGNATURE = 0x1d  # a load command
_SUPER_BLOB, _DIRECTORY, _ENTITLEMENTS = 0xfade0cc0, 0xfade0c02, 0xfade7171
_HARDENED, _RESTRICTED, _VALIDATES_LIBRARIES, _AD_HOC = 0x10000, 0x800, 0x2000, 0x2
_WITH_TEAM = 0x20200  # version of a code directory
_MOST_SLICES, _MOST_COMMANDS, _MOST_BYTES = 32, 4096, 16 << 20
_CPU_ARM64, _CPU_X86_64, _SUBTYPE = 0x0100000c, 0x01000007, 0x00ffffff


@dataclasses.dataclass(frozen=True)
class Signature:
    team: str  # "": nobody's
    is_ad_hoc: bool
    is_hardened: bool
    is_restricted: bool
    validates_libraries: bool  # as the hardened runtime does, too
    is_of_system: bool
    entitlements: Dict[str, Any]

    def has(self, entitlement: str) -> bool:
        return self.entitlements.get(entitlement) is True


@dataclasses.dataclass(frozen=True)
class Slice:
    arch: str
    signature: Optional[Signature]  # None: it is not signed


def slices(path: str) -> List[Slice]:
    """Of each processor; none where the file is no Mach-O of 64 bits, or cannot be read."""
    try:
        with open(path, "rb") as file:
            found = [_slice(file, offset) for offset in _offsets(file)]
    except (OSError, ValueError, struct.error):
        return []
    return [part for part in found if part]


def _offsets(file: BinaryIO) -> List[int]:
    magic, count = struct.unpack(">II", _bytes(file, 0, 8))
    if magic == _MAGIC_FAT:
        return [struct.unpack(">5I", _bytes(file, 8 + 20 * number, 20))[2]
                for number in range(min(count, _MOST_SLICES))]
    if magic == _MAGIC_FAT_64:
        return [struct.unpack(">IIQQII", _bytes(file, 8 + 32 * number, 32))[2]
                for number in range(min(count, _MOST_SLICES))]
    return [0]


def _bytes(file: BinaryIO, offset: int, size: int) -> bytes:
    if size > _MOST_BYTES:
        raise ValueError("more than any file of this kind has")
    file.seek(offset)
    found = file.read(size)
    if len(found) != size:
        raise ValueError("the file ends before")
    return found


def _slice(file: BinaryIO, offset: int) -> Optional[Slice]:
    magic, cpu, subtype, _, count = struct.unpack("<5I", _bytes(file, offset, 20))
    if magic != _MAGIC_64:
        return None
    signature = None
    at = offset + 32
    for _ in range(min(count, _MOST_COMMANDS)):
        command, size = struct.unpack("<II", _bytes(file, at, 8))
        if command == _CODE_SIGNATURE:
            start, length = struct.unpack("<II", _bytes(file, at + 8, 8))
            signature = _signature(_bytes(file, offset + start, length))
        if size < 8:
            break
        at += size
    return Slice(_arch(cpu, subtype & _SUBTYPE), signature)


def _arch(cpu: int, subtype: int) -> str:
    if cpu == _CPU_ARM64:
        return "arm64e" if subtype == 2 else "arm64"
    if cpu == _CPU_X86_64:
        return "x86_64h" if subtype == 8 else "x86_64"
    return f"processor {cpu:#x}"


def _signature(blob: bytes) -> Optional[Signature]:
    """From a super blob: its first code directory, and entitlements as a property list."""
    magic, _, count = struct.unpack_from(">III", blob)
    if magic != _SUPER_BLOB:
        return None
    directory: Optional[Tuple[str, int, int]] = None
    entitlements: Dict[str, Any] = {}
    for number in range(min(count, _MOST_COMMANDS)):
        _, offset = struct.unpack_from(">II", blob, 12 + 8 * number)
        magic, length = struct.unpack_from(">II", blob, offset)
        if magic == _DIRECTORY and directory is None:
            directory = _directory(blob[offset:offset + length])
        elif magic == _ENTITLEMENTS:
            entitlements = _entitlements(blob[offset + 8:offset + length])
    if directory is None:
        return None
    team, flags, platform = directory
    return Signature(team, bool(flags & _AD_HOC), bool(flags & _HARDENED),
                     bool(flags & _RESTRICTED), bool(flags & _VALIDATES_LIBRARIES),
                     platform != 0, entitlements)


def _directory(blob: bytes) -> Tuple[str, int, int]:
    """Team, flags, platform."""
    version, flags = struct.unpack_from(">II", blob, 8)
    platform, = struct.unpack_from(">B", blob, 38)
    team = ""
    if version >= _WITH_TEAM:
        offset = struct.unpack_from(">I", blob, 48)[0]
        if offset:
            team = blob[offset:].split(b"\0")[0].decode("ascii", "replace")
    return team, flags, platform


def _entitlements(text: bytes) -> Dict[str, Any]:
    try:
        found = plistlib.loads(text)
    except Exception:  # a parser's own, of any kind
        return {}
    return found if isinstance(found, dict) else {}
