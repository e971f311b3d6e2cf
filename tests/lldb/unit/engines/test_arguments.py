"""What a question says beside its address: the bytes that the core's decoder is tested with."""
import pathlib
import unittest

from lldb_commands.engines import arguments
from lldb_commands.engines.arguments import (EXPLAIN, NO_FILTERS, SURVEY, code, debugger, fact,
                                             filter_of, joined, listed, of_class, read, register, root,
                                             scan, selector, stack_pointer)

SHARED = pathlib.Path(__file__).resolve().parents[3] / "unit" / "base" / "arguments.txt"


class Arguments(unittest.TestCase):
    def test_the_core_reads_what_is_written(self):
        """tests/unit/base/test_request.c checks that it decodes each line into the same."""
        lines = [
            joined([filter_of("UIView", "_subviewCache", None, "UIView drops it")]),
            joined([filter_of(None, "[*]", "Café", "why; not")]),
            joined([filter_of("*", None, "A", "w"), filter_of("block", "+0x20", "A", "b:$c"),
                    NO_FILTERS]),
            EXPLAIN,
            SURVEY,
            stack_pointer(0x7ffff7fff000),
            joined([NO_FILTERS, EXPLAIN, SURVEY, stack_pointer(0x80)]),
            joined([root("given", 0x10040), scan("data", 0x10000, 0x12000)]),
            joined([scan("stack", 0x20000, 0x20010), scan("register", 0, 0xfffff000),
                    root("thread-local", 0xffffffffffffffff)]),
            joined([register(31, "rsp", 0x7ffff7fff000), register(31, "fs_base", 0),
                    debugger(0x1000, 0x2000)]),
            fact(0x1000, "ivar", "strong", "debug-info", 0x2000, "_v[0]", slot=0x7f00),
            fact(0x1000, "capture", "member", "debug-info", 0x2000, "self->x", offset=0x20),
            fact(0x1000, "byref", "unclear", "formatter", 0, '"a key"(1)'),
            fact(0xffffffffffffffff, "element", "manual", "formatter", 0xffffffffffffffff, "%",
                 offset=0xffffffff),
            joined([fact(1, "user-info", "strong", "debug-info", 3, "a", slot=2),
                    fact(1, "association", "member", "formatter", 4, "b")]),
            joined([read(0x1000), read(0x1000), listed(20000)]),
            listed(1 << 26),
            joined([code(0x401000), code(0x7ffff7b46ce0)]),
            of_class("Café"),
            selector("setURL:timeout:"),
        ]
        self.assertEqual(SHARED.read_text(encoding="ascii").splitlines(), lines)

    def test_plain_letters_stay_others_are_written_in_hex(self):
        self.assertEqual("filter Router$ _a[1].b * it%3B%20%22lives%22%20%C3%A4%25",
                         filter_of("Router$", "_a[1].b", None, 'it; "lives" ä%'))

    def test_what_would_end_a_command_or_a_literal_is_never_plain(self):
        for letter in ";\" '`\\\n\r\0%*":
            text = arguments.filter_of(f"a{letter}b", None, None, letter)
            self.assertEqual(4, text.count(" "), letter)
            self.assertEqual(2, text.count(f"%{ord(letter):02X}"), letter)

    def test_empty_ones_do_not_count(self):
        self.assertEqual("explain", joined(["", EXPLAIN, ""]))
        self.assertEqual("", joined([]))


if __name__ == "__main__":
    unittest.main()
