"""What an object holds as a tree: how deep, in which order, and once."""
import unittest

from answers import edge, thing
from lldb_commands.render.style import Style
from lldb_commands.reporting.trees import tree as tree_of
from reports import report

THINGS = {address: thing(name) for address, name in (("0x1f00", "Screen"), ("0x2f00", "List"), ("0x3f00", "Row"))}
HELD = {"0x1f00": [edge("0x1f00", "0x2f00", "ivar", "_rows"), edge("0x1f00", "0x3f00", "ivar", "_first")],
        "0x2f00": [edge("0x2f00", "0x3f00", "element", "[0]"), edge("0x2f00", "0x1f00", "ivar", "_owner")],
        "0x3f00": []}


def ask(address):
    return {"objects": THINGS, "edges": HELD[address],
            "holders": [{"edge": each} for edges in HELD.values() for each in edges if each["to"] == address]}


def tree(root, ask_about, incoming, depth, style):
    return report(tree_of(root, ask_about, incoming, depth), style)


class Trees(unittest.TestCase):
    maxDiff = None

    def test_one_reference_deep(self):
        self.assertEqual("Screen 0x1f00\n├─ _rows (ivar) → List 0x2f00\n╰─ _first (ivar) → Row 0x3f00",
                         tree("0x1f00", ask, False, 1, Style()))

    def test_what_was_shown_is_not_opened_again(self):
        self.assertEqual("Screen 0x1f00\n"
                         "├─ _rows (ivar) → List 0x2f00\n"
                         "│  ├─ [0] (element) → Row 0x3f00\n"
                         "│  ╰─ _owner (ivar) → Screen 0x1f00, as above\n"
                         "╰─ _first (ivar) → Row 0x3f00", tree("0x1f00", ask, False, 2, Style()))

    def test_who_holds_it(self):
        self.assertEqual("List 0x2f00\n`- _rows (ivar) of Screen 0x1f00\n   `- _owner (ivar) of List 0x2f00, as above",
                         tree("0x2f00", ask, True, 2, Style(unicode=False)))

    def test_memory_without_a_class_holds_it_too(self):
        """It is not opened: nobody can ask about it."""
        def ask_of_heap(address):
            self.assertNotEqual("0x4f00", address)
            memory = {"edge": edge("0x4f00", "0x2f00", "word", "+8")}
            return {**ask(address), "objects": {**THINGS, "0x4f00": {"kind": "raw", "size": 48, "class": "(raw memory)"}},
                    "verdict": {"kind": "held", "reason": "a pointer in reachable non-object memory may own it"},
                    "memory": [memory] if address == "0x2f00" else []}
        self.assertEqual("List 0x2f00 is held: a pointer in reachable non-object memory may own it\n"
                         "├─ _rows (ivar) of Screen 0x1f00\n"
                         "│  ╰─ _owner (ivar) of List 0x2f00, as above\n"
                         "╰─ +8 (pointer) of non-object (48 bytes) 0x4f00",
                         tree("0x2f00", ask_of_heap, True, 2, Style()))

    def test_nothing_is_dropped_in_silence(self):
        many = [edge("0x1f00", "0x3f00", "element", f"[{at}]") for at in range(300)]
        text = tree("0x1f00", lambda _: {"objects": THINGS, "edges": many}, False, 1, Style())
        self.assertTrue(text.endswith("\nand 101 further references (a smaller --depth shows less of each)"), text[-90:])


if __name__ == "__main__":
    unittest.main()
