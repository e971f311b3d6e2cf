"""What -dealloc tells of ivars in manual retain/release code: programs of both compilers."""
import ast
import json
import unittest

import session

GNUSTEP = session.BUILD / "tests" / "gnustep"
NEVER = "the -dealloc of its class never touches it"
# Children of seed that lead back to it, and what is told of the ivar.
DOUBTS = {"_plain": f"{NEVER}, and it is called like what is not retained",
          "_leaver": f"{NEVER}, and it is called like what is not retained",
          "_helper": f"{NEVER}, and it is called like what is not retained",
          "_leaky": NEVER,
          "_clearing": None, "_setter": None, "_releaser": None, "_function": None, "_keyed": None}


class OwnDealloc(unittest.TestCase):
    maxDiff = None

    def ask(self, compiler, *lines):
        program = GNUSTEP / compiler / "untouched_ivars"
        if not program.exists():
            raise unittest.SkipTest("no GNUstep here")
        [run] = session.carry_out([{"program": str(program), "stop": session.READY, "frame": 1,
                                    "commands": list(lines)}])
        assert not run["problem"], run["problem"]
        return [result["output"] + result["error"] for result in run["commands"]]

    def check(self, compiler, engine):
        questions = [f"strong-refs -j --engine {engine} seed->{name}" for name in DOUBTS]
        *answers, rings = self.ask(compiler, *questions,
                                   f"retain-cycles -j -n 20 --engine {engine} seed")
        found = {}
        for name, answer in zip(DOUBTS, answers):
            [edge] = [edge for edge in json.loads(answer)["edges"]
                      if edge["path"] not in ("_first", "_name")]
            self.assertEqual("assumed", edge["ownership"])
            found[name] = edge.get("doubt")
        self.assertEqual(DOUBTS, found)
        answer = json.loads(rings)
        self.assertEqual([("dealloc", 4)],
                         [(item["filter"], item["edges"]) for item in answer["hidden"]])
        left = {edge["path"] for knot in answer["knots"] for ring in knot["rings"]
                for edge in ring["edges"] if edge["from"] == answer["seed"]}
        self.assertEqual({"_clearing", "_setter", "_releaser", "_function", "_keyed"}, left)

    def test_code_of_gcc(self):
        self.check("gobjc", "memory")
        self.check("gobjc", "helper")

    def test_code_of_clang(self):
        self.check("clang", "memory")

    def test_classes_of_both_are_known_by_their_symbols(self):
        """For the lines of their ivars, and to complete their names."""
        for compiler in ("gobjc", "clang"):
            answer, offers = self.ask(compiler, "strong-refs -j seed", "!offers('ivar-layout Hold')")
            self.assertIn("declared", json.loads(answer)["edges"][0], compiler)
            self.assertEqual(["Holder"], ast.literal_eval(offers), compiler)

    def test_it_is_said_beside_the_reference(self):
        text, _ = self.ask("gobjc", "strong-refs seed->_leaky", "strong-refs seed->_setter")
        self.assertIn("  _other  ivar, assumed, untouched by -dealloc  → Holder ", text)


if __name__ == "__main__":
    unittest.main()
