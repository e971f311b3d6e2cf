"""Plain C arrays as ivars: a report that can be read, with all of it in -v and in the JSON."""
import json
import re
import unittest

import session

PROGRAM = str(session.BUILD / "tests" / "lldb" / "programs" / "arrays")


def ask(*lines):
    [run] = session.carry_out([{"program": PROGRAM, "stop": "tablesReady", "frame": 0,
                                "commands": list(lines)}])
    return [answer["output"] + answer["error"] for answer in run["commands"]]


def undeclared(text):
    """Without the column that says where each ivar is declared."""
    return re.sub(r" +\w+\.m:\d+(?= |$)", "", text, flags=re.M)


class Arrays(unittest.TestCase):
    def test_both_engines_show_a_row_for_each_run(self):
        memory, helper = ask("ivar-layout --engine memory tables",
                             "ivar-layout --engine helper tables")
        self.assertEqual(memory, helper)
        lines = memory.splitlines()
        self.assertLess(len(lines), 60)
        self.assertLess(max(map(len, lines)), 400)
        for row in (r"_buffer\[0\.\.24623\] +char +none +\"hello\"$",
                    r"_grid +int\[4\]\[5\] +none$", r"_grid\[1\]\[2\] +int +none +7$",
                    r"_ramp\[0\.\.99\] +float +none +0\.0, 0\.5, 1\.0, 1\.5, 2\.0, 2\.5, \.\.\.$",
                    r"_cells\[0\.\.99\] +id +strong +97 objects, 3 nil$",
                    r"_watched +id\[5000\] +weak$", r"_known +id\[5000\] +unretained$",
                    r"_items\[0\.\.2998\]\.owned +id +strong +nil$",
                    r"_items\[2999\]\.owned +id +strong +0x\w+$",
                    r"_late +id\[6000\] +strong$", r"_late\[5500\] +id +strong +0x\w+$"):
            self.assertRegex(undeclared(memory), f"(?m){row}")

    def test_bit_fields_have_their_values(self):
        for engine in ("memory", "helper"):
            [text] = ask(f"ivar-layout --engine {engine} flags")
            for row in (r"_first +int : 3 +none +5$", r"_second +int : 7 +none +100$",
                        r"_wide +int : 30 +none +305419896$", r"_halves\.low +int : 4 +none +9$",
                        r"_halves\.high +int : 4 +none +14$", r"_last +int : 1 +none +1$"):
                self.assertRegex(undeclared(text), f"(?m){row}")

    def test_verbose_has_every_element(self):
        [text] = ask("ivar-layout -v tables")
        for row in (r"_buffer\[4\] +char +none +111$", r"_buffer\[24623\] +char +none +0$",
                    r"_cells\[99\] +id +strong +nil$", r"_items\[2999\]\.name\[15\] +char "):
            self.assertRegex(text, f"(?m){row}")

    def test_paths_lead_through_elements_far_behind(self):
        path, number, direct = ask("strong-refs tables->_late[5500]",
                                   "strong-refs tables->_buffer[24000]", "strong-refs holder")
        self.assertEqual(path.split("(", 1)[1], direct.split("(", 1)[1])
        self.assertIn("tables->_buffer[24000] has no value that can be followed: it is c", number)

    def test_json_has_each_array_of_numbers_once_with_its_values(self):
        [text] = ask("ivar-layout --json tables")
        ivars = {ivar["name"]: ivar for ivar in json.loads(text)["levels"][0]["ivars"]}
        [buffer] = ivars["_buffer"]["fields"]
        self.assertEqual(24624, buffer["count"])
        self.assertEqual(24624, len(buffer["values"]))
        self.assertEqual([str(code) for code in b"hello\0"], buffer["values"][:6])


if __name__ == "__main__":
    unittest.main()
