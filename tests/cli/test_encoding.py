"""loupe explain encoding."""
import typing
import unittest

from tool import Bytes, ToolTest

Place = typing.Tuple[str, typing.Optional[int], typing.Optional[int]]


class Types(ToolTest):
    def places(self, *words: Bytes) -> typing.List[Place]:
        members = self.explain("encoding", *words)["members"]
        return [(member["path"], member["offset"], member["size"]) for member in members]

    def test_json_of_a_struct(self) -> None:
        self.assertEqual(self.explain("encoding", '{S="a"i"o"@"NSObject"}'), {
            "size": 16,
            "alignment": 8,
            "members": [{"path": "a", "type": "i", "offset": 0, "size": 4},
                        {"path": "o", "type": '@"NSObject"', "offset": 8, "size": 8}],
        })

    def test_words_of_padded_and_nested_structs(self) -> None:
        def words(text: str) -> typing.Dict[str, int]:
            return {path: (offset or 0) // 8 for path, offset, _ in self.places(text)}
        self.assertEqual(words('{?="a"c"in"{?="b"c"o"@}}')["in.o"], 2)
        self.assertEqual(words('{?="s"{?="o"@"c"c}"d"c"x"@}')["x"], 3)
        deep = words('{A="c"c"b"{B="c"c"d"{C="c"c"o"@"e"c}"x"@}"y"@}')
        self.assertEqual((deep["b.d.o"], deep["b.x"], deep["y"]), (3, 5, 6))
        self.assertEqual(words('{?="c"c"a"[2@]}'), {"c": 0, "a[0]": 1, "a[1]": 2})

    def test_pointer_size_4(self) -> None:
        self.assertEqual(self.places('{?="c"c"o"@"q"q}', "--pointer-size", "4"),
                         [("c", 0, 1), ("o", 4, 4), ("q", 8, 8)])

    def test_type_without_members_is_its_own_leaf(self) -> None:
        self.assertEqual(self.places('@"NSString"'), [("", 0, 8)])
        self.assertEqual(self.explain("encoding", "v"), {
            "size": 0, "alignment": 1,
            "members": [{"path": "", "type": "v", "offset": 0, "size": 0}]})

    def test_bit_fields_have_their_bits(self) -> None:
        self.assertEqual(self.explain("encoding", '{?="a"b3"b"b7}'), {
            "size": 4, "alignment": 4, "assumed": True, "members": [
                {"path": "a", "type": "b3", "offset": 0, "size": 1, "bit_offset": 0,
                 "bit_width": 3},
                {"path": "b", "type": "b7", "offset": 0, "size": 2, "bit_offset": 3,
                 "bit_width": 7, "assumed": True}]})
        self.assertEqual(self.explain("encoding", '{?="a"b3"b"b7}', "--size", "2"), {
            "size": 2, "alignment": 1, "fits": True, "members": [
                {"path": "a", "type": "b3", "offset": 0, "size": 1, "bit_offset": 0,
                 "bit_width": 3},
                {"path": "b", "type": "b7", "offset": 1, "size": 1, "bit_offset": 0,
                 "bit_width": 7}]})
        self.assertEqual(self.explain("encoding", "{S=ib32i3}")["members"][1], {
            "path": "1", "type": "b32i3", "offset": 4, "size": 1, "bit_offset": 0, "bit_width": 3})

    def test_size_finds_packing_and_vectors(self) -> None:
        packed = self.explain("encoding", '{?="c"c"o"@}', "--size", "9")
        self.assertEqual((packed["size"], packed["fits"]), (9, True))
        self.assertEqual(packed["members"][1]["offset"], 1)
        self.assertEqual(self.places('{?="c"c"v""o"@}', "--size", "48"),
                         [("c", 0, 1), ("v", 16, 16), ("o", 32, 8)])
        self.assertIs(self.explain("encoding", '{?="c"c"o"@}', "--size", "400")["fits"], False)

    def test_unknown_is_null(self) -> None:
        answer = self.explain("encoding", '{?="c"c"v""o"@}')
        self.assertEqual((answer["size"], answer["alignment"]), (None, None))
        self.assertEqual(self.places('{?="c"c"v""o"@}'),
                         [("c", 0, 1), ("v", None, None), ("o", None, 8)])

    def test_limit_is_told(self) -> None:
        answer = self.explain("encoding", "[100000000i]", "--limit", "2")
        self.assertEqual(answer["size"], 400000000)
        self.assertEqual([member["path"] for member in answer["members"]], ["[0]", "[1]"])
        self.assertIs(answer["truncated"], True)
        self.assertEqual(len(self.explain("encoding", "[2000i]")["members"]), 1000)
        self.assertNotIn("truncated", self.explain("encoding", "[1000i]"))

    def test_table(self) -> None:
        encoding = ('{?="c"c"in"{P="o"@"NSObject""p"@"<NSCopying>""b"@?}"f"d"n"r*"s":"k"#'
                    '"v"^v"r"^{CGRect}"u"(?="x"i"y"Q)"fp"^?"pp"^@"bb"B"a"[1S]}')
        self.assertEqual(self.text("explain", "encoding", encoding), """\
112 bytes, aligned to 8

  offset  size  member  type            C type
  0       1     c       c               char or BOOL
  8       8     in.o    @"NSObject"     NSObject *
  16      8     in.p    @"<NSCopying>"  id<NSCopying>
  24      8     in.b    @?              block
  32      8     f       d               double
  40      8     n       r*              const char *
  48      8     s       :               SEL
  56      8     k       #               Class
  64      8     v       ^v              void *
  72      8     r       ^{CGRect}       struct CGRect *
  80      4     u.x     i               int
  80      8     u.y     Q               unsigned long long or NSUInteger
  88      8     fp      ^?              function pointer
  96      8     pp      ^@              id *
  104     1     bb      B               bool
  106     2     a[0]    S               unsigned short
""")

    def test_table_says_what_is_guessed(self) -> None:
        self.assertEqual(self.text("explain", "encoding", '{?="c"c"b"b3}'), """\
~4 bytes, aligned to ~4

  offset  size    member  type  C type
  0       1       c       c     char or BOOL
  1.0     3 bits  b       b3    int : 3

~ assumes that bit-fields are declared int; --size N checks it
""")
        self.assertEqual(self.text("explain", "encoding", '{?="c"c"v""o"@}'), """\
size unknown

  offset  size  member  type  C type
  0       1     c       c     char or BOOL
  ?       ?     v             no encoding
  ?       8     o       @     id

? stands after a type without an encoding, such as a vector; --size N may find it
""")
        self.assertEqual(self.text("explain", "encoding", '{?="c"c"o"@}', "--size", "9"), """\
9 bytes, aligned to 1, packed to 1

  offset  size  member  type  C type
  0       1     c       c     char or BOOL
  1       8     o       @     id
""")
        self.assertIn("do not trust these offsets",
                      self.text("explain", "encoding", '{?="c"c"o"@}', "--size", "400"))
        self.assertIn("\n2 of 10 members shown (--limit)\n",
                      self.text("explain", "encoding", "[10i]", "--limit", "2"))

    def test_names_of_a_hostile_type_are_escaped(self) -> None:
        text = self.text("explain", "encoding", '{?="\x1b[2J\n"i}')
        self.assertIn("\\x1b[2J\\x0a", text)
        members = self.explain("encoding", b'{?="\xff\x1b"i}')["members"]
        self.assertEqual(members[0]["path"], "\xff\x1b")


class Signatures(ToolTest):
    def test_json(self) -> None:
        self.assertEqual(self.explain("encoding", 'v24@0:8@"NSString"16'), {
            "size": None, "members": [],
            "signature": [{"type": "v", "offset": 24}, {"type": "@", "offset": 0},
                          {"type": ":", "offset": 8}, {"type": '@"NSString"', "offset": 16}]})

    def test_table(self) -> None:
        self.assertEqual(self.text("explain", "encoding", "{Big=[10q]}24@?0r^i8^{Foo=}16"), """\
signature of a method or block; its arguments take 24 bytes

  part        type         C type
  result      {Big=[10q]}  struct Big
  argument 0  @?           block
  argument 1  r^i          const int *
  argument 2  ^{Foo=}      struct Foo *
""")

    def test_types_in_a_row_are_no_signature(self) -> None:
        self.assertEqual(self.refuse("explain", "encoding", "v@?@"),
                         "explain encoding: more than one type, at character 2: '@?@'")


class Nonsense(ToolTest):
    def test_one_line_says_where(self) -> None:
        cases = [
            ("{S=", "type encoding that ends too early, after character 3"),
            ("{S=x}", "not a type encoding, at character 4: 'x}'"),
            ("ii", "more than one type, at character 2: 'i'"),
            ("}", "not a type encoding, at character 1: '}'"),
            ("[99999999999999999999i]",
             "type encoding of an absurd size, at character 2: '99999999999999999999i]'"),
            ("v24@0:8{S=", "type encoding that ends too early, at character 8: '{S='"),
            ("v24@0:8@", "not a type encoding, at character 8: '@'"),
            ("", "an empty encoding says nothing (clang writes it for vectors)"),
        ]
        for text, message in cases:
            self.assertEqual(self.refuse("explain", "encoding", text),
                             f"explain encoding: {message}")

    def test_depth(self) -> None:
        message = self.refuse("explain", "encoding", "{S=" * 30000)
        self.assertTrue(message.startswith(
            "explain encoding: type encoding that is nested too deeply, at character 196: "))

    def test_number_of_words(self) -> None:
        self.assertEqual(self.refuse("explain", "encoding"),
                         "explain encoding: no type given: quote it for the shell")
        self.assertEqual(self.refuse("explain", "encoding", "i", "i"),
                         "explain encoding: one type at a time: quote it for the shell")


if __name__ == "__main__":
    unittest.main()
