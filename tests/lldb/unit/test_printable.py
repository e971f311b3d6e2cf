"""No text of an answer reaches a report, a picture or a line of JSON as anything but text."""
import copy
import json
import os
import pathlib
import re
import tempfile
import unittest

from answers import block, cycles, edge, envelope, fix, knot, ring, self_in_block, thing
from lldb_commands.render.style import Style
from lldb_commands.reporting import report
from lldb_commands.text.printable import printable, printable_lines, quoted

# Clears the screen, goes back on the line, begins a new one by every reader's rule, colours, is one
# byte of C1 and one that lldb could not decode, turns the text around, is invisible.
HOSTILE = ("\x1b[2J\r\n\x0b\x0c\x1c\x85\u2028\u2029no retain cycle\x1b[31m\x9b31m\udc9b\x07\b\x7f\0"
           "\u202e\u2066\u200f\u061c\u200b\ufeff\xad\U000e0041\ue000\"\\&#10;")
OURS = re.compile(r"\x1b\[(?:0|1|2|32|36|1;31|0;2)m|\x1b\]8;;(?:file://[\w./%#~-]*)?\x1b\\")


def every_answer():
    """One answer to each query, with as many fields as reports have words for."""
    stored, captured = edge("0x1f00", "0x2f00", "ivar", "_done"), edge("0x2f00", "0x1f00", "capture",
                                                                     "self", 32)
    objects = {"0x1f00": thing("Owner"), "0x2f00": block(42, "-[Owner load]"),
               "0x3f00": {"class": "__block variable", "kind": "byref", "variable": "me",
                          "variable_type": "Owner *", "size": 40, "retain_count": 2}}
    rest = {"not_followed": [{"reason": "C++ members", "code": "cxx-member", "count": 1, "example": "0x1f00"}],
            "unread": [{"reason": "C++ members", "code": "cxx-member", "kind": "object", "class": "Owner",
                        "name": "_all", "type": "vector<id, std::allocator<id>>", "offset": 8,
                        "arc": True, "guessed": False, "count": 1, "example": "0x1f00",
                        "why": "_all: no debug info"}],
            "unnamed": [{"module": "libx.so", "blocks": 1, "what": "a block of libx.so"}],
            "error": None}
    nonowning = [{"edge": {**stored, "ownership": "weak"}, "reason": "the ivar is weak"}]
    held = knot([ring(stored, captured)], verdict="held", fixes=[fix(captured)],
                counts={"outside": 1, "unexplained": 1}, held_by=[stored])
    unknown = knot([ring({**stored, "ownership": "assumed"}, captured)], verdict="unknown",
                   certain=False, verdict_reason="a count is unknown", verdict_example="0x1f00",
                   counts={"excess": 1}, seed=False)
    weak_rings = {"found": 1, "sorts_found": 1, "all": True, "sorts": [
        {"edge": stored, "reason": "weak", "count": 1, "way": [captured]}]}
    slots = [{"offset": 8, "size": 8, "name": "_done", "path": "_done", "type": '@?"void"',
              "ownership": "strong", "kind": "strong", "class": "Owner", "value": "0x2f00",
              "shown": "it", "evidence": ["layout"], "invoke": {"file": "a.m", "line": 1}}]
    byref = {"offset": 40, "size": 8, "name": "me", "type": "id", "kind": "byref", "class": None,
             "value": "0x3f00", "evidence": [], "byref": {"address": "0x3f00",
                                                          "variables": copy.deepcopy(slots)}}
    conflicts = [{"offset": 8, "kept": "data", "discarded": "strong", "kept_by": "probe",
                  "discarded_by": "layout"}]
    probe = {"skipped": "no room", "weak_tested": True, "captures": [], "ivars": []}
    root = {"kind": "data", "number": 0, "slot": "0x99", "to": "0x1f00", "name": "shared",
            "where": "static in a.m"}
    return [
        self_in_block(),
        cycles(objects, [held, unknown], **rest, weak_rings=weak_rings,
               hidden=[{"filter": "UIView._cache", "edges": 2, "reason": "it is dropped"}],
               filters={"file": "/src/.loupe-filters", "count": 2, "refused": "it is a device"},
               baseline={"hidden_rings": 1, "hidden_knots": 1, "knots_not_compared": 1,
                         "not_met": 1}),
        cycles(objects, [], **rest),
        envelope("strong-refs", object="0x1f00", objects=objects, edges=[stored, captured],
                 not_counted=nonowning, **rest),
        envelope("incoming-refs", object="0x1f00", objects=objects, holders_found=1,
                 holders=[{"edge": stored, "root": root, "way_length": 1, "way": [captured]}],
                 roots=[root], not_counted=nonowning, not_counted_found=1,
                 counts={"retains": 3, "found": 1, "unexplained": 2, "words": {"data": 1}},
                 not_walked=["private memory"], **rest),
        envelope("block-layout", block={
            "address": "0x2f00", "storage": "heap", "isa": "0x7ff0", "descriptor": "0x9000",
            "flags": "0xc3000002", "reserved": 0, "flag_names": ["HAS_COPY_DISPOSE"], "size": 60,
            "retain_count": 1, "signature": "v16@?0i8", "prototype": "void (^)(int count)",
            "invoke": {"address": "0x1000", "symbol": "f", "file": "a.m", "line": 1,
                       "function": "f"}, "owns_captures": False},
                 layout={"encoding": "30", "ops": [{"op": "strong", "count": 1}]},
                 captures=[*slots, byref], conflicts=conflicts, probe=probe,
                 symbol={"name": "__copy_helper_block_e8_32s", "used": False}, **rest),
        envelope("ivar-layout", object="0x1f00", conflicts=conflicts,
                 **{"class": {"name": "Owner", "address": "0x5", "superclass": "Root",
                              "instance_size": 16, "arc": True}},
                 levels=[{"class": "Owner", "instance_start": 8, "instance_size": 16,
                          "strong_layout": "01", "weak_layout": "11", "probe": probe,
                          "ivars": [{**slots[0], "fields": copy.deepcopy(slots)}]}], **rest),
    ]


