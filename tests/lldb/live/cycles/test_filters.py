"""retain-cycles --filters: both engines hide the same, the project's file is found, errors."""
import json
import pathlib
import tempfile
import unittest

import session

FIXTURE = session.fixture("self_block")
OURS = "Owner._handler  # the owner drops it; \"always\", 100 %\n"


class Filters(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name).resolve()
        self.file = self.directory / "ours.txt"
        self.file.write_text(OURS, encoding="utf-8")

    def ask(self, *commands):
        [run] = session.carry_out([{"program": FIXTURE, "stop": session.READY,
                                    "commands": list(commands)}])
        self.assertEqual("", run["problem"])
        return run["commands"]

    def answers(self, option):
        asked = self.ask(*(f"retain-cycles -j --engine {engine} {option} seed"
                           for engine in ("memory", "helper")))
        self.assertEqual(["", ""], [result["error"] for result in asked])
        outside, inside = [json.loads(result["output"]) for result in asked]
        self.assertEqual({**outside, "engine": 0, "stats": 0}, {**inside, "engine": 0, "stats": 0})
        return outside

    def test_both_engines_hide_and_count(self):
        answer = self.answers(f"--filters {self.file}")
        self.assertEqual([], answer["knots"])
        self.assertEqual([{"filter": "Owner._handler", "edges": 1,
                           "reason": "the owner drops it; \"always\", 100 %"}], answer["hidden"])
        self.assertEqual({"file": str(self.file), "count": 1, "hidden": 1}, answer["filters"])

    def test_blocks_go_by_one_name(self):
        for line in ("block -> Owner # why", "Owner -> block # why", "block.+0x20 # why"):
            with self.subTest(line):
                self.file.write_text(line, encoding="utf-8")
                self.assertEqual([], self.answers(f"--filters {self.file}")["knots"])

    def test_a_filter_behind_five_thousand_others(self):
        others = "".join(f"Class{number}._ivar -> Other{number}  # reason number {number}\n"
                         for number in range(5000))
        self.file.write_text(others + OURS, encoding="utf-8")
        answer = self.answers(f"--filters {self.file}")
        self.assertEqual(["Owner._handler"], [item["filter"] for item in answer["hidden"]])
        self.assertEqual(5001, answer["filters"]["count"])

    def test_what_was_hidden_is_in_the_report(self):
        [plain, verbose] = self.ask(f"retain-cycles --filters {self.file} seed",
                                    f"retain-cycles -v --filters {self.file} seed")
        self.assertIn("No retain cycle reachable from seed (", plain["output"])
        self.assertEqual(f"1 reference hidden by {self.file} (--filters none hides nothing)",
                         plain["output"].splitlines()[1])
        self.assertIn("\nHidden by filters: 1 reference (-v says which)\n", plain["output"])
        self.assertIn("\n  1 by Owner._handler: the owner drops it; \"always\", 100 %\n"
                      f"Filters: 1 of {self.file}\n", verbose["output"])

    def test_a_file_that_others_can_write_hides_nothing_unasked(self):
        planted = self.directory / ".loupe-filters"
        planted.write_text(OURS, encoding="utf-8")
        planted.chmod(0o666)
        [_, text, answer, asked, written] = self.ask(
            f"!__import__('os').chdir({str(self.directory)!r})", "retain-cycles seed",
            "retain-cycles -j seed", f"retain-cycles -j --filters {planted} seed",
            f"retain-cycles -o {self.directory / 'report'} seed")
        first, fix, note = text["output"].splitlines()[:3]
        self.assertRegex(first, "^1 leaked retain cycle through seed")
        self.assertRegex(fix, "^Fix: ")
        self.assertEqual(f"Not used: {planted}: others can write it (--filters FILE takes any)",
                         note)
        self.assertEqual(note, written["output"].splitlines()[1])
        answer, asked = json.loads(answer["output"]), json.loads(asked["output"])
        self.assertEqual((1, []), (len(answer["knots"]), answer["hidden"]))
        self.assertEqual({"file": str(planted), "count": 0, "hidden": 0,
                          "refused": "others can write it"}, answer["filters"])
        self.assertEqual(([], 1), (asked["knots"], asked["filters"]["hidden"]))

    def test_the_projects_file_is_found_upwards_and_can_be_left_out(self):
        inner = self.directory / "a" / "b"
        inner.mkdir(parents=True)
        (self.directory / ".loupe-filters").write_text(OURS, encoding="utf-8")
        [_, found, left_out] = self.ask(f"!__import__('os').chdir({str(inner)!r})",
                                        "retain-cycles -j seed",
                                        "retain-cycles -j --filters none seed")
        found, left_out = json.loads(found["output"]), json.loads(left_out["output"])
        self.assertEqual(([], 1), (found["knots"], len(found["hidden"])))
        self.assertEqual(str(self.directory / ".loupe-filters"), found["filters"]["file"])
        self.assertEqual((1, []), (len(left_out["knots"]), left_out["hidden"]))
        self.assertNotIn("filters", left_out)

    def test_a_wrong_line_is_named_with_its_place(self):
        self.file.write_text("# ours\nOwner._handler\n", encoding="utf-8")
        [wrong, missing] = self.ask(f"retain-cycles --filters {self.file} seed",
                                    f"retain-cycles --filters {self.directory}/no seed")
        self.assertEqual(f"error: retain-cycles: {self.file}:2: the filter gives no reason: write "
                         "one after a #\n", wrong["error"])
        self.assertEqual(f"error: retain-cycles: cannot read the filters {self.directory}/no: "
                         "No such file or directory\n", missing["error"])


if __name__ == "__main__":
    unittest.main()
