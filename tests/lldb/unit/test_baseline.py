"""The file of known rings, and what it takes out of an answer."""
import json
import pathlib
import tempfile
import unittest

from answers import cycles, edge, fix, knot, ring, self_in_block, thing
from reports import report
from lldb_commands.errors import LoupeError
from lldb_commands.render.style import Style
from lldb_commands.reporting import baseline, rings

OLD, NEW = "00000000000000aa", "00000000000000bb"


def two_rings(**rest):
    """A list node with a short ring (old) and a longer one (new)."""
    forth, back = edge("0x1f00", "0x2f00", "ivar", "_next"), edge("0x2f00", "0x1f00", "ivar", "_up")
    on = edge("0x2f00", "0x3f00", "ivar", "_next")
    home = edge("0x3f00", "0x1f00", "ivar", "_head")
    rings = [{**ring(forth, back), "fingerprint": OLD}, {**ring(forth, on, home),
                                                         "fingerprint": NEW}]
    objects = {address: thing("Node") for address in ("0x1f00", "0x2f00", "0x3f00")}
    fixes = [fix(forth), fix(back, "ring")]
    return cycles(objects, [knot(rings, objects=3, edges=4, fixes=fixes, all_rings=True)],
                  knots_found=1, **rest)


class InADirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name) / "known.txt"

    def lines(self):
        return self.path.read_text(encoding="utf-8").splitlines()

    def refused(self, content):
        self.path.write_bytes(content)
        with self.assertRaises(LoupeError) as caught:
            baseline.read(str(self.path))
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)


class File(InADirectory):
    def test_one_sorted_line_per_ring(self):
        answer = two_rings()
        answer["knots"][0]["rings"].reverse()
        baseline.write(str(self.path), answer, {})
        self.assertEqual([
            f"{OLD}  # Node._next -> Node._up -> (closed)",
            f"{NEW}  # Node._head -> Node._next -> Node._next -> (closed)"], self.lines()[1:])
        self.assertEqual(sorted(self.lines()), self.lines())

    def test_the_path_does_not_depend_on_where_the_ring_was_entered(self):
        written = []
        for turn in range(3):
            answer = two_rings()
            edges = answer["knots"][0]["rings"][1]["edges"]
            edges[:] = edges[turn:] + edges[:turn]
            baseline.write(str(self.path), answer, {})
            written.append(self.lines())
        self.assertEqual([written[0]] * 3, written)

    def test_what_was_written_is_read(self):
        baseline.write(str(self.path), two_rings(), {})
        self.assertEqual({OLD, NEW}, set(baseline.read(str(self.path))))

    def test_mark_of_the_encoding_that_some_editors_write(self):
        self.path.write_bytes(f"\ufeff# known\n{OLD}\r\n".encode("utf-8"))
        self.assertEqual({OLD: ""}, baseline.read(str(self.path)))

    def test_writing_tells_how_many_there_are(self):
        self.assertEqual(3, baseline.write(str(self.path), two_rings(), {"f" * 16: "", OLD: ""}))

    def test_known_rings_stay_with_the_comments_they_have(self):
        baseline.write(str(self.path), two_rings(), {OLD: "accepted", "f" * 16: ""})
        self.assertEqual([f"{OLD}  # accepted", f"{NEW}  # Node._head -> Node._next -> "
                          "Node._next -> (closed)", "f" * 16], self.lines()[1:])

    def test_a_block_and_what_it_captured(self):
        answer = self_in_block()
        answer["knots"][0]["rings"][0]["fingerprint"] = OLD
        baseline.write(str(self.path), answer, {})
        self.assertEqual(f"{OLD}  # PhotoViewController._completion -> block.self -> (closed)",
                         self.lines()[1])

    def test_a_name_with_a_line_break_stays_on_its_line(self):
        answer = two_rings()
        answer["objects"]["0x1f00"]["class"] = "Evil\nfeedfeedfeedfeed"
        baseline.write(str(self.path), answer, {})
        self.assertEqual({OLD, NEW}, set(baseline.read(str(self.path))))

    def test_a_long_ring_is_shortened(self):
        edges = [edge(hex(16 * n), hex(16 * (n + 1)), "ivar", "_next") for n in range(1, 40)]
        answer = cycles({}, [knot([{**ring(*edges), "fingerprint": OLD}])])
        baseline.write(str(self.path), answer, {})
        self.assertTrue(self.lines()[1].endswith(" -> ... (39 references)"))
        self.assertLess(len(self.lines()[1]), 300)

    def test_doubles_empty_lines_and_comments_are_taken(self):
        self.path.write_text(f"# ours\n\n{NEW} # b\r\n{OLD}\n{NEW}\n", encoding="utf-8")
        self.assertEqual({NEW: "b", OLD: ""}, baseline.read(str(self.path)))

    def test_a_missing_file(self):
        with self.assertRaises(LoupeError) as caught:
            baseline.read(str(self.path))
        self.assertEqual(f"cannot read the baseline {self.path}: No such file or directory; "
                         f"--write-baseline {self.path} records what there is now",
                         str(caught.exception))

    def test_a_conflict_left_in_the_file(self):
        text = self.refused(f"{OLD}\n<<<<<<< HEAD\n{NEW}\n".encode())
        self.assertIn("in line 2: '<<<<<<< HEAD'", text)

    def test_a_fingerprint_too_short(self):
        self.assertIn("in line 1: 'f00d", self.refused(b"f00d # a -> b\n"))

    def test_no_text(self):
        self.assertIn("is not UTF-8 text", self.refused(b"\xff\xfe\x00"))

    def test_a_file_that_cannot_be_written(self):
        with self.assertRaisesRegex(LoupeError, "^cannot write "):
            baseline.write(str(self.path.parent), two_rings(), {})


