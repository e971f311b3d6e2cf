"""Which pages a process has, by this one and by one that it traces."""
import ctypes
import mmap
import os
import signal
import sys
import unittest

from lldb_commands.engines import pages

PTRACE_TRACEME = 0


def traced_child():
    """A process that this one traces, and that stands still."""
    libc = ctypes.CDLL(None)
    child = os.fork()
    if not child:
        libc.ptrace(PTRACE_TRACEME, 0, 0, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
    os.waitpid(child, 0)
    return child


@unittest.skipUnless(sys.platform == "linux", "only Linux tells of pages")
class Pages(unittest.TestCase):
    def test_pages_that_nobody_wrote_to_are_not_there(self):
        with mmap.mmap(-1, 8 * mmap.PAGESIZE) as memory:
            memory[3 * mmap.PAGESIZE] = 1
            at = ctypes.c_char.from_buffer(memory)
            start = ctypes.addressof(at) + 3 * mmap.PAGESIZE
            del at
            there = [(start, mmap.PAGESIZE), (start + 8, 8), (start + mmap.PAGESIZE - 1, 1)]
            missing = [(start + mmap.PAGESIZE, 1), (start - 1, 1), (start - 1, 2),
                       (start, mmap.PAGESIZE + 1)]
            self.assertEqual([True] * 3, [pages.are_there(os.getpid(), *part) for part in there])
            self.assertEqual([False] * 4, [pages.are_there(os.getpid(), *part) for part in missing])

    def test_where_nobody_tells_they_are(self):
        self.assertTrue(pages.are_there(0, 0x1000, 8))

    def test_only_who_is_traced_by_us_is_here(self):
        child = traced_child()
        try:
            self.assertTrue(pages.is_here(child))
            self.assertFalse(pages.is_here(os.getpid()))
            self.assertFalse(pages.is_here(1))
            self.assertFalse(pages.is_here(0))
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


if __name__ == "__main__":
    unittest.main()
