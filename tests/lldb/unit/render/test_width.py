"""Reports on a narrow terminal."""
import re
import unittest

from answers import self_in_block
from reports import report
from lldb_commands.render.style import Style
from lldb_commands.render.width import fit


class Width(unittest.TestCase):
    maxDiff = None

    def folded(self, **how):
        style = Style(**how)
        text = report(self_in_block(), Style(**{**how, "width": 0}), "self")
        return fit(re.sub("\n  Known mistake: .*", "", text), style)

    def test_a_folded_ring_keeps_its_side_and_its_columns(self):
        self.assertEqual("""
1 leaked retain cycle through self (PhotoViewController 0x1f00)
Fix: capture self weakly in the block at PhotoViewController.m:42

Retain cycle of 2 objects, leaked: nothing outside the cycle retains
  it
  ╭─▶ PhotoViewController 0x1f00
  │   _completion  ivar      → block 0x2f00 at
  │                            PhotoViewController.m:42 in
  │                            -[PhotoViewController viewDidLoad]
  ╰── self         captured  → PhotoViewController 0x1f00
  Fixes, best first:
    • capture self weakly in the block at PhotoViewController.m:42
    • set PhotoViewController._completion to nil when the block is no
      longer needed

searched 14 objects, 21 references in 3 ms, from LLDB
""".strip("\n"), self.folded(width=70))

    def test_without_a_terminal_nothing_is_folded(self):
        self.assertEqual(2, sum(line.startswith("    •") for line in self.folded(width=0).splitlines()))
        text = report(self_in_block(), Style(), "self")
        self.assertEqual(text, fit(text, Style(width=0)))

    def test_colours_do_not_count(self):
        painted = self.folded(width=70, color=True)
        self.assertEqual(self.folded(width=70), re.sub(r"\x1b\[[0-9;]*m", "", painted))

    def test_no_line_is_longer_than_the_terminal_where_words_allow(self):
        for unicode in (True, False):
            for line in self.folded(width=72, unicode=unicode).splitlines():
                self.assertLessEqual(len(line), 72)

    def test_a_method_is_not_parted(self):
        self.assertEqual("block 0x2f00 at PhotoViewController.m:42 in\n  -[Photo show:in:]",
                         fit("block 0x2f00 at PhotoViewController.m:42 in -[Photo show:in:]",
                             Style(width=52)))

    def test_a_table_that_is_too_wide_has_its_evidence_below(self):
        capture = {"offset": 32, "size": 8, "name": "self", "type": "Photo *",
                   "kind": "strong", "value": "0x1f00", "class": "PhotoScreen",
                   "evidence": ["symbol", "layout", "debug-info"]}
        answer = {"query": "block-layout", "pointer_size": 8, "block": {"address": "0x2f00", "size": 40}, "conflicts": [],
                  "captures": [capture], "layout": {}}
        wide, narrow = (report(answer, Style(width=width)) for width in (120, 80))
        self.assertIn("0x1f00 PhotoScreen  symbol, layout, debug-info\n", wide)
        self.assertNotIn("evidence", narrow)
        self.assertIn("\nKnown from symbol, layout, debug-info: self\n", narrow)
        self.assertLessEqual(max(map(len, narrow.splitlines())), 80)

    def test_a_word_longer_than_the_line_stays_whole(self):
        word = "x" * 200
        self.assertEqual(f"  • {word}\n    {word}", fit(f"  • {word} {word}", Style(width=60)))


if __name__ == "__main__":
    unittest.main()
