"""ivar-layout CLASS, where no linker symbol leads to the class."""
import re
import unittest

import session

PROGRAM = str(session.BUILD / "tests" / "lldb" / "programs" / "classes")


def first_lines(*lines):
    [run] = session.carry_out([{"program": PROGRAM, "stop": "classesReady", "frame": 0,
                                "commands": list(lines)}])
    return [(answer["output"] + answer["error"]).splitlines()[0] for answer in run["commands"]]


class ClassesByName(unittest.TestCase):
    def test_classes_made_at_run_time(self):
        for engine in ("memory", "helper"):
            named, of_object, none = first_lines(
                f"ivar-layout --engine {engine} Made", f"ivar-layout --engine {engine} object",
                "ivar-layout Mad")
            self.assertEqual(of_object, named)
            self.assertRegex(named, r"\AMade : Base : NSObject, 16 bytes")
            self.assertRegex(none, ", and no class is named Mad$")

    def test_names_that_c_has_too(self):
        symbol, number, variable = first_lines("ivar-layout P", "ivar-layout counter",
                                               "ivar-layout Known")
        self.assertRegex(symbol, r"\AP : Base : NSObject")
        self.assertRegex(number, r"\Acounter : Base : NSObject")
        # An object in scope is what a name means first.
        self.assertRegex(variable, r"\ABase : NSObject")

    def test_a_class_is_no_object_to_ask_about(self):
        [text] = first_lines("retain-cycles Made")
        self.assertTrue(re.search("Made is a class: name an object", text), text)


if __name__ == "__main__":
    unittest.main()
