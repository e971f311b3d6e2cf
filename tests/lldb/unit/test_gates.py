"""When a gate fails: a cycle, an incomplete walk, a session in which nothing was asked."""
import unittest

from answers import cycles, self_in_block, thing
from lldb_commands.found import Found
from lldb_commands.reporting import gates, summary


def none_found(**rest):
    return cycles({"0x1f00": thing("Owner")}, [], **rest)


def cut_short(answer):
    return {**answer, "status": "incomplete", "not_followed": [
        {"reason": "C++ members", "code": "cxx-member", "count": 1},
        {"reason": "objects beyond the limit", "code": "limit", "count": 3}]}


class Gates(unittest.TestCase):
    def test_a_gate_fails_for_a_cycle_and_for_what_was_not_walked(self):
        for answer, gate, allow, expected in (
                (none_found(), True, False, ""),
                (self_in_block(), True, False, "found 1 leaked retain cycle"),
                (self_in_block(), False, False, ""),
                (cut_short(self_in_block()), True, True, "found 1 leaked retain cycle"),
                (cut_short(self_in_block()), True, False,
                 "found 1 leaked retain cycle, and the search is incomplete (objects beyond the limit): raise --limit"),
                (cut_short(none_found()), False, False, ""),
                (cut_short(none_found()), True, True, ""),
                (cut_short(none_found()), True, False,
                 "found none so far, but the search is incomplete (objects beyond the limit): raise "
                 "--limit, or pass --allow-incomplete")):
            failure = gates.failure(answer, gate, allow)
            self.assertEqual(expected, failure)
            # What is incomplete, and what may be: status 2, whatever was found.
            self.assertEqual(expected == "found 1 leaked retain cycle", isinstance(failure, Found))

    def test_an_incomplete_answer_without_a_reason_is_one_too(self):
        answer = {**none_found(), "status": "incomplete"}
        self.assertIn("the search is incomplete", gates.failure(answer, True, False))


class Session(unittest.TestCase):
    def setUp(self):
        summary.sessions.clear()

    def test_nothing_asked_is_no_pass(self):
        self.assertEqual("no question about cycles was asked in this session: was the breakpoint ever "
                         "hit?", summary.failure(summary.of(1), True))

    def test_cycles_are_counted_once_and_sessions_apart(self):
        summary.note_answer(1, "self", none_found(), accepted=False)
        self.assertEqual("", summary.failure(summary.of(1), False))
        for _ in range(3):
            summary.note_answer(1, "cell", self_in_block(), accepted=False)
        summary.note_answer(2, "self", none_found(), accepted=False)
        self.assertEqual("found 1 retain cycle by 3 of 4 questions",
                         summary.failure(summary.of(1), False))
        self.assertIsInstance(summary.failure(summary.of(1), False), Found)
        self.assertEqual("", summary.failure(summary.of(2), False))
        self.assertEqual(
            "4 questions about cycles: 3 with retain cycles\n"
            "  PhotoViewController._completion -> block.self -> (closed): leaked, 3 times, first "
            "asked about cell", summary.in_words(summary.of(1), True))

    def test_what_a_baseline_recorded_is_accepted(self):
        summary.note_answer(1, "self", self_in_block(), accepted=True)
        self.assertEqual("", summary.failure(summary.of(1), False))

    def test_what_was_not_answered_or_not_walked_is_no_pass(self):
        summary.note_answer(1, "self", cut_short(none_found()), accepted=False)
        self.assertIn("the search was incomplete for 1 of 1 question: ",
                      summary.failure(summary.of(1), False))
        self.assertEqual("", summary.failure(summary.of(1), True))
        summary.note_failure(1, "x->y\x1b", "x is nil")
        self.assertEqual("1 of 2 questions had no answer", summary.failure(summary.of(1), True))
        text = summary.in_words(summary.of(1), True)
        self.assertIn("2 questions about cycles: none with retain cycles, 1 incomplete, 1 without an "
                      "answer", text)
        self.assertIn(r"  x->y\x1b: x is nil", text)

    def test_what_was_not_answered_is_said_of_a_session_that_found_cycles_too(self):
        summary.note_answer(1, "self", self_in_block(), accepted=False)
        summary.note_failure(1, "x", "x is nil")
        failure = summary.failure(summary.of(1), True)
        self.assertEqual("found 1 retain cycle by 1 of 2 questions, and 1 of 2 questions had no answer", failure)
        self.assertNotIsInstance(failure, Found)

    def test_lists_end_and_counts_go_on(self):
        for number in range(1000):
            summary.note_failure(1, f"x{number}", "x is nil")
        self.assertEqual((1000, 100), (summary.of(1)["failed"], len(summary.of(1)["problems"])))
        self.assertIn("and 980 more", summary.in_words(summary.of(1), True))


if __name__ == "__main__":
    unittest.main()
