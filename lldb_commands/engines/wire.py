"""The messages between lldb and `loupe engine`, byte by byte (readers/piped/wire.h). Imports no lldb."""
from __future__ import annotations

import enum
import struct
from dataclasses import dataclass
from typing import Iterable, Iterator, List, Optional, Tuple

VERSION = 1
HEADER = struct.Struct("<IHH")  # size of the body, kind, 0
LONGEST = 64 << 20
LONGEST_READ = 4 << 20
LONGEST_ANSWER = 1 << 30  # of all its parts
MOST_KNOWN = 256
MOST_FORETOLD = 512 << 10  # bytes of what is told before it is asked for
_LONGEST_FORETOLD = (16 << 10) + 64  # as much memory, and what stands around it
READ = struct.Struct("<QI")  # address and size of memory that is wanted
_REQUEST, _REPLY, _NUMBER = struct.Struct("<HI"), struct.Struct("<IB"), struct.Struct("<H")
IS_CORE, IS_APPLE, IS_HERE = 1, 2, 4
MORE, STAYS_OPEN = 1, 2
READABLE, WRITABLE, IS_STACK = 1, 2, 4
LOADED, SECTION_WRITABLE = 1, 2
ARCHITECTURES = {"x86_64": 1, "arm64": 2, "aarch64": 2}  # enum loupe_arch; 0 and 3:
NO_ARCHITECTURE, OTHER_ARCHITECTURE = 0, 3
_MOST = (1 << 64) - 1


class Kind(enum.IntEnum):
    HELLO = 1
    TARGET = 2
    OPEN = 3
    ASK = 4
    EXTEND = 5
    CLOSE = 6
    INTERRUPT = 7
    ANSWER = 8
    REFUSAL = 9
    REPLY = 10
    READ = 11
    REGION = 12
    FILE_PARTS = 13
    SYMBOL = 14
    NAME = 15
    LINE = 16
    REGIONS = 17
    IMAGES = 18
    SECTIONS = 19
    THREADS = 20
    REGISTERS = 21
    FRAMES_END = 22
    KNOWN = 23
    USED = 24


# What holds until the next TARGET: the engine asks for it once, and need not be told it again.
STAY_TRUE = (Kind.REGION, Kind.FILE_PARTS, Kind.SYMBOL, Kind.NAME, Kind.LINE, Kind.REGIONS, Kind.IMAGES,
             Kind.SECTIONS, Kind.THREADS)


class Nonsense(Exception):
    """What came is not what wire.h says."""


class Body:
    """What of a body was not taken yet."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._at = 0

    def take(self, size: int) -> int:
        return int.from_bytes(self._bytes(size), "little")

    def text(self) -> str:
        """What the other side says: names and sentences of ours."""
        try:
            return self._bytes(self.take(4)).decode("utf-8")
        except UnicodeDecodeError:
            raise Nonsense("a text is not UTF-8") from None

    def rest(self) -> bytes:
        return self._bytes(len(self.data) - self._at)

    def exactly(self, size: int) -> bytes:
        """All of it."""
        taken = self._bytes(size)
        self.end()
        return taken

    def has_more(self) -> bool:
        return self._at < len(self.data)

    def end(self) -> None:
        if self.has_more():
            raise Nonsense("a message is too long")

    def _bytes(self, count: int) -> bytes:
        if count > len(self.data) - self._at:
            raise Nonsense("a message is too short")
        self._at += count
        return self.data[self._at - count:self._at]


def message(kind: Kind, body: bytes = b"") -> bytes:
    if len(body) > LONGEST:
        raise Nonsense("a message would be too long")
    return HEADER.pack(len(body), kind, 0) + body


def header(data: bytes) -> Tuple[Kind, int]:
    """The kind of a message and the size of its body, from its first bytes."""
    size, kind, zero = HEADER.unpack(data)
    if zero or size > LONGEST or kind not in Kind.__members__.values():
        raise Nonsense("a message has no header of ours")
    return Kind(kind), size


def text(words: str) -> bytes:
    encoded = words.encode("utf-8", "surrogateescape")
    return struct.pack("<I", len(encoded)) + encoded


def number(value: int, size: int = 8) -> bytes:
    """An address or a count; what does not fit, as LLDB_INVALID_ADDRESS plus something, is cut."""
    return (value & _MOST).to_bytes(8, "little")[:size]


# ---- Messages of lldb ----

@dataclass(frozen=True)
class Target:
    """What is true of the whole process."""

    pointer_size: int
    architecture: int
    flags: int
    kept_bits: int
    set_bits: int
    process: int
    program: str

    def message(self) -> bytes:
        return message(Kind.TARGET, struct.pack(
            "<BBBBQQQ", self.pointer_size, self.architecture, self.flags, 0, self.kept_bits & _MOST,
            self.set_bits & _MOST, self.process & _MOST) + text(self.program))


def architecture(triple: str) -> int:
    """Its number, by the beginning of the target's triple."""
    if not triple:
        return NO_ARCHITECTURE
    return next((value for name, value in ARCHITECTURES.items() if triple.startswith(name)),
                OTHER_ARCHITECTURE)


def opening(query: str, address: int, limit: int, rings: int, microseconds: int, stays_open: bool,
            arguments: str, file: str) -> bytes:
    numbers = struct.pack("<QQIQQB", address & _MOST, limit, rings, microseconds, 0, stays_open)
    return message(Kind.OPEN, numbers + text(query) + text(arguments) + text(file))


def step(kind: Kind, microseconds: int, facts: str) -> bytes:
    """ASK or EXTEND."""
    return message(kind, number(microseconds) + text(facts))


def reply(found: Optional[bytes]) -> bytes:
    """The body of REPLY. None: that is not there."""
    return b"\1" if found is None else b"\0" + found


Asked = Tuple[Kind, bytes]  # a request: its kind and body


def may_be_foretold(request: bytes, found: Optional[bytes]) -> bool:
    """Large pieces of memory are worth their round trip, and a question that wants many another
    time may want others."""
    return len(request) + len(found or b"") <= _LONGEST_FORETOLD


def known(requests: Iterable[Tuple[Asked, Optional[bytes]]]) -> bytes:
    """Requests with what was found."""
    parts: List[bytes] = []
    for (kind, request), found in requests:
        size = 1 + len(found or b"")
        parts += (_REQUEST.pack(kind, len(request)), request,
                  _REPLY.pack(size, found is None), found or b"")
    return message(Kind.KNOWN, b"".join(parts))


def used(body: Body) -> Iterator[int]:
    """The numbers of those that were of use."""
    data = body.rest()
    if len(data) % _NUMBER.size:
        raise Nonsense("a message is too short")
    return (number for number, in _NUMBER.iter_unpack(data))


def texts(body: Body) -> List[str]:
    """All that are left in it."""
    found = []
    while body.has_more():
        found.append(body.text())
    return found
