"""Lines of `loupe watch list`."""
import unittest

from lldb_commands.render.watched import row

ITEM = {"object": "0x1f00", "state": "waiting", "age_ms": 340, "left_ms": 1660, "reason": "why"}


class Watched(unittest.TestCase):
    def test_one_that_waits(self):
        self.assertEqual(("View 0x1f00", "waiting", "0.3 s", "in 1.7 s", "2", "why"),
                         row(ITEM, {"class": "View", "retain_count": 2}))
        self.assertEqual(("object 0x1f00", "waiting", "0.3 s", "in 1.7 s", "?", "why"),
                         row(ITEM, {}))

    def test_one_that_is_late(self):
        self.assertEqual("0.2 s ago", row({**ITEM, "left_ms": -200}, {})[3])

    def test_one_that_died_has_its_class_and_no_count(self):
        self.assertEqual(("View 0x1f00", "died after 0.3 s at most", "", "", "", "why"),
                         row({**ITEM, "state": "died"}, {"class": "View"}))
        self.assertEqual(("object 0x1f00", "died after 0.1 s", "", "", "", "why"),
                         row({**ITEM, "state": "died", "died_ms": 120}, {}))


if __name__ == "__main__":
    unittest.main()
