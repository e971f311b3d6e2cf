"""Objects on GCC's runtime, which has no weak references: told by -dealloc."""
import unittest

import watching

RULES = str(watching.SOURCES / "gnustep" / "screens.loupe-rules")


class GNUstep(watching.Case):
    def run_screen(self, mode: str) -> watching.Run:
        return watching.Run("screen", mode, rules=RULES)

    def test_what_dies_is_silent(self) -> None:
        self.silent(self.run_screen("clean"))

    def test_a_ring_is_reported_with_the_change_to_make(self) -> None:
        run = self.run_screen("leaked")
        self.assertEqual(run.events(), ["leak Screen"])
        self.assertEqual(sorted(self.ring(run.reports[0])), ["Loader._owner", "Screen._loader"])
        self.assertEqual(run.reports[0]["children"], 1)
        self.assertEqual(run.reports[0]["reason"], "it was closed")
        self.assertIn("hold Loader._owner without retaining it", run.text)

    def test_a_late_death_takes_the_report_back(self) -> None:
        run = self.run_screen("late")
        self.assertEqual(run.events(), ["leak Screen", "late Screen"])
        self.assertIn(" s late: not a leak", run.text)

    def test_what_is_shown_again_is_expected_again_when_it_is_closed(self) -> None:
        self.silent(self.run_screen("shown"))

    def test_a_new_object_at_the_same_address_is_another_one(self) -> None:
        self.silent(self.run_screen("reused"))

    def test_exceptions_pass_through_interceptions(self) -> None:
        self.silent(self.run_screen("thrown"))

    def test_a_child_of_the_program_is_not_watched(self) -> None:
        self.silent(self.run_screen("child"))


if __name__ == "__main__":
    unittest.main()
