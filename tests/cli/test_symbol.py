"""loupe explain symbol."""
import unittest

from tool import Bytes, ToolTest

# What clang 22 writes for x86_64-apple-macosx: the name of the descriptor, the extended layout
# where it tells the truth, and what is captured.
VECTORS = [
    ("40_e8_32s_e5_v8@?0l", "0x100", "strong 32"),
    ("56_e8_32s40s48w_e5_v8@?0l", "0x201", "strong 32 strong 40 weak 48"),
    ("56_e8_32s40r48w_e5_v8@?0l", "0x111", "strong 32 byref 40 weak 48"),
    ("36_e5_v8@?0l", "00", ""),
    ("44_e8_32s_e5_v8@?0l", "0x100", "strong 32"),
    ("40_e5_v8@?0lu32l8", "60", "unretained 32"),
    ("48_e8_32s_e5_v8@?0lu40l8", "30 60", "strong 32 unretained 40"),
    ("72_e8_32n20_8_8_s0_w8_t16w16_s32_e5_v8@?0lu56l8", "30 50 20 60 30",
     "strong 32 weak 40 unretained 56 strong 64"),
    ("88_e8_32r40r48r56r64r72r80r_e5_v8@?0l", "0x070",
     "byref 32 byref 40 byref 48 byref 56 byref 64 byref 72 byref 80"),
    ("64_e16_48s56s_e5_v8@?0l", "21 31", "strong 48 strong 56"),
    ("80_e16_64s72s_e5_v8@?0l", "23 31", "strong 64 strong 72"),
    ("56_e16_48s_e5_v8@?0l", "21 30", "strong 48"),
    ("56_e8_32s40n11_8_8_t0w1_s8_e5_v8@?0l", "30 20 30", "strong 32 strong 48"),
    ("40_e8_32s_e15_{Big=[10q]}8@?0l", "0x100", "strong 32"),
    ("48_e8_32s40bs_e5_v8@?0l", None, "strong 32 block 40"),
    ("48_e8_32o_e5_v8@?0l", None, "strong 32"),
    ("56_ea8_32s_e5_v8@?0lu48l8", None, "strong 32 unretained 48"),
]


