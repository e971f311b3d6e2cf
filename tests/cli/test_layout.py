"""loupe explain layout."""
import typing
import unittest

from tool import Bytes, ToolTest

Capture = typing.Tuple[str, int]


def words(kind: str, first: int, count: int) -> typing.List[Capture]:
    return [(kind, first + 8 * i) for i in range(count)]


class Layout(ToolTest):
    def captures(self, *arguments: Bytes) -> typing.List[Capture]:
        answer = self.explain("layout", *arguments)
        size = 4 if "4" in arguments else 8
        self.assertEqual({capture["size"] for capture in answer["captures"]} - {size}, set())
        return [(capture["kind"], capture["offset"]) for capture in answer["captures"]]

    def test_inline_word_counts_strong_byref_weak(self) -> None:
        self.assertEqual(self.captures("0x111"), [("strong", 32), ("byref", 40), ("weak", 48)])
        self.assertEqual(self.captures("0x201"), [("strong", 32), ("strong", 40), ("weak", 48)])
        self.assertEqual(self.captures("0xF00"), words("strong", 32, 15))
        self.assertEqual(self.captures("0x070"), words("byref", 32, 7))
        self.assertEqual(self.captures("0x1"), [("weak", 32)])
        self.assertEqual(self.captures("0x0"), [])

    def test_bytes_are_an_opcode_and_a_count_less_one(self) -> None:
        self.assertEqual(self.captures("3f", "30", "40", "50", "00"),
                         words("strong", 32, 17) + [("byref", 168), ("weak", 176)])
        self.assertEqual(self.captures("20", "30", "20", "50", "00"), [("strong", 40), ("weak", 56)])
        self.assertEqual(self.captures("60"), [("unretained", 32)])
        self.assertEqual(self.captures("30", "60"), [("strong", 32), ("unretained", 40)])
        self.assertEqual(self.captures("21", "31"), words("strong", 48, 2))
        self.assertEqual(self.captures("23", "31"), words("strong", 64, 2))
        self.assertEqual(self.captures("21", "30"), [("strong", 48)])
        self.assertEqual(self.captures("30", "20", "30"), [("strong", 32), ("strong", 48)])
        self.assertEqual(self.captures("10", "30", "00"), [("strong", 33)])  # a packed struct
        self.assertEqual(self.captures("00"), [])

    def test_notations(self) -> None:
        want = self.captures("3f", "30", "40", "50", "00")
        notations: typing.List[typing.List[Bytes]] = [
            ["3f30405000"], ["3f 30 40 50 00"], ["\\x3f\\x30\\x40\\x50"], ["x3fx30x40x50"],
            ["\\x3f0@P"], ['"?0@P"'], ["0x3f", "0x30", "0x40", "0x50", "0x00"],
            ["0x3f 0x30 0x40 0x50"], ["3F304050"]]
        for notation in notations:
            self.assertEqual(self.captures(*notation), want, notation)

    def test_json(self) -> None:
        self.assertEqual(self.explain("layout", "30", "20", "12", "50"), {
            "captures": [{"offset": 32, "size": 8, "kind": "strong"},
                         {"offset": 51, "size": 8, "kind": "weak"}],
            "other": [{"offset": 40, "size": 11, "kind": "data"}]})

    def test_4_byte_pointers(self) -> None:
        self.assertEqual(self.captures("0x120", "--pointer-size", "4"),
                         [("strong", 20), ("byref", 24), ("byref", 28)])
        self.assertEqual(self.captures("21", "31", "--pointer-size", "4"),
                         [("strong", 28), ("strong", 32)])

    def test_start_of_a_byref_variable(self) -> None:
        self.assertEqual(self.captures("0x100", "--start", "40"), [("strong", 40)])
        self.assertEqual(self.captures("20", "30", "50", "00", "--start", "40"),
                         [("strong", 48), ("weak", 56)])
        self.assertEqual(self.captures("0x100", "--start", "0"), [("strong", 0)])

    def test_byte_without_a_meaning_ends_what_is_known(self) -> None:
        self.assertEqual(self.explain("layout", "30", "f0", "40"), {
            "captures": [{"offset": 32, "size": 8, "kind": "strong"}], "other": [],
            "incomplete": True})
        self.assertEqual(self.refuse("explain", "layout", "f0", "30"),
                         "explain layout: a layout does not start with f0")
        self.assertEqual(self.refuse("explain", "layout", "01"),
                         "explain layout: a layout does not start with 01")

    def test_reserved_opcodes_are_words_of_unknown_kind(self) -> None:
        answer = self.explain("layout", "70", "30")
        self.assertIn({"offset": 40, "size": 8, "kind": "strong"}, answer["captures"])
        self.assertIn("1 word of unknown kind", self.text("explain", "layout", "70", "30"))

    def test_table(self) -> None:
        self.assertEqual(self.text("explain", "layout", "31", "30", "40", "21", "13", "60", "00"),
                         """\
31 30 40 21 13 60: 3 strong, 1 byref, 2 words of data, 4 bytes of data, 1 unretained

  offset  size  kind        meaning
  32      8     strong      an object that the block owns
  40      8     strong      an object that the block owns
  48      8     strong      an object that the block owns
  56      8     byref       the storage of a __block variable, which the block owns
  64      20    data        no object
  84      8     unretained  an object that the block does not own
""")
        self.assertEqual(self.text("explain", "layout", "0x001"), """\
0x001: 1 weak

  offset  size  kind  meaning
  32      8     weak  a weak reference
""")

    def test_table_has_notes(self) -> None:
        self.assertEqual(self.text("explain", "layout", "0x0"), """\
0x000: no objects

for Apple's runtimes: no objects; for others: no information
""")
        self.assertEqual(self.text("explain", "layout", "00"), "no objects\n")
        self.assertIn("\nf0 has no meaning: what follows is not known\n",
                      self.text("explain", "layout", "30", "f0"))
        self.assertIn("\nthe bytes after the 00 are not part of it\n",
                      self.text("explain", "layout", "30", "00", "41"))
        self.assertNotIn("behind", self.text("explain", "layout", "30", "00"))

    def test_nonsense(self) -> None:
        self.assertEqual(self.refuse("explain", "layout"),
                         "explain layout: no layout given: a word as 0x111 or bytes as "
                         "3f 30 40 50 00")
        self.assertEqual(self.refuse("explain", "layout", ""),
                         "explain layout: no bytes given")
        self.assertEqual(self.refuse("explain", "layout", "0x100003f80"),
                         "explain layout: 0x100003f80 is an address: give the bytes that are "
                         "there up to 00, as in 3f 30 40 50 00")
        for word in ("0x", "0xzz", "0x11111111111111111"):
            self.assertEqual(self.refuse("explain", "layout", word),
                             f"explain layout: '{word}' is not a word as 0x111")
        for word in ("3g", "111", "hello", "0x3f,0x301"):
            self.assertEqual(self.refuse("explain", "layout", word),
                             f"explain layout: '{word}' is not bytes: write them in hex, as in "
                             "3f 30 00")


if __name__ == "__main__":
    unittest.main()
