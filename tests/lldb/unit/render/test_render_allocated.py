"""Where things were allocated, in reports, from hand-written answers."""
import unittest

from answers import self_in_block
from reports import report
from lldb_commands.render.style import Style


def frame(function, file=None, line=None, module="/opt/browser", runtime=False):
    return {"address": "0x4010", "symbol": function, "function": function, "file": file,
            "line": line, "module": module, "runtime": runtime}


ALLOC = frame("+[NSObject alloc]", module="/usr/lib/libobjc.so.4", runtime=True)
OWN_RUNTIME = frame("class_createInstance", "/src/runtime.c", 3, "/opt/librt.so", runtime=True)


class Allocated(unittest.TestCase):
    def report(self, *frames, recorded=None, **options):
        answer = self_in_block()
        answer["objects"]["0x1f00"]["allocated"] = 7
        answer["objects"]["0x2f00"]["allocated"] = None
        answer["stacks"] = {"7": {"frames": list(frames), "whole": True}}
        answer["recorded"] = {"state": "on", "blocks_left_out": 0, "stacks_left_out": 0,
                              **(recorded or {})}
        return report(answer, Style(), **options)

    def lines(self, *frames, **options):
        text = self.report(*frames, **options)
        return text.split("  Allocated:\n")[1].split("\n")

    def test_the_place_of_the_program_is_told_not_that_of_the_allocator(self):
        lines = self.lines(ALLOC, OWN_RUNTIME, frame("-[App open]", "/src/App.m", 12),
                           frame("main", "/src/main.m", 3))
        self.assertEqual(["    PhotoViewController 0x1f00 at App.m:12 in -[App open]",
                          "    block 0x2f00 not recorded"], lines[:2])

    def test_a_setter_that_the_compiler_wrote_is_not_to_blame(self):
        lines = self.lines(frame("objc_setProperty_nonatomic_copy", runtime=True),
                           frame("-[App setHandler:]", "/src/App.h", 4),
                           frame("-[App open]", "/src/App.m", 12))
        self.assertEqual("    PhotoViewController 0x1f00 at App.m:12 in -[App open]", lines[0])

    def test_without_debug_info_there_are_function_and_library(self):
        lines = self.lines(ALLOC, frame("-[App open]"))
        self.assertEqual("    PhotoViewController 0x1f00 in -[App open] of browser", lines[0])

    def test_all_frames_of_the_system_leave_the_innermost(self):
        lines = self.lines(ALLOC, frame("g_main", module="/usr/lib/libglib.so"))
        self.assertEqual("    PhotoViewController 0x1f00 in +[NSObject alloc] of libobjc.so.4",
                         lines[0])

    def test_all_frames_are_shown_on_request(self):
        lines = self.lines(ALLOC, frame("-[App open]", "/src/App.m", 12), verbose=True)
        self.assertEqual(["      #0 in +[NSObject alloc] of libobjc.so.4",
                          "      #1 at /src/App.m:12 in -[App open]"], lines[1:3])

    def test_leaked_memory_is_called_by_who_allocated_it_and_by_nobody_twice(self):
        by = frame("parse", "/src/parse.c", 7)
        memory = {"address": "0x1f00", "class": "(raw memory)", "kind": "raw", "size": 48, "part_of": {"frame": by}}
        amount = {"objects": 1, "others": 1, "bytes": 48}
        leak = {"kind": "leak", "degree": "lost", "certain": True, "fingerprint": "f" * 16, "count": 1,
                "class": "(raw memory)", "head": "0x1f00", "object": memory, "missing_releases": 0, "ring": None,
                "knot": None, "allocated": 1, **amount}
        several = {**leak, "count": 2, "examples": ["0x1f00", "0x2f00"]}
        answer = {"loupe": 1, "query": "leaks", "engine": "memory", "status": "ok", "objects": {}, "leaks": [leak] * 6,
                  "counts": {"leaks": 6, "cycles": 0, "distinct": 6, "timers": 0, "entries": 6}, "lost": amount,
                  "recorded": {"state": "on", "blocks_left_out": 0, "stacks_left_out": 0},
                  "stacks": {"1": {"frames": [by], "whole": True}}, "not_followed": []}
        text = report(answer, Style())
        self.assertIn("  6      1     48  memory allocated at parse.c:7 in parse\n", text)
        self.assertIn("6. Leak: memory allocated at parse.c:7 in parse (48 bytes) 0x1f00, unreachable\n"
                      "  In all: 1 allocation, 48 bytes; ", text)
        self.assertIn("6. 2 leaks of non-object, 48 bytes each, unreachable\n  0x1f00, 0x2f00\n"
                      "  allocated at parse.c:7 in parse\n", report({**answer, "leaks": [several] * 6}, Style()))

    def test_nothing_is_said_where_nothing_was_recorded(self):
        self.assertNotIn("llocat", report(self_in_block(), Style()))

    def test_what_was_not_recorded_is_told(self):
        self.assertIn("Not recorded for want of memory: 3 allocations (LOUPE_RECORD_LIMIT)",
                      self.report(ALLOC, recorded={"blocks_left_out": 3}))
        self.assertIn("the program's own malloc is called",
                      self.report(ALLOC, recorded={"state": "bypassed"}))
        self.assertIn("of another version", self.report(ALLOC, recorded={"state": "other-version"}))


if __name__ == "__main__":
    unittest.main()