class Symbol(ToolTest):
    def captures(self, *arguments: Bytes) -> str:
        captures = self.explain("symbol", *arguments)["captures"]
        return " ".join(f"{capture['kind']} {capture['offset']}" for capture in captures)

    def test_names_of_descriptors(self) -> None:
        for name, _, want in VECTORS:
            self.assertEqual(self.captures("__block_descriptor_" + name), want, name)

    def test_layout_of_the_same_block_has_the_same_captures(self) -> None:
        for name, layout, _ in VECTORS:
            if layout:
                by_name = self.explain("symbol", "__block_descriptor_" + name)["captures"]
                self.assertEqual(self.explain("layout", layout)["captures"], by_name, name)

    def test_json_of_a_struct_with_all_kinds(self) -> None:
        name = "__block_descriptor_72_e8_32n20_8_8_s0_w8_t16w16_s32_e5_v8@?0lu56l8"
        want = {"captures": [{"offset": 32, "size": 8, "kind": "strong"},
                             {"offset": 40, "size": 8, "kind": "weak"},
                             {"offset": 56, "size": 8, "kind": "unretained"},
                             {"offset": 64, "size": 8, "kind": "strong"}],
                "other": [{"offset": 48, "size": 8, "kind": "data"}]}
        self.assertEqual(self.explain("symbol", name), want)
        self.assertEqual(self.explain("layout", "30", "50", "20", "60", "30"), want)

    def test_names_of_helpers(self) -> None:
        self.assertEqual(self.captures("__copy_helper_block_e8_32s40w"), "strong 32 weak 40")
        self.assertEqual(self.captures("___destroy_helper_block_e8_32s40w"), "strong 32 weak 40")
        self.assertEqual(self.captures("__destroy_helper_block_ea8_32r40rcd"), "byref 32 byref 40")
        self.assertEqual(self.captures("__copy_helper_block_e4_20s24r28r", "--pointer-size", "4"),
                         "strong 20 byref 24 byref 28")
        answer = self.explain("symbol", "__copy_helper_block_e8_32s48w")
        self.assertEqual(answer["other"], [{"offset": 40, "size": 8, "kind": "unknown"}])

    def test_cxx_object_is_unknown_and_has_its_type(self) -> None:
        answer = self.explain("symbol", "__copy_helper_block_ea8_32c10_ZTS4Owner")
        self.assertEqual(answer["captures"][0]["kind"], "unknown")
        self.assertEqual(answer["captures"][0]["type"], "_ZTS4Owner")

    def test_byte_01_may_be_written_in_many_ways_or_be_lost(self) -> None:
        want = "strong 32 byref 40 weak 48"
        start = "__block_descriptor_60_e8_32s40r48w_"
        for end in ("e5_v8@?0l", "e5_v8\x01?0l", "e5_v8\\x01?0l", "e5_v8\\x1?0l", "e5_v8?0l",
                    "e8_v16?0816l", "e11_v16@?0@8l", "e11_v16?08l"):
            self.assertEqual(self.captures(start + end), want, end)
        self.assertEqual(self.captures("__block_descriptor_40_e5_v8?0lu32l8"), "unretained 32")

    def test_decorations_of_debuggers(self) -> None:
        self.assertEqual(self.captures("App`__copy_helper_block_e8_32s"), "strong 32")
        self.assertEqual(self.captures("___copy_helper_block_e8_32s"), "strong 32")

    def test_name_that_says_nothing_is_incomplete(self) -> None:
        self.assertEqual(self.explain("symbol", "__block_descriptor_tmp.12"),
                         {"captures": [], "other": [], "incomplete": True})
        self.assertEqual(self.text("explain", "symbol", "__block_descriptor_tmp.12"), """\
descriptor of a block

its name says nothing about captures: plain C, or an old compiler
""")

    def test_table(self) -> None:
        self.assertEqual(self.text(
            "explain", "symbol", "__block_descriptor_68_e8_32s40bs48r56w_e5_v8@?0l"), """\
descriptor of a block of 68 bytes; it has copy and dispose helpers
signature v8@?0

  offset  size  kind    meaning
  32      8     strong  an object that the block owns
  40      8     block   a block that the block owns
  48      8     byref   the storage of a __block variable, which the block owns
  56      8     weak    a weak reference
  64      4     data    no object
""")
        self.assertEqual(self.text("explain", "symbol", "__block_descriptor_32_e5_v8\x01?0l"), """\
descriptor of a block of 32 bytes; it has no helpers, so it owns nothing of its own
signature v8@?0

it captures nothing
""")
        self.assertEqual(self.text("explain", "symbol", "__destroy_helper_block_ea8_32c10_ZTS4Owner"),
                         """\
dispose helper of a block

  offset  size  kind     meaning
  32      8     unknown  a C++ object, _ZTS4Owner
""")

    def test_nonsense(self) -> None:
        self.assertEqual(self.refuse("explain", "symbol"), "explain symbol: no name given")
        self.assertEqual(self.refuse("explain", "symbol", ""), "explain symbol: no name given")
        self.assertEqual(self.refuse("explain", "symbol", "a", "b"),
                         "explain symbol: one name at a time: quote it for the shell")
        self.assertEqual(self.refuse("explain", "symbol", "objc_msgSend"),
                         "explain symbol: not the name of a block's descriptor or helper")
        whole = "__block_descriptor_72_e8_32n20_8_8_s0_w8_t16w16_s32_e5_v8@?0lu56l8"
        for length in range(len("__block_descriptor_72"), len(whole)):
            result = self.run_tool("explain", "symbol", whole[:length])
            self.assertIn(result.returncode, (0, 2))
        self.assertRegex(self.refuse("explain", "symbol", whole[:40]),
                         r"^explain symbol: name of a block's descriptor ")
        self.assertRegex(self.refuse("explain", "symbol", "__block_descriptor_40_e8_99s_e5_v8@?0l"),
                         r"^explain symbol: \w")
        self.refuse("explain", "symbol", "__copy_helper_block_e8_32" + "n9" * 50000)


if __name__ == "__main__":
    unittest.main()
