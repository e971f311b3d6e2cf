"""The messages to `loupe engine`, byte by byte, and what is refused; the numbers are those of wire.h."""
import pathlib
import re
import unittest

from lldb_commands.engines import wire
from lldb_commands.engines.wire import Body, Kind, Nonsense

HEADER = pathlib.Path(__file__).resolve().parents[4] / "readers" / "piped" / "wire.h"


class Messages(unittest.TestCase):
    def test_a_header_and_a_body(self):
        self.assertEqual(bytes.fromhex("04000000 1100 0000 01020304"),
                         wire.message(Kind.REGIONS, b"\1\2\3\4"))
        self.assertEqual((Kind.REGIONS, 4), wire.header(bytes.fromhex("04000000 1100 0000")))

    def test_headers_that_are_none_of_ours(self):
        for header in ("00000000 0000 0000", "00000000 1900 0000", "00000000 0100 0100",
                       "01000004 0100 0000", "ffffffff 0100 0000"):
            with self.assertRaises(Nonsense, msg=header):
                wire.header(bytes.fromhex(header))

    def test_fields_of_a_body(self):
        body = Body(wire.number(0x1234) + wire.text("näme") + b"rest")
        self.assertEqual(0x1234, body.take(8))
        self.assertEqual("näme", body.text())
        self.assertEqual(b"rest", body.rest())
        body.end()

    def test_bodies_of_another_length(self):
        for take in (lambda body: body.take(8), Body.text, Body.end):
            with self.assertRaises(Nonsense):
                take(Body(b"\xff\xff\xff\x7f"))
        with self.assertRaises(Nonsense):
            Body(b"\1\0\0\0\xff").text()

    def test_numbers_beyond_an_address_are_cut(self):
        self.assertEqual(bytes(8), wire.number(1 << 64))
        self.assertEqual(b"\xff" * 8, wire.number(-1))

    def test_what_is_longer_than_a_message_is_not_sent(self):
        with self.assertRaises(Nonsense):
            wire.message(Kind.REPLY, bytes(wire.LONGEST + 1))


class BothSides(unittest.TestCase):
    """wire.py says what wire.h says."""

    def test_kinds(self):
        text = HEADER.read_text(encoding="utf-8")
        listed = re.search(r"enum loupe_wire_kind \{(.*?)\};", text, re.S)[1]
        names = re.findall(r"LOUPE_WIRE_(\w+)", listed)
        self.assertEqual(names, [kind.name for kind in sorted(Kind)])
        self.assertEqual(list(range(1, len(names) + 1)), [int(kind) for kind in sorted(Kind)])

    def test_limits_and_flags(self):
        text = HEADER.read_text(encoding="utf-8")
        values = {name: eval(value) for name, value in  # products of numbers
                  re.findall(r"LOUPE_WIRE_(\w+) = ([\d *]+)", text)}
        self.assertEqual(1, values.pop("HELLO"))
        self.assertEqual(wire.HEADER.size, values.pop("HEADER"))
        self.assertGreater(len(values), 10)
        for name, value in values.items():
            self.assertEqual(value, getattr(wire, name), name)


if __name__ == "__main__":
    unittest.main()
