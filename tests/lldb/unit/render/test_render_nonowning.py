"""What --explain adds to reports, from hand-written answers."""
import unittest

from answers import block, cycles, edge, envelope, thing
from reports import report
from lldb_commands.render.style import Style

OBJECTS = {"0x1f00": thing("Screen"), "0x2f00": thing("List"),
           "0x3f00": block(12, "-[Screen load]", "/src/Screen.m")}


def item(held, reason="the ivar is weak", **rest):
    return {"edge": held, "reason": reason, **rest}


def weak(source="0x2f00", target="0x1f00", kind="ivar", path="_delegate", ownership="weak"):
    return edge(source, target, kind, path, ownership=ownership)


def rings(*sorts, **rest):
    return {"found": len(sorts), "sorts_found": len(sorts), "all": True, "sorts": list(sorts),
            **rest}


class WeakRings(unittest.TestCase):
    maxDiff = None

    def lines(self, given, verbose=False):
        text = report({**cycles(OBJECTS, []), "weak_rings": given}, verbose=verbose)
        return "Not counted" .join(["", *text.split("Not counted")[1:]]).split("\nsearched")[0].split("\n")

    def test_one_reference_and_its_way_back(self):
        way = [edge("0x1f00", "0x3f00", "ivar", "_done"), edge("0x3f00", "0x2f00", "capture", "l")]
        self.assertEqual([
            "Not counted: a reference that would close a retain cycle if it owned its object",
            "  _delegate  ivar, weak  of List 0x2f00 → Screen 0x1f00: the ivar is weak",
            "    back by _done → block, l → List"],
            self.lines(rings(item(weak(), count=1, way=way))))

    def test_several_of_several_sorts(self):
        self.assertEqual([
            "Not counted: references that would close a retain cycle if they owned their objects",
            "  _delegate  ivar, weak  of List 0x2f00 → Screen 0x1f00: the ivar is weak; "
            "11 more like it",
            "  self  captured, unretained  of block 0x3f00 at Screen.m:12 in -[Screen load] → "
            "Screen 0x1f00: the block captured it without retaining it",
            "  and references of 3 more sorts",
            "  (not all were searched)"],
            self.lines(rings(item(weak(), count=12, way=[]),
                             item(weak("0x3f00", path="self", kind="capture",
                                       ownership="unretained"),
                                  "the block captured it without retaining it", count=1, way=[]),
                             found=40, sorts_found=5, all=False)))

    def test_a_long_way_is_cut(self):
        way = [edge("0x1f00", "0x1f00", "ivar", "_next")] * 30
        last = self.lines(rings(item(weak(), count=1, way=way)))[-1]
        self.assertEqual(10, last.count("_next"))
        self.assertTrue(last.endswith(", ... (30 steps)"))

    def test_none(self):
        self.assertEqual(["Not counted: no weak or unretained reference would close a retain cycle if it "
                          "owned its object"], self.lines(rings()))
        self.assertNotIn("Not counted", report(cycles(OBJECTS, [])))

    def test_in_the_report(self):
        answer = {**cycles(OBJECTS, []), "weak_rings": rings(item(weak(), count=1, way=[]))}
        self.assertIn("\nWhat holds it: strong-refs --incoming 0x1f00\nNot counted: a reference ",
                      report(answer, Style()))


class LooseReferences(unittest.TestCase):
    maxDiff = None

    def test_of_an_object(self):
        answer = envelope("strong-refs", object="0x2f00", objects=OBJECTS, edges=[],
                          not_counted=[item(weak())], not_followed=[])
        self.assertEqual("List 0x2f00 holds nothing strongly\nNot counted:\n"
                         "  _delegate  ivar, weak → Screen 0x1f00: the ivar is weak",
                         report(answer, Style()))

    def test_of_an_object_without_any(self):
        answer = envelope("strong-refs", object="0x2f00", objects=OBJECTS, edges=[],
                          not_counted=[], not_followed=[])
        self.assertIn("\nNot counted: nothing; no ivar, capture, association or element of it is "
                      "weak or unretained",
                      report(answer, Style()))

    def test_to_an_object(self):
        def lines(given, verbose=False):
            answer = envelope("incoming-refs", object="0x1f00", holders=[], **{"objects": OBJECTS, **given})
            text = report(answer, verbose=verbose)
            return text[text.index("\n\n") + 2:text.index("\nRetain count")].split("\n")

        answer = {"not_counted": [item(weak())] * 12, "not_counted_found": 40}
        self.assertEqual(["Not counted:", "  _delegate  ivar, weak  of List 0x2f00 and 11 more like "
                          "it: the ivar is weak", "  and 28 more references"], lines(answer))
        self.assertEqual("  and 28 more references", lines(answer, True)[-1])
        self.assertEqual(["Not counted: nothing; no weak or unretained reference to it was found"],
                         lines({"objects": {}, "not_counted": []}))


if __name__ == "__main__":
    unittest.main()
