"""Joining an engine's captures with the variables of debug info."""
import unittest
from dataclasses import dataclass

from lldb_commands.names.captures import named_captures


@dataclass
class Named:
    path: str
    type: str
    offset: int
    size: int
    is_reference: bool = False


def capture(offset, size, kind, *evidence):
    return {"offset": offset, "size": size, "name": None, "type": None, "kind": kind,
            "value": "0x1", "class": None, "evidence": list(evidence), "byref": None}


def rows(captures):
    return [(row["offset"], row["size"], row["name"], row["kind"]) for row in captures]


class Joining(unittest.TestCase):
    def test_a_reference_gets_name_type_and_evidence(self):
        conflicts = []
        found = named_captures([capture(32, 8, "strong", "symbol")],
                               [Named("self", "Cell *", 32, 8, True)], conflicts)
        self.assertEqual([(32, 8, "self", "strong")], rows(found))
        self.assertEqual("Cell *", found[0]["type"])
        self.assertEqual(["symbol", "debug-info"], found[0]["evidence"])
        self.assertEqual([], conflicts)

    def test_a_run_of_data_becomes_a_row_per_variable_and_gap(self):
        found = named_captures([capture(40, 24, "data", "layout")],
                               [Named("n", "int", 40, 4), Named("p", "char *", 48, 8),
                                Named("c", "char", 56, 1)], [])
        self.assertEqual([(40, 4, "n", "data"), (44, 4, None, "data"), (48, 8, "p", "data"),
                          (56, 1, "c", "data"), (57, 7, None, "data")], rows(found))
        self.assertEqual("padding", found[1]["type"])

    def test_no_byte_is_lost_or_doubled(self):
        captures = [capture(32, 8, "strong"), capture(40, 30, "data"), capture(70, 2, "unknown")]
        variables = [Named("a", "id", 32, 8, True), Named("u", "int", 44, 4),
                     Named("v", "int", 44, 4), Named("w", "long", 64, 8)]
        position = 32
        for row in named_captures(captures, variables, []):
            self.assertEqual(position, row["offset"])
            position += row["size"]
        self.assertEqual(72, position)

    def test_layout_that_calls_a_plain_pointer_strong_is_a_conflict(self):
        conflicts = []
        found = named_captures([capture(40, 8, "strong", "layout")],
                               [Named("this", "Engine *", 40, 8)], conflicts)
        self.assertEqual([(40, 8, "this", "data")], rows(found))
        self.assertEqual([{"offset": 40, "kept": "data", "discarded": "strong",
                           "kept_by": "debug-info", "discarded_by": "layout"}], conflicts)

    def test_a_symbol_that_says_strong_stands_against_a_plain_type(self):
        conflicts = []
        found = named_captures([capture(32, 8, "strong", "symbol", "layout")],
                               [Named("ref", "CFThing *", 32, 8)], conflicts)
        self.assertEqual([(32, 8, "ref", "strong")], rows(found))
        self.assertEqual([], conflicts)

    def test_without_variables_nothing_changes(self):
        captures = [capture(32, 8, "strong"), capture(40, 8, "data")]
        self.assertEqual(captures, named_captures(captures, [], []))


if __name__ == "__main__":
    unittest.main()
