"""Methods of GNU runtimes by their symbols."""
import unittest

from lldb_commands.names.method_names import as_method


class MethodNames(unittest.TestCase):
    def test_symbols_become_what_a_person_writes(self):
        for symbol, expected in (("_i_Downloader__start", "-[Downloader start]"),
                                 ("_c_Downloader__shared", "+[Downloader shared]"),
                                 ("_i_Set__setURL_timeout_", "-[Set setURL:timeout:]"),
                                 ("_i_Set___reload", "-[Set _reload]"),
                                 ("_i_Set___reload_", "-[Set _reload:]"),
                                 ("_i_Set__my_method", "-[Set my_method]")):
            self.assertEqual(expected, as_method(symbol))

    def test_other_names_stay(self):
        for symbol in ("main", "-[Set reload]", "_i_Set_Category_reload", "__i_Set__x", ""):
            self.assertEqual(symbol, as_method(symbol))


if __name__ == "__main__":
    unittest.main()
