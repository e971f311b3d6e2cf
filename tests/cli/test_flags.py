"""loupe explain flags."""
import typing
import unittest

from tool import ToolTest


class Flags(ToolTest):
    def names(self, number: str) -> typing.List[str]:
        return typing.cast(typing.List[str], self.explain("flags", number)["names"])

    def test_flags_that_clang_writes(self) -> None:
        self.assertEqual(self.names("0xc0000000"), ["HAS_SIGNATURE", "HAS_EXTENDED_LAYOUT"])
        self.assertEqual(self.names("0xC2000000"),
                         ["HAS_COPY_DISPOSE", "HAS_SIGNATURE", "HAS_EXTENDED_LAYOUT"])
        self.assertEqual(self.names("0xc6000000"), ["HAS_COPY_DISPOSE", "HAS_CTOR", "HAS_SIGNATURE",
                                                    "HAS_EXTENDED_LAYOUT"])
        self.assertEqual(self.names("0xd0800000"), ["IS_NOESCAPE", "IS_GLOBAL", "HAS_SIGNATURE",
                                                    "HAS_EXTENDED_LAYOUT"])
        self.assertEqual(self.names("0xe2000000"), ["HAS_COPY_DISPOSE", "USE_STRET",
                                                    "HAS_SIGNATURE", "HAS_EXTENDED_LAYOUT"])
        self.assertEqual(self.names("0x50000000"), ["IS_GLOBAL", "HAS_SIGNATURE"])
        self.assertEqual(self.names("0"), [])

    def test_decimal_and_negative_numbers(self) -> None:
        want = self.explain("flags", "0xc2000000")
        self.assertEqual(self.explain("flags", "3254779904"), want)
        self.assertEqual(self.explain("flags", "-1040187392"), want)
        self.assertEqual(self.names("-2147483648"), ["HAS_EXTENDED_LAYOUT"])

    def test_count_and_unknown_bits(self) -> None:
        self.assertEqual(self.explain("flags", "0xc3000004"), {
            "names": ["NEEDS_FREE", "HAS_COPY_DISPOSE", "HAS_SIGNATURE", "HAS_EXTENDED_LAYOUT"],
            "retain_count": 2})
        self.assertEqual(self.explain("flags", "0x001f0000"),
                         {"names": [], "unknown": "0x1f0000"})
        self.assertEqual(self.explain("flags", "0xffffffff")["retain_count"], 0x7fff)

    def test_table(self) -> None:
        self.assertEqual(self.text("explain", "flags", "0xc3010004"), """\
block flags 0xc3010004

  bit    mask        name                 meaning
  1-15   0x00000004  (count)              2 owners, where the runtime is Apple's
  24     0x01000000  NEEDS_FREE           on the heap
  25     0x02000000  HAS_COPY_DISPOSE     has copy and dispose helpers: it may own captures
  30     0x40000000  HAS_SIGNATURE        the descriptor has a signature
  31     0x80000000  HAS_EXTENDED_LAYOUT  the descriptor has an extended layout (not always filled)
  16-20  0x00010000  (unknown)            bits without a meaning
""")

    def test_every_flag_has_a_meaning(self) -> None:
        rows = self.text("explain", "flags", "0xffffffff").splitlines()[3:17]
        self.assertEqual(len(rows), 14)
        for row in rows:
            self.assertRegex(row, r"^  \S+ +0x[0-9a-f]{8}  \S+ +\w.*$")

    def test_table_says_when_nothing_is_owned(self) -> None:
        self.assertEqual(self.text("explain", "flags", "0"), """\
block flags 0x00000000

without HAS_COPY_DISPOSE: it owns no captures
""")
        self.assertTrue(self.text("explain", "flags", "0xd2800000").endswith(
            "\nwith IS_NOESCAPE: it owns no captures\n"))

    def test_nonsense(self) -> None:
        for word in ("", "zz", "0x", "c2000000x", "0x100000000", "4294967296", "-2147483649",
                     "--5", "1.5", " 1", "0x-1"):
            self.assertEqual(self.refuse("explain", "flags", "--", word),
                             f"explain flags: '{word}' is not a number of 32 bits (such as 0xc2000000)")
        self.assertEqual(self.refuse("explain", "flags"), "explain flags: no number given")
        self.assertEqual(self.refuse("explain", "flags", "1", "2"),
                         "explain flags: one number at a time")
        self.assertEqual(self.refuse("explain", "flags", "1", "--pointer-size", "4"),
                         "explain flags: unknown option --pointer-size")


if __name__ == "__main__":
    unittest.main()
