"""Paths through objects and blocks, followed by an engine's answers."""
import unittest

from lldb_commands.expressions import paths
from lldb_commands.errors import LoupeError

CELL = {"query": "ivar-layout", "levels": [
    {"class": "Cell", "ivars": [
        {"name": "_view", "value": "0x300", "fields": None},
        {"name": "_next", "value": "0x0", "fields": None},
        {"name": "_n", "value": None, "type": "int", "fields": None},
        {"name": "_box", "value": None, "fields": [
            {"path": "_box.a[1]", "value": "0x400"}]}]},
    {"class": "Base", "ivars": [{"name": "_handler", "value": "0x200", "fields": None}]}]}
BLOCK = {"query": "block-layout", "captures": [
    {"name": None, "value": "0x1"},
    {"name": "self", "value": "0x100"},
    {"name": "me", "value": "0x500", "byref": {"variable": {"name": None, "value": "0x100"}}}]}
HEAP = {0x100: CELL, 0x200: BLOCK}


class ObjectPaths(unittest.TestCase):
    def follow(self, text, start=0x100):
        path = paths.parse(text)
        self.assertIsNotNone(path, text)
        return paths.follow(path, start, HEAP.__getitem__)

    def test_paths_are_told_from_other_expressions(self):
        for text in ("self->_a", "a->b.c[2]->d", "0x12ab->_x", "$blk -> self"):
            self.assertIsNotNone(paths.parse(text), text)
        for text in ("self", "a.b", "a[1]", "*a->b", "a->b + 1", "(id)a->b", "a->", "[a->b c]",
                     "a.b->c", "12->x"):
            self.assertIsNone(paths.parse(text), text)

    def test_ivars_of_the_class_and_of_its_superclass(self):
        self.assertEqual(0x300, self.follow("cell->_view"))
        self.assertEqual(0x200, self.follow("cell->_handler"))

    def test_member_of_a_struct(self):
        self.assertEqual(0x400, self.follow("cell->_box.a[1]"))

    def test_through_a_block_and_a_block_variable(self):
        self.assertEqual(0x300, self.follow("cell->_handler->self->_view"))
        self.assertEqual(0x300, self.follow("cell->_handler->me->_view"))

    def test_nil_at_the_end_is_for_the_caller(self):
        self.assertEqual(0, self.follow("cell->_next"))

    def test_errors_name_the_step(self):
        for text, message in (
                ("cell->_next->_view", "cell->_next is nil, so there is no _view"),
                ("cell->_gone", "cell has no _gone; it has _view, _next, _n, _box, _box.a[1], "
                                "_handler"),
                ("cell->_n", "cell->_n has no value that can be followed: it is int"),
                ("cell->_handler->it", "cell->_handler has no it; it has self, me")):
            with self.subTest(text):
                with self.assertRaises(LoupeError) as caught:
                    self.follow(text)
                self.assertEqual(message, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
