"""--explain: what keeps nothing alive and why, by both engines."""
import json
import unittest

import session

HOLDERS = str(session.BUILD / "tests" / "lldb" / "programs" / "holders")


def run(commands, program=HOLDERS, stop="holdersReady"):
    [result] = session.carry_out([{"program": program, "stop": stop, "commands": commands}])
    assert not result["problem"], result["problem"]
    return result["commands"]


class Explain(unittest.TestCase):
    maxDiff = None

    def test_weak_superview_closes_no_ring(self):
        [asked] = run(["retain-cycles --explain root"])
        self.assertEqual("""\
What holds it: strong-refs --incoming root
Not counted: a reference that would close a retain cycle if it owned its object
  _superview  ivar, weak  of View <A2> → View <A1>: the ivar is weak
    back by _subviews → NSArray, [0] → View
""", session.normalised(asked["output"]).split("\n\n")[1].split("searched ")[0])

    def test_weak_capture_is_named(self):
        commands = ["retain-cycles --explain seed", "strong-refs --explain seed->_handler"]
        ring, block = run(commands, session.fixture("self_block_weak"), session.READY)
        self.assertIn("\n  weakSelf  captured, weak  of block <A2> at main.m:25 in -[Owner listen] "
                      "→ Owner <A1>: the block captured it weakly\n    back by _handler → block\n",
                      session.normalised(ring["output"]))
        self.assertIn(" holds nothing strongly\nNot counted:\n"
                      "  weakSelf  captured, weak → Owner <A2>: the block captured it weakly\n",
                      session.normalised(block["output"]))

    def test_tables_name_the_side_that_they_hold_weakly(self):
        sides = [("map_table", "guard", "_table", '["owner"]  value', "table holds its values"),
                 ("map_table", "guardKeyed", "_table", "key  key", "table holds its keys"),
                 ("hash_table", "guard", "_observers", "[*]  element",
                  "collection holds its elements")]
        for fixture, owner, ivar, place, what in sides:
            for engine in ("memory", "helper"):
                ring, table = run([f"retain-cycles --explain --engine {engine} {owner}",
                                   f"strong-refs --explain --engine {engine} {owner}->{ivar}"],
                                  session.fixture(fixture), session.READY)
                self.assertIn(f"\n  {place}, weak  of ", ring["output"])
                self.assertIn(f": the {what} weakly\n    back by {ivar} → ", ring["output"])
                self.assertIn(f"Not counted:\n  {place}, weak → ", table["output"])

    def test_who_refers_to_it_without_owning_it(self):
        [asked] = run(["strong-refs --incoming --explain root"])
        self.assertIn("\nNot counted:\n  _superview  ivar, weak  of View <A5>: the ivar is weak\n",
                      session.normalised(asked["output"]))

    def test_both_engines_explain_alike(self):
        questions = ["retain-cycles -j --explain root", "strong-refs -j --explain button",
                     "strong-refs -j --incoming --explain root"]
        asked = run([f"{question.replace('-j', f'-j --engine {engine}')}"
                     for engine in ("memory", "helper") for question in questions])
        # The helper, once it is loaded, has roots of its own.
        answers = [{**json.loads(result["output"]), "engine": 0, "stats": 0, "roots_walked": 0}
                   for result in asked]
        for outside, inside in zip(answers[:3], answers[3:]):
            self.assertEqual(outside, inside)
        self.assertEqual(1, answers[0]["weak_rings"]["found"])
        self.assertEqual("weak", answers[1]["not_counted"][0]["edge"]["ownership"])
        self.assertEqual(1, answers[2]["not_counted_found"])


if __name__ == "__main__":
    unittest.main()
