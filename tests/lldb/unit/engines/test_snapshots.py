"""What is said when no snapshot of a stop could be made."""
import unittest

from lldb_commands.heaps import refused


class Refusals(unittest.TestCase):
    def test_time_that_was_up_is_no_address(self):
        said = refused.in_words({"code": "timeout", "message": "0x0 cannot be searched"}, "/x")
        self.assertIn("the time was up", said)
        self.assertNotIn("0x0", said)

    def test_a_file_of_our_own_has_no_name(self):
        said = refused.in_words({"code": "internal", "message": "/tmp/loupe-1/2.loupe: full"},
                                "/tmp/loupe-1/2.loupe")
        self.assertEqual("its file: full", said)

    def test_something_is_always_said(self):
        self.assertIn("could not be made", refused.in_words({}, "/x"))


if __name__ == "__main__":
    unittest.main()
