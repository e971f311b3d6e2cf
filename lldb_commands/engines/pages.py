"""Whether a process is on this machine, and which pages it has: where it has none, a look would make
the kernel find some (Linux; readers/process/page_map.h). Imports no lldb."""
from __future__ import annotations

import mmap
import os
import struct
from contextlib import suppress

_MOST_GENERATIONS = 3
_IS_THERE = 3 << 62  # of a word of /proc/PID/pagemap: in memory, or swapped out


def is_here(process: int) -> bool:
    """Whether a process of this number is here and is the one that lldb has: who traces it, lldb's
    server, was started by us. Any other may be on another machine."""
    at = _number_in(process, "TracerPid:")
    # Cap: a process that is not ours is read as it stands.
    for _ in range(_MOST_GENERATIONS):
        if at <= 1:
            return False
        if at == os.getpid():
            return True
        at = _number_in(at, "PPid:")
    return False


def _number_in(process: int, name: str) -> int:
    """The number behind a name in /proc/PID/status; 0: there is none."""
    with suppress(OSError, ValueError):
        with open(f"/proc/{process}/status", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith(name):
                    return int(line[len(name):])
    return 0


def are_there(process: int, address: int, size: int) -> bool:
    """Whether a process here has all pages of some memory. Where nobody tells: yes."""
    first, last = address // mmap.PAGESIZE, (address + size - 1) // mmap.PAGESIZE
    try:
        with open(f"/proc/{process}/pagemap", "rb", buffering=0) as file:
            file.seek(first * 8)
            words = file.read((last - first + 1) * 8)
    except OSError:
        return True
    return all(word & _IS_THERE for word, in struct.iter_unpack("<Q", words[:len(words) // 8 * 8]))
