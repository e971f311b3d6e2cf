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
