"""In breakpoint actions: the right thread, silence, each ring once, stopping only for a cycle."""
import re
import unittest

import session

PROGRAMS = session.BUILD / "tests" / "lldb" / "programs"
REPORT = re.compile(r"^1 (?:leaked |held )?retain cycle through self \((\w+) (0x[0-9a-f]+)\)", re.M)


LAUNCH = "process launch --stdout /dev/null -- 30"  # cells in a round


def run(program, *lines):
    finished = session.batch(*lines, LAUNCH,
                             program=PROGRAMS / program)
    return finished.stdout + finished.stderr


def action(function, *commands):
    """An auto-continuing breakpoint with these actions."""
    texts = " ".join(f"--command '{command}'" for command in commands)
    return f"breakpoint set --name '{function}' --auto-continue true {texts}"


class Actions(unittest.TestCase):
    def test_three_threads_at_one_place_each_ask_about_their_own_self(self):
        text = run("workers", action("-[Worker work]", "retain-cycles"))
        self.assertEqual({"FirstWorker", "SecondWorker", "ThirdWorker"},
                         {name for name, _ in REPORT.findall(text)})
        self.assertEqual(3, len({address for _, address in REPORT.findall(text)}))

    def test_by_the_helper_each_report_is_about_its_own_self(self):
        # lldb drops actions of threads that stopped at the same time, once one has run code.
        text = run("workers", action("-[Worker work]", "retain-cycles --engine helper"))
        reports = REPORT.findall(text)
        self.assertGreaterEqual(len(reports), 1, text)
        self.assertEqual(len(reports), len(set(reports)))
        self.assertEqual(len(reports), text.count(", in-process\n"), text)
        self.assertIn("exited with status = 0", text)

    def test_quiet_reads_from_outside_even_if_the_helper_is_there(self):
        finished = session.batch("breakpoint set --name main", "process launch --stdout /dev/null",
                                 "loupe inject", action("-[Worker work]", "retain-cycles -q"),
                                 "continue", program=PROGRAMS / "workers")
        self.assertEqual(3, finished.stdout.count(", from LLDB"), finished.stdout)

    def test_quiet_is_silent_a_thousand_times_but_for_each_ring_once(self):
        finished = session.batch(action("-[Cell show]", "retain-cycles -q self"),
                                 "process launch --stdout /dev/null -- 500", "breakpoint list",
                                 program=PROGRAMS / "cells")
        text = finished.stdout + finished.stderr
        self.assertIn("hit count = 1000", text)
        self.assertEqual(2, len(REPORT.findall(text)), text[-2000:])
        self.assertNotIn("no retain cycle", text)
        self.assertNotIn("error", text)

    def test_quiet_with_repeat_reports_again(self):
        text = run("cells", action("-[Cell show]", "retain-cycles -q --repeat self"))
        self.assertEqual(4, len(REPORT.findall(text)))

    def test_the_second_run_of_the_program_reports_again(self):
        finished = session.batch(action("-[Cell show]", "retain-cycles -q self"),
                                 LAUNCH, LAUNCH,
                                 program=PROGRAMS / "cells")
        self.assertEqual(4, len(REPORT.findall(finished.stdout)))

    def test_the_next_action_runs_also_when_nothing_is_found(self):
        text = run("workers", action("-[Worker work]", "retain-cycles -q 0x1000", "bt 1"))
        self.assertNotIn("frame #0", text)  # an error ends the actions of a hit, as lldb has it
        text = run("workers", action("-[Worker work]", "strong-refs self", "retain-cycles -q",
                                     "bt 1"))
        self.assertIn("frame #0", text)


class StopIfCycle(unittest.TestCase):
    CALLBACK = "breakpoint command add -F lldb_commands.breakpoints.stop_if_cycle 1"

    def run_with(self, extra=""):
        return session.batch("breakpoint set --name '-[Cell show]'", self.CALLBACK + extra,
                             LAUNCH, "frame variable self->_number", "continue",
                             "frame variable self->_number", "continue",
                             program=PROGRAMS / "cells")

    def test_stops_at_each_cell_in_a_ring_and_at_no_other(self):
        finished = self.run_with()
        numbers = re.findall(r"self->_number = (\d+)", finished.stdout)
        self.assertEqual(["4", "7"], numbers, finished.stdout[-3000:] + finished.stderr)
        self.assertEqual(2, len(REPORT.findall(finished.stdout)))
        self.assertIn("exited with status = 0", finished.stdout)

    def test_keys_choose_expression_and_repetition(self):
        finished = self.run_with(" -k expr -v self -k repeat -v yes -k timeout -v 5")
        self.assertEqual(2, finished.stdout.count("self->_number = "), finished.stderr)
        self.assertNotIn("exited with status", finished.stdout.split("self->_number = 7")[-1])


if __name__ == "__main__":
    unittest.main()
