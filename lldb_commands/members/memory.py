"""Words of the process, read by pages: a container's elements lie together."""
from __future__ import annotations

from typing import Dict, Optional

import lldb

from ..session.context import Context

_PAGE = 4096
_MOST_PAGES = 1 << 14


class Memory:
    """Reads at one stop."""

    def __init__(self, context: Context) -> None:
        self._process = context.process
        self._strip = context.strip
        self.word_size = context.pointer_size
        self._pages: Dict[int, Optional[bytes]] = {}

    def word(self, address: int) -> Optional[int]:
        data = self.read(address, self.word_size)
        return int.from_bytes(data, "little") if data is not None else None

    def pointer(self, address: int) -> Optional[int]:
        """A word that leads to code or a vtable, without its signature."""
        word = self.word(address)
        return self._strip(word) if word else word

    def read(self, address: int, size: int) -> Optional[bytes]:
        parts = b""
        while size > 0:
            page = self._page(address // _PAGE)
            if page is None:
                return None
            start = address % _PAGE
            part = page[start:start + size]
            parts += part
            address, size = address + len(part), size - len(part)
        return parts

    def _page(self, number: int) -> Optional[bytes]:
        if number not in self._pages:
            if len(self._pages) >= _MOST_PAGES:
                self._pages.clear()
            error = lldb.SBError()
            data = self._process.ReadMemory(number * _PAGE, _PAGE, error)
            self._pages[number] = data if error.Success() and data and len(data) == _PAGE else None
        return self._pages[number]
