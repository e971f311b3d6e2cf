"""Questions that stay open while debug info tells more: the last answer is the one that an engine
gives which is told everything at once, and what a session knows ends with the stop."""
import json
import unittest

import session

PROGRAMS = session.BUILD / "tests" / "lldb" / "programs"
QUERIES = ("retain-cycles", "strong-refs", "incoming-refs")
SEEDS = (("links", "seed", ["12"]), ("links", "train", ["12"]), ("links", "called", ["3"]),
         ("links", "crates", ["40"]), ("members", "seed", []), ("captures", "seed", []))


def run(program, arguments, commands):
    script = session.HERE / "rounds_twice.py"
    return {"program": str(PROGRAMS / program), "stop": session.READY, "arguments": arguments,
            "commands": [f'command script import "{script}"', *commands]}


def engine_says(words):
    """What loupe-engine answers; {} is the address of seed."""
    return ("!(lambda said: (debugger.GetCommandInterpreter().HandleCommand(" + repr(
        f"loupe-engine {words}") + ".replace('{}', frame.FindVariable('seed').GetValue()), said), "
        "said.GetOutput() or said.GetError())[1])(lldb.SBCommandReturnObject())")


class Sessions(unittest.TestCase):
    maxDiff = None

    def test_an_answer_in_rounds_is_the_answer_to_all_at_once(self):
        rounds = [f"loupe-test-rounds {engine} {query} {{}}" for engine in ("memory", "helper")
                  for query in QUERIES]
        results = session.carry_out([
            run(program, arguments, [line.format(seed) for line in rounds])
            for program, seed, arguments in SEEDS])
        facts = 0
        for (program, seed, _), result in zip(SEEDS, results):
            self.assertEqual("", result["problem"])
            for command in result["commands"][1:]:
                with self.subTest(f"{program}: {command['line']}"):
                    self.assertTrue(command["ok"], command["error"])
                    said = json.loads(command["output"])
                    self.assertEqual(said["at_once"], said["in_rounds"])
                    self.assertEqual("ok" if program != "members" else said["at_once"]["status"],
                                     said["at_once"]["status"])
                    if "strong-refs" not in command["line"] and "helper" not in command["line"]:
                        self.assertGreater(said["facts"], 0)
                        self.assertGreaterEqual(said["spent"][0]["bytes"],
                                                said["spent"][1]["bytes"])
                    facts += said["facts"]
                    if "retain-cycles crates" in command["line"]:
                        self.assertGreater(said["surveys"], 20)  # the helper's go on outside
        self.assertGreater(facts, 100)

    def test_a_session_ends_with_the_stop_and_with_code_that_runs(self):
        opening = engine_says("retain-cycles --address {} --session 7 --with 'list 3'")
        extending = engine_says("extend --session 7")
        [result] = session.carry_out([run("links", ["3"], [
            "retain-cycles --engine memory cars", extending,
            opening, extending, engine_says("ask --session 7"), engine_says("extend --session 8"),
            "expression (int)getpid()", extending,
            opening, extending, engine_says("close --session 7"), extending,
            opening, engine_says("strong-refs --address {}"), extending,
            opening, "thread step-inst", extending])])
        self.assertEqual("", result["problem"])
        said = [command["output"] for command in result["commands"][1:]]
        gone = "error: no such session: the process ran, or another question was asked since\n"
        for place in (1, 5, 7, 11, 14, 17):
            self.assertEqual(gone, said[place], place)
        for place, key in ((2, "knots"), (3, "unread"), (4, "knots"), (8, "knots"), (9, "unread"),
                           (12, "knots"), (13, "edges"), (15, "knots")):
            answer = json.loads(said[place])
            self.assertIn(key, answer)
            self.assertEqual("ok", answer["status"])
        self.assertNotIn("knots", json.loads(said[3]))
        self.assertEqual("", said[10])


if __name__ == "__main__":
    unittest.main()
