"""Each pattern names the ring that it is about, and nothing else does."""
import pathlib
import re
import unittest

import tool
from drawn_rings import OTHERS, PATHS, RINGS, path_answer, ring_answer

FILE = pathlib.Path(__file__).resolve().parents[2] / "pictures" / "patterns.txt"


def patterns():
    """Those of the file: id -> its section."""
    sections = re.split(r"^pattern +", FILE.read_text(encoding="utf-8"), flags=re.M)[1:]
    return {section.split("\n", 1)[0]: section for section in sections}


def pattern_of(answer):
    page = tool.data_of(tool.drawn(answer, "html"))
    [finding] = page["findings"]
    return page["patterns"][finding["pattern"]]["id"] if "pattern" in finding else None


class Patterns(unittest.TestCase):
    maxDiff = None

    def test_each_ring_has_its_name(self):
        for name, ring in RINGS:
            with self.subTest(ring):
                self.assertEqual(name, pattern_of(ring_answer(ring)))

    def test_a_ring_may_begin_anywhere(self):
        for name, ring in RINGS:
            first, _, rest = ring.partition(", ")
            if rest and name != "recursive-block":
                with self.subTest(ring):
                    self.assertEqual(name, pattern_of(ring_answer(f"{rest}, {first}")))

    def test_each_path_has_its_name(self):
        for name, path in PATHS:
            with self.subTest(path):
                self.assertEqual(name, pattern_of(path_answer(path)))

    def test_others_have_none(self):
        for ring in OTHERS:
            with self.subTest(ring):
                self.assertIsNone(pattern_of(ring_answer(ring)))

    def test_every_pattern_has_a_fixture(self):
        self.assertEqual(set(patterns()), {name for name, _ in RINGS + PATHS})
        self.assertGreaterEqual(len(patterns()), 30)

    def test_every_pattern_is_explained(self):
        for name, section in patterns().items():
            with self.subTest(name):
                why = re.search(r"^why +(.+)$", section, re.M)[1]
                self.assertEqual(2, len(re.findall(r"\.(?: |$)", why)), why)
                self.assertRegex(section, r"(?m)^name +\S")
                before, after = re.search(r"^before\n(.*?)^after\n(.*)", section, re.M | re.S).groups()
                for source in (before, after):
                    lines = [line for line in source.split("\n") if line.strip()]
                    self.assertTrue(1 <= len(lines) <= 5, lines)
                self.assertNotEqual(before, after)

    def test_a_page_has_what_it_says(self):
        page = tool.data_of(tool.drawn(ring_answer(dict(RINGS)["timer-target"]), "html"))
        [pattern] = page["patterns"]
        self.assertEqual("A repeating timer keeps its target", pattern["name"])
        self.assertTrue(pattern["why"].startswith("The run loop keeps a repeating timer until"))
        self.assertIn("scheduledTimerWithTimeInterval", pattern["before"])
        self.assertIn("[self.timer invalidate];", pattern["after"])


if __name__ == "__main__":
    unittest.main()
