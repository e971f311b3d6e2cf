"""Prototypes, message sends, styles, fixes: the small pieces of wording."""
import pathlib
import re
import unittest

from answers import block, edge, thing
from lldb_commands.render import fixes, words
from lldb_commands.expressions.message_sends import dotted_paths, has_message_send
from lldb_commands.names.prototypes import prototype, readable
from lldb_commands.render.style import for_terminal


class Classes(unittest.TestCase):
    def test_the_tool_of_the_terminal_has_the_same_names(self):
        source = pathlib.Path(__file__).parents[3] / "core" / "report" / "class_words.c"
        listed = re.findall(r'\{"(\w+)", "(\w+)"\}', source.read_text())
        self.assertEqual(words._PUBLIC_NAMES, dict(listed))
        self.assertEqual(len(words._PUBLIC_NAMES), len(listed))


class Prototypes(unittest.TestCase):
    def test_signatures_of_blocks(self):
        for signature, expected in (
                ("v8@?0", "void (^)(void)"),
                ("v16@?0@8", "void (^)(id)"),
                ('v24@?0@"NSString"8i16', "void (^)(NSString *, int)"),
                ('@"NSArray"16@?0@"<NSCopying>"8', "NSArray * (^)(id<NSCopying>)"),
                ("c32@?0r*8^v16^{CGRect=dd}24",
                 "char (^)(const char *, void *, struct CGRect *)"),
                ("v16@?0@?8", "void (^)(void (^))"),
                ('v16@?0@?<v@?@"NSError">8', "void (^)(void (^))"),
                ("v24@?0{CGPoint=dd}8", "void (^)(struct CGPoint)"),
                ("v16@?0^[4i]8", "void (^)(int[4] *)"),
                ("q16@?0#8", "long long (^)(Class)"),
                ("v12@?0{?=i}8", "void (^)(struct {…})")):
            with self.subTest(signature):
                self.assertEqual(expected, prototype(signature))

    def test_what_is_no_block_signature_is_no_prototype(self):
        for signature in ("", "v", "v16@0:8", "v8@?0{", "v8@?0\"", "\x01", "v8@?0^", "[" * 500):
            with self.subTest(signature):
                self.assertIsNone(prototype(signature))


class IvarTypes(unittest.TestCase):
    def test_encodings_as_a_person_writes_them(self):
        for encoding, expected in (
                ('@"View"', "View *"), ("@?", "block"), ("#", "Class"), ("i", "int"),
                ('[3@"Node"]', "Node *[3]"), ('{deep="tag"c"in"{?="k"s}}', "struct deep"),
                ('(?="object"@"address"^v)', "union {…}"), ("^^i", "int **"), ("b3", "int : 3"),
                ('@"<Delegate>"', "id<Delegate>"), ("", ""), ("%", "%"), ("ii", "ii"),
                ('{Point="x"i', '{Point="x"i')):
            with self.subTest(encoding):
                self.assertEqual(expected, readable(encoding))


class MessageSends(unittest.TestCase):
    def test_recognised(self):
        for text in ("[self foo]", "[self foo:1]", "x + [[A new] b]", "(id)[(Foo *)x bar]",
                     "[self setA:1 b:2]", "f([x y])", "[items objectAtIndex:i + 1]",
                     "[@\"a\" length]", "[a[1] foo]"):
            with self.subTest(text):
                self.assertTrue(has_message_send(text))

    def test_subscripts_and_arithmetic_are_none(self):
        for text in ("a[1]", "a[i + 1]", "self->_x[2]", "(a)[b]", "a[(int)i]", "a[b[c]]", "x",
                     "a[i * j]", "*(void **)(a + 8)", "a[sizeof(int)]", "]x[", "[]"):
            with self.subTest(text):
                self.assertFalse(has_message_send(text))

    def test_dots_after_a_path(self):
        self.assertEqual([("self", "delegate")], list(dotted_paths("self.delegate")))
        self.assertEqual([("self->_box", "item")], list(dotted_paths("self->_box.item")))
        self.assertEqual([("a", "b"), ("a.b", "c")], list(dotted_paths("a.b.c")))
        self.assertEqual([], list(dotted_paths("1.5 + x")))


