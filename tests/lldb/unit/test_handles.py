"""Numbers for the objects of an answer: which are given, where they stand, what is typed with them."""
import unittest

from lldb_commands.errors import LoupeError
from lldb_commands.line import handles

RINGS = """\
2 retain cycles in the whole heap

1. Retain cycle of 2 objects, leaked: nothing outside the cycle retains it
  ╭─▶ Photo 0x1a00
  │   _handler  ivar      → block 0x1b00 at Photo.m:3
  ╰── self      captured  → Photo 0x1a00

2. An object that retains itself, leaked: nothing outside the cycle retains it
  ╭─▶ Node 0x2a00
  ╰── _next  ivar  → Node 0x2a00  slot 0x2a08
"""
TABLE = """\
2 instances found

  address  bytes  class
  0x1a00      32  Photo
  0x2a00      64  Photo
"""
KNOWN = 77


class Handles(unittest.TestCase):
    def test_entries_lend_their_numbers(self):
        self.assertEqual({1: 0x1a00, 2: 0x2a00, 3: 0x1b00}, handles.number(RINGS))

    def test_rows_of_a_table(self):
        self.assertEqual({1: 0x1a00, 2: 0x2a00}, handles.number(TABLE))

    def test_code_and_slots_are_no_objects(self):
        self.assertEqual({}, handles.number("the frame of main (0x7ff0)\nat 0x4000, slot 0x5000\n"))

    def test_each_stands_behind_its_first_place(self):
        text = handles._COLOUR.sub("", handles.shown(RINGS, handles.number(RINGS)))
        self.assertEqual(RINGS.replace("Photo 0x1a00\n  │", "Photo 0x1a00 #1\n  │")
                         .replace("0x1b00 at", "0x1b00 #3 at")
                         .replace("Node 0x2a00\n  ╰", "Node 0x2a00 #2\n  ╰").rstrip("\n"), text)

    def test_painted_addresses_are_objects_too(self):
        painted = RINGS.replace("Photo 0x1a00", "Photo \x1b[0;2m0x1a00\x1b[0m")
        self.assertIn("0x1a00\x1b[2m #1\x1b[0m", handles.shown(painted, handles.number(painted)))

    def test_findings_by_their_numbers(self):
        handles.remember(KNOWN, "1. Retain cycle of 2 objects, leaked: x; fingerprint 00000000000000aa\n  Photo 0x1a00"
                                "\n\n2. 3 leaks of Book, unreachable\n  0x2a00\n  In all: 3; fingerprint 00000000000000bb\n")
        self.assertEqual(("00000000000000aa", "Retain cycle of 2 objects"), handles.finding(KNOWN, "#1"))
        self.assertEqual(("00000000000000bb", "3 leaks of Book"), handles.finding(KNOWN, "#2"))
        self.assertEqual(("00000000000000cc", ""), handles.finding(KNOWN, "00000000000000cc"))
        with self.assertRaisesRegex(LoupeError, "#3 names no finding"):
            handles.finding(KNOWN, "#3")

    def test_what_is_typed(self):
        handles.remember(KNOWN, RINGS)
        handles.remember(KNOWN, "No retain cycle reachable from self")
        self.assertEqual("0x1b00->_x + 0x2a00", handles.replaced(KNOWN, "#3->_x + $loupe2"))
        self.assertEqual("self->_items[3]", handles.replaced(KNOWN, "self->_items[3]"))
        for typed, debugger, why in (("#4", KNOWN, "there is no #4: the last answer has #1 to #3"),
                                     ("#1", 78, "there is no #1: no answer has shown objects yet")):
            with self.assertRaisesRegex(LoupeError, why):
                handles.replaced(debugger, typed)


if __name__ == "__main__":
    unittest.main()
