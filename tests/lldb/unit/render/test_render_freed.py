"""What reports say of objects that were freed, from hand-written answers."""
import unittest

from answers import cycles, edge, envelope, thing
from reports import report

ENVELOPE = {"query": "retain-cycles", "seed": "0x1f00", "knots": []}
CHUNK = {"certain": True, "why": "malloc has its memory among the free chunks", "class": None}
COUNT = {"certain": False, "why": "its retain count is no number", "class": None}
ZOMBIE = {"certain": True, "why": "a zombie stands in its place", "class": "Owner"}


def dead(name, mark):
    return {**thing(name), "freed": mark}


class Warnings(unittest.TestCase):
    maxDiff = None

    def lines(self, answer):
        """From the first line of the report to what comes behind the warnings."""
        lines = report({**ENVELOPE, **answer}).split("\n")
        found = [line for line in lines[1:] if "freed" in line or line.startswith("so were ")]
        self.assertEqual(found, lines[1:1 + len(found)])
        return ["first", *found, "second"]

    def test_nothing_where_nothing_is_marked(self):
        self.assertEqual(["first", "second"], self.lines(cycles({"0x1f00": thing("A")}, [])))

    def test_the_asked_one_comes_first(self):
        answer = cycles({"0x2f00": dead("B", COUNT), "0x1f00": dead("A", CHUNK)}, [])
        self.assertEqual([
            "first",
            "A 0x1f00 was freed: malloc has its memory among the free chunks; the answer is about "
            "what is left of it",
            "B 0x2f00 may have been freed: its retain count is no number",
            "second"], self.lines(answer))

    def test_a_reference_to_what_is_no_object_any_more(self):
        poison = {"certain": True, "why": "gnustep-base has poisoned its isa", "class": None}
        slots = [{"edge": edge("0x1f00", "0x9f00", "ivar", "_view", ownership=ownership),
                  "class": "Panel", "freed": poison} for ownership in ("assumed", "strong")] * 3
        self.assertEqual([
            "_view of Panel 0x1f00 points to a freed object 0x9f00: gnustep-base has poisoned its "
            "isa, so it does not own it or was released too often",
            "_view of Panel 0x1f00 points to a freed object 0x9f00: gnustep-base has poisoned its "
            "isa, which was released too often"],
            self.lines({"objects": {}, "freed_slots": slots})[1:3])
        self.assertEqual("and 2 more references to freed objects (--json lists them)",
                         self.lines({"objects": {}, "freed_slots": slots})[-2])
        self.assertEqual("and 37 more references to freed objects (--json lists 6)",
                         self.lines({"objects": {}, "freed_slots": slots, "freed_slots_found": 41})[-2])

    def test_an_object_is_told_with_the_reference_to_it(self):
        slots = [{"edge": edge("0x1f00", "0x2f00", "ivar", "_view"), "class": "Panel",
                  "freed": CHUNK}]
        answer = {"objects": {"0x2f00": dead("B", CHUNK)}, "freed_slots": slots}
        self.assertEqual(["first", "_view of Panel 0x1f00 points to a freed object 0x2f00: malloc "
                          "has its memory among the free chunks, which was released too often",
                          "second"], self.lines(answer))

    def test_a_zombie_has_its_former_class(self):
        self.assertEqual(
            "NSZombie 0x2f00 was freed, it was of class Owner: a zombie stands in its place",
            self.lines(cycles({"0x2f00": dead("NSZombie", ZOMBIE)}, []))[1])

    def test_many_are_counted(self):
        objects = {hex(0x2f00 + 16 * i): dead("B", CHUNK) for i in range(9)}
        self.assertEqual("so were 5 more objects (--json lists them)",
                         self.lines(cycles(objects, []))[5])

    def test_answers_without_a_list_of_objects(self):
        answer = envelope("ivar-layout", object="0x1f00", freed=CHUNK)
        self.assertEqual("0x1f00 was freed: malloc has its memory among the free chunks; the "
                         "answer is about what is left of it", self.lines(answer)[1])

    def refusal(self, **keys):
        return report(envelope("retain-cycles", status="error", freed=ZOMBIE, **keys,
                               error={"code": "not-an-object", "message": "m", "address": "0x1f00", "detail": "freed"}))

    def test_a_question_that_was_refused(self):
        def group(name, count):
            return {"class": name, "path": "_x", "count": count, "from": "0x2f00"}
        first = "0x1f00 was freed, it was of class Owner: a zombie stands in its place; "
        clear = " (make it weak, or set it to nil before the object is freed)"
        for groups, text in (([], "no reference from an object still points there"),
                             ([group("A", 1)], f"A._x of 0x2f00 still points there{clear}"),
                             ([group("A", 2), group("B", 1)],
                              f"2 × A._x (of 0x2f00 and 1 more) and B._x of 0x2f00 still point there{clear}"),
                             ([group(name, 4) for name in "ABCDE"],
                              "4 × A._x (of 0x2f00 and 3 more), 4 × B._x (of 0x2f00 and 3 more), 4 × C._x (of 0x2f00 and 3 more) "
                              f"and 8 more references (--json has all) still point there{clear}")):
            found = sum(each["count"] for each in groups)
            self.assertEqual(first + text, self.refusal(dangling=groups, dangling_found=found))
        captured = {"class": "block __f_block_invoke", "kind": "capture", "path": "+0x20", "name": "desk", "count": 1, "from": "0x2f00",
                    "object": {"address": "0x2f00", "kind": "block", "size": 40, "class": "block __f_block_invoke",
                               "invoke": {"file": "/src/Bell.m", "line": 7, "function": "-[Bell ring]"}}}
        self.assertEqual(f"{first}desk captured by block at Bell.m:7 in -[Bell ring] of 0x2f00 still points there{clear}",
                         self.refusal(dangling=[captured], dangling_found=1))
        self.assertEqual(f"{first}desk captured by block at Bell.m:7 in -[Bell ring] of 0x2f00 still points there (set it to nil "
                         "before the object is freed)",
                         self.refusal(dangling=[captured], dangling_found=1, weak_references=False))
        lost = [{"reason": "r", "code": "dangling-limit", "count": 3, "lost": True}]
        self.assertEqual(f"{first}no reference from an object still points there; incomplete: not all of the heap could "
                         "be searched", self.refusal(dangling=[], dangling_found=0, not_followed=lost))
        self.assertEqual(f"{first}who still points there is not known: out of time",
                         self.refusal(dangling=None, dangling_found=None, dangling_reason="out of time"))


if __name__ == "__main__":
    unittest.main()