class Terminals(unittest.TestCase):
    def test_colour_needs_lldb_and_a_terminal_that_want_it(self):
        self.assertTrue(for_terminal(True, {"TERM": "xterm"}, 80).color)
        self.assertFalse(for_terminal(False, {"TERM": "xterm"}, 80).color)
        self.assertFalse(for_terminal(True, {"TERM": "xterm"}, 0).color)
        self.assertFalse(for_terminal(True, {}, 80).color)
        self.assertFalse(for_terminal(True, {"TERM": "dumb"}, 80).color)
        self.assertFalse(for_terminal(True, {"TERM": "xterm", "NO_COLOR": "1"}, 80).color)

    def test_glyphs_follow_the_locale_unless_chosen(self):
        self.assertTrue(for_terminal(False, {"LANG": "de_DE.UTF-8"}).unicode)
        self.assertFalse(for_terminal(False, {"LANG": "de_DE.UTF-8", "LC_ALL": "C"}).unicode)
        self.assertFalse(for_terminal(False, {"LANG": "C.UTF-8", "LOUPE_GLYPHS": "ascii"}).unicode)
        self.assertTrue(for_terminal(False, {"LANG": "C", "LOUPE_GLYPHS": "unicode"}).unicode)


class Fixes(unittest.TestCase):
    OBJECTS = {"0x1": thing("Cell"), "0x2": block(9, "load", "/s/Cell.m"), "0x3": thing("Timer"),
               "0x4": {"kind": "byref"}}

    def check(self, kind, path, source, target, expected):
        found = fixes.in_words(edge(source, target, kind, path), {"objects": self.OBJECTS})
        self.assertEqual(expected, found)

    def test_each_kind_of_reference_has_its_advice(self):
        self.check("ivar", "_delegate", "0x3", "0x1", "make Timer._delegate weak")
        self.check("ivar", "_done", "0x1", "0x2",
                   "set Cell._done to nil when the block is no longer needed")
        self.check("capture", "self", "0x2", "0x1", "capture self weakly in the block at Cell.m:9")
        self.check("capture", "next", "0x2", "0x2",
                   "do not capture the block next strongly in the block at Cell.m:9: "
                   "use a weak copy")
        self.check("capture", "me", "0x2", "0x4",
                   "set the __block variable me to nil when the block is done, or make it weak")
        self.check("byref", "me", "0x4", "0x1",
                   "declare the __block variable me __weak, or set it to nil when the block is "
                   "done")
        self.check("byref", "box.me", "0x4", "0x1",
                   "make box.me weak, or set it to nil when the block is done")
        self.check("block", "block", "0x3", "0x2",
                   "invalidate the Timer when its block is no longer needed")
        self.check("target", "target", "0x3", "0x1",
                   "invalidate the Timer before the Cell should go (-dealloc is too late), or use a "
                   "block that captures the target weakly")
        self.check("user-info", "userInfo", "0x3", "0x1",
                   "do not pass the Cell as user info of the Timer: pass a weak wrapper")
        self.check("element", "[3]", "0x3", "0x1",
                   "take the Cell out of the Timer 0x3, or hold it there weakly")
        self.check("value", '["k"]', "0x3", "0x1",
                   'remove ["k"] from the Timer 0x3, or use a map table with weak values')
        self.check("key", "k", "0x3", "0x1",
                   "do not use the Cell as a key of the Timer 0x3, or use a map table with weak "
                   "keys")
        self.check("association", "kKey", "0x1", "0x3",
                   "associate kKey with the Cell through a weak wrapper, or remove it")
        self.check("swift-field", "x", "0x1", "0x3", "make the reference x of the Cell 0x1 weak")

    def test_what_cannot_be_invalidated_is_let_go(self):
        objects = {"0x1": thing("Cell"), "0x2": thing("GSFFIInvocation")}
        self.assertEqual("let the GSFFIInvocation go before the Cell should, or give it another "
                         "target", fixes.in_words(edge("0x2", "0x1", "target", "_target"),
                                                  {"objects": objects}))

    def test_code_with_arc_is_not_told_how_to_hold_without_retaining(self):
        objects = {"0x1": thing("Cell"), "0x3": thing("Timer")}
        way = edge("0x3", "0x1", "ivar", "_st.peer", ownership="assumed")
        self.assertEqual("make Timer._st.peer weak", fixes.in_words(way, {"objects": objects}))

    def test_runtime_without_weak_references(self):
        objects = {"0x1": thing("Cell"), "0x3": thing("Timer")}
        for manual, expected in ((True, "hold Timer._delegate without retaining it"),
                                 (False, "set Timer._delegate to nil when it is no longer needed")):
            way = {**edge("0x3", "0x1", "ivar", "_delegate"), "manual": manual}
            self.assertEqual(expected, fixes.in_words(way, {"objects": objects, "weak_references": False}))


if __name__ == "__main__":
    unittest.main()