def fields(value):
    """The names of all fields that hold text, at any depth; "KEYS" for addresses as keys."""
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, str) or isinstance(item, list) and item and isinstance(item[0], str):
                yield key
            if key.startswith("0x"):
                yield "KEYS"
            yield from fields(item)
    elif isinstance(value, list):
        for item in value:
            yield from fields(item)


def poisoned(value, field):
    """A copy in which every text under that name is hostile behind what it said."""
    if isinstance(value, list):
        return [poisoned(item, field) for item in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, item in value.items():
        if key == field and isinstance(item, str):
            item = item + HOSTILE
        elif key == field and isinstance(item, list) and item and isinstance(item[0], str):
            item = [text + HOSTILE for text in item]
        name = key + HOSTILE if field == "KEYS" and key.startswith("0x") else key
        result[name] = poisoned(item, field)
    return result


class Quotes(unittest.TestCase):
    def test_quoted_text_is_that_of_source_code(self):
        for text, expected in (("title", '"title"'), ('self "quoted"', r'"self \"quoted\""'),
                               ("C:\\x", r'"C:\\x"')):
            self.assertEqual(expected, quoted(text))


class HostileAnswers(unittest.TestCase):
    def poisonings(self):
        for answer in every_answer():
            for field in sorted(set(fields(answer)) - {"query", "engine"}):
                yield poisoned(answer, field)

    def check(self, text, unicode=True):
        for line in text.split("\n"):
            self.assertTrue(line.isprintable(), repr(line))
            self.assertTrue(unicode or line.isascii(), repr(line))
            self.assertFalse(line.startswith("no retain cycle\\x1b"), line)

    def test_every_field_of_every_answer_is_text_in_reports(self):
        for answer in self.poisonings():
            for verbose in (False, True):
                self.check(report.as_text(answer, Style(), "self", verbose))
                self.check(report.as_text(answer, Style(unicode=False), "", verbose), False)

    def test_the_only_colours_and_links_are_ours(self):
        for answer in self.poisonings():
            style = Style(color=True, width=80, links=True)
            self.check(OURS.sub("", report.as_text(answer, style, "x", True)))

    def test_what_was_typed_is_text_too(self):
        self.check(report.deliver(self_in_block(), Style(), f"self{HOSTILE}", {}))

    def test_pictures_and_files(self):
        with tempfile.TemporaryDirectory() as directory:
            picture, text = os.path.join(directory, "a.dot"), os.path.join(directory, "a.txt")
            for answer in self.poisonings():
                options = {"output": text}
                if answer["query"] == "retain-cycles":
                    options["dot"] = picture
                self.check(report.deliver(answer, Style(color=True), "self" + HOSTILE, options))
                for path in options.values():
                    content = pathlib.Path(path).read_text(encoding="utf-8")
                    self.check(content)
                    self.assertFalse(path == picture and "&#" in content, content)

    def test_json_is_one_line_of_ascii_that_reads_back(self):
        for answer in self.poisonings():
            line = report.deliver(answer, Style(), "self", {"json": True})
            self.assertRegex(line, r"\A[ -~]+\Z")
            self.assertEqual(json.loads(line.encode("ascii")),
                             json.loads(json.dumps(answer).replace(r"\udc9b", r"\u009b")))


class Printable(unittest.TestCase):
    def test_escapes(self):
        self.assertEqual(r"\x1b[0m\u202e\U000e0041\x9b\x9b", printable("\x1b[0m\u202e\U000e0041\x9b\udc9b"))
        self.assertEqual("Übersicht 視圖", printable("Übersicht 視圖"))
        self.assertEqual(r"\xdcbersicht \u8996", printable("Übersicht 視", unicode=False))

    def test_lines_of_ours_stay_lines(self):
        self.assertEqual("a\nb\\x0d", printable_lines("a\nb\r"))


if __name__ == "__main__":
    unittest.main()