class Hiding(unittest.TestCase):
    def test_all_known(self):
        answer = two_rings()
        baseline.hide(answer, {OLD: "", NEW: ""})
        self.assertEqual([], answer["knots"])
        self.assertEqual({"hidden_rings": 2, "hidden_knots": 1, "hidden_possible": 0,
                          "knots_not_compared": 0,
                          "not_met": 0},
                         answer["baseline"])
        text = report(answer, Style())
        self.assertTrue(text.startswith("No new retain cycle reachable from "), text)
        self.assertIn("\nHidden by the baseline: 2 loops", text)
        self.assertNotIn("Not shown", text)

    def test_rings_that_are_not_met_are_told_on_request(self):
        answer = two_rings()
        baseline.hide(answer, {OLD: "", "c" * 16: ""})
        self.assertEqual(1, answer["baseline"]["not_met"])
        self.assertIn("\nIn the baseline, not found here: 1 loop",
                      report(answer, Style(), verbose=True))
        self.assertNotIn("Not met", report(answer, Style()))

    def test_none_known_changes_nothing_but_the_count(self):
        answer = two_rings()
        baseline.hide(answer, {"c" * 16: ""})
        hidden = answer.pop("baseline")
        self.assertEqual(0, hidden["hidden_rings"])
        self.assertEqual(json.dumps(two_rings()), json.dumps(answer))

    def test_one_new_ring_in_a_known_knot(self):
        answer = two_rings()
        baseline.hide(answer, {OLD: ""})
        self.assertEqual([NEW], [ring["fingerprint"] for ring in answer["knots"][0]["rings"]])
        self.assertEqual(1, answer["knots"][0]["hidden_rings"])
        text = report(answer, Style())
        self.assertTrue(text.startswith("1 new leaked retain cycle through "), text)
        self.assertNotIn("shortest loop", text)

    def test_by_what_older_baselines_have_for_it(self):
        """Which told no blocks of two places apart."""
        for item in (lambda answer: answer["knots"][0]["rings"][0], lambda answer: answer["knots"][0]):
            answer = two_rings()
            item(answer)["older_fingerprint"] = "c" * 16
            baseline.hide(answer, {"c" * 16: "", NEW: ""})
            self.assertEqual([], answer["knots"])
            self.assertEqual(0, answer["baseline"]["not_met"])

    def test_fixes_of_the_hidden_ring_go_with_it(self):
        answer = two_rings()
        baseline.hide(answer, {OLD: ""})
        self.assertEqual(["_next"], [fix["edge"]["path"] for fix in answer["knots"][0]["fixes"]])
        self.assertEqual(1, answer["knots"][0]["fixes_left_out"])

    def test_fixes_stay_when_a_later_ring_is_hidden(self):
        answer = two_rings()
        baseline.hide(answer, {NEW: ""})
        self.assertEqual(2, len(answer["knots"][0]["fixes"]))

    def test_what_was_not_listed_is_not_compared_and_counted(self):
        answer = two_rings()
        answer["knots_found"] = 3
        answer["knots"][0]["all_rings"] = False
        baseline.hide(answer, {OLD: "", NEW: ""})
        self.assertEqual(3, answer["baseline"]["knots_not_compared"])
        self.assertIn("\nNot compared with the baseline: more loops of 3 cycles",
                      report(answer, Style()))

    def test_shortening_says_that_rings_were_left_out(self):
        answer = two_rings()
        rings.shorten(answer, 2)
        self.assertTrue(answer["knots"][0]["all_rings"])
        rings.shorten(answer, 1)
        self.assertEqual([OLD], [ring["fingerprint"] for ring in answer["knots"][0]["rings"]])
        self.assertFalse(answer["knots"][0]["all_rings"])


if __name__ == "__main__":
    unittest.main()
