"""A cycle that several objects lead to is told once at a stop."""
import unittest

from answers import cycles, edge, knot, ring, thing
from reports import report
from lldb_commands.render.style import Style
from lldb_commands.reporting import shown_before


def leading_to_a_ring(seed, **rest):
    there, back = (edge("0x3f00", "0x4f00", "ivar", "_b"), edge("0x4f00", "0x3f00", "ivar", "_a"))
    objects = {address: thing("A") for address in (seed, "0x3f00", "0x4f00")}
    return {**cycles(objects, [knot([ring(there, back)], seed=seed == "0x3f00")], **rest),
            "seed": seed}


class Told(unittest.TestCase):
    process = 0

    def setUp(self):
        Told.process += 1

    def ask(self, seed, stop=1):
        answer = leading_to_a_ring(seed)
        shown_before.mark(answer, (self.process, stop))
        return answer

    def is_told(self, *question):
        return self.ask(*question)["knots"][0]["told"]

    def test_second_object_that_leads_to_it_gets_a_line(self):
        self.assertFalse(self.is_told("0x1f00"))
        text = report(self.ask("0x2f00"), Style())
        self.assertTrue(text.startswith("1 leaked retain cycle reachable from A 0x2f00, which is not "
                                        "in it\n"))
        self.assertIn("\nAlready shown at this stop: 1 cycle it reaches (-v repeats it)", text)
        self.assertNotIn("_b", text)
        self.assertIn("_b", report(self.ask("0x2f00"), Style(), verbose=True))

    def test_the_same_question_gets_the_same_answer(self):
        self.assertFalse(self.is_told("0x1f00"))
        self.assertFalse(self.is_told("0x1f00"))

    def test_an_object_in_it_gets_all_of_it(self):
        self.is_told("0x1f00")
        self.assertFalse(self.is_told("0x3f00"))

    def test_the_next_stop_starts_anew(self):
        self.is_told("0x1f00")
        self.assertFalse(self.is_told("0x2f00", 2))
        self.assertTrue(self.is_told("0x1f00", 2))


if __name__ == "__main__":
    unittest.main()
