"""Messages over a socket, with a time limit and an ear for whoever interrupts."""
from __future__ import annotations

import socket
import time
from contextlib import suppress
from typing import Tuple

from ..session.context import Context
from ..session.interruption import was_interrupted
from ..session.progress import Progress
from . import wire
from .wire import Body, Kind

_LOOKS = 0.1  # seconds between two looks at the clock, and at whether somebody interrupted
_GRACE = 2.0  # the other side ends by itself when the time is up, or when it is interrupted
_BUFFER = 1 << 20
_NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)  # a write to nobody ends no debugger
_SO_NOSIGPIPE = 0x1022  # the same on Apple's systems


class Late(Exception):
    """Too late, or too long after it was interrupted."""


class Talk:
    """What is said for one question."""

    def __init__(self, connection: socket.socket, context: Context) -> None:
        self.is_interrupted = False
        self._connection = connection
        self._debugger = context.debugger
        self._progress = Progress(context.debugger)
        self._end = time.monotonic() + context.seconds_left() + _GRACE
        self._next_look = time.monotonic() + _LOOKS
        self._received = bytearray()

    @staticmethod
    def ends() -> Tuple[socket.socket, socket.socket]:
        """Of a new connection: ours and theirs."""
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                with suppress(OSError):
                    end.setsockopt(socket.SOL_SOCKET, option, _BUFFER)
            if not _NO_SIGNAL:
                with suppress(OSError):
                    end.setsockopt(socket.SOL_SOCKET, _SO_NOSIGPIPE, 1)
        ours.settimeout(_LOOKS)
        return ours, theirs

    def send(self, message: bytes) -> None:
        """Late, or OSError where nobody is there."""
        rest = memoryview(message)
        while rest:
            try:
                rest = rest[self._connection.send(rest, _NO_SIGNAL):]
            except socket.timeout:
                self._look(can_say=False)  # nothing else in the middle of a message

    def receive(self) -> Tuple[Kind, Body]:
        """Late, EOFError or OSError where nobody is there, Nonsense."""
        self._look()
        kind, size = wire.header(self._bytes(wire.HEADER.size))
        return kind, Body(self._bytes(size))

    def _bytes(self, count: int) -> bytes:
        while len(self._received) < count:
            try:
                part = self._connection.recv(_BUFFER)
            except socket.timeout:
                self._look()
                continue
            if not part:
                raise EOFError
            self._received += part
        taken = bytes(self._received[:count])
        del self._received[:count]
        return taken

    def _look(self, can_say: bool = True) -> None:
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _LOOKS
        self._progress.tick()
        if now > self._end:
            raise Late
        if can_say and not self.is_interrupted and was_interrupted(self._debugger):
            self.is_interrupted = True
            self._end = min(self._end, now + _GRACE)
            self.send(wire.message(Kind.INTERRUPT))
