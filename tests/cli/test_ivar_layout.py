"""loupe explain ivar-layout."""
import typing
import unittest

from tool import Bytes, ToolTest


class IvarLayout(ToolTest):
    def words(self, *words: Bytes) -> typing.List[int]:
        slots = self.explain("ivar-layout", *words)["slots"]
        self.assertEqual({slot["kind"] for slot in slots} - {"strong"}, set())
        return [slot["word"] for slot in slots]

    def test_slots_of_layouts(self) -> None:
        self.assertEqual(self.words("01"), [0])
        self.assertEqual(self.words("01", "11"), [0, 2])
        self.assertEqual(self.words("21", "11"), [2, 4])
        self.assertEqual(self.words("03", "11"), [0, 1, 2, 4])
        self.assertEqual(self.words("0f", "05"), list(range(20)))
        self.assertEqual(self.words("f0", "f0", "a1"), [40])
        self.assertEqual(self.words("00"), [])
        self.assertEqual(self.words("01", "00", "11"), [0])

    def test_notations_of_bytes(self) -> None:
        want = [2, 4]
        notations: typing.List[typing.List[Bytes]] = [
            ["21 11"], ["2111"], ["211100"], ["0x21", "0x11"], ["0x21, 0x11, 0x0"], ["21,11"],
            ["\\x21\\x11"], ["x21x11"], ["!\\x11"], ["\"!\\x11\""], ["\"!\\021\""], [" 21\t11\n"],
            ["21", "\\x11"]]
        for words in notations:
            self.assertEqual(self.words(*words), want, words)
        self.assertEqual(self.words("0F05"), self.words("0f", "05"))
        self.assertEqual(self.words("\"\\n\\a\""), list(range(10)) + list(range(10, 17)))

    def test_json_has_nothing_but_slots(self) -> None:
        self.assertEqual(self.explain("ivar-layout", "21", "11"),
                         {"slots": [{"word": 2, "kind": "strong"}, {"word": 4, "kind": "strong"}]})

    def test_weak_layout_has_weak_slots(self) -> None:
        self.assertEqual(self.explain("ivar-layout", "11", "41", "a2", "--weak"),
                         {"slots": [{"word": word, "kind": "weak"} for word in (1, 6, 17, 18)]})

    def test_start_gives_offsets_in_the_object(self) -> None:
        slots = self.explain("ivar-layout", "01 21 11 35 21 31", "--start", "17")["slots"]
        self.assertEqual([slot["offset"] for slot in slots],
                         [24, 48, 64, 96, 104, 112, 120, 128, 152, 184])
        slots = self.explain("ivar-layout", "0111", "--start=5", "--pointer-size=4")["slots"]
        self.assertEqual([slot["offset"] for slot in slots], [8, 16])

    def test_table(self) -> None:
        self.assertEqual(self.text("explain", "ivar-layout", "01", "35"), """\
6 strong references; offsets from the first word of the class's own ivars

  word  offset      kind
  0     +0          strong
  4-8   +32 to +64  strong
""")
        self.assertEqual(self.text("explain", "ivar-layout", "11", "--weak", "--start", "8"), """\
1 weak reference; offsets from the start of the object

  word  offset  kind
  1     16      weak
""")
        self.assertEqual(self.text("explain", "ivar-layout", "00"), "no strong references\n")

    def test_nonsense(self) -> None:
        self.assertEqual(self.refuse("explain", "ivar-layout"),
                         "explain ivar-layout: no bytes given")
        self.assertEqual(self.refuse("explain", "ivar-layout", "", " "),
                         "explain ivar-layout: no bytes given")
        nonsense: typing.List[Bytes] = [
            "3g", "1", "211", "0x2111", "0x", "x", "2x1", "\\", "\\q", "\\x", "\\xzz", "\"\\777\"",
            "\"\\", "--1", b"\xff", "21\x0111", "z\\x21\"x"]
        for word in nonsense[:-1]:
            message = self.refuse("explain", "ivar-layout", "--", "01", word)
            self.assertRegex(message, r"^explain ivar-layout: '.*' is not bytes: write them in hex")

    def test_absurdly_long_layout(self) -> None:
        self.assertEqual(self.refuse("explain", "ivar-layout", *["0f" * 30000] * 3),
                         "explain ivar-layout: no class has a layout of 90000 bytes")


if __name__ == "__main__":
    unittest.main()
