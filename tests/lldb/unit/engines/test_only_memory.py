"""LOUPE_ENGINE=memory: whatever would run code in the program is refused before lldb is asked for
anything."""
import os
import subprocess
import sys
import unittest
from unittest import mock

from lldb_commands.errors import LoupeError
from lldb_commands.session import only_memory

REFUSED = "this would run code in the program, and LOUPE_ENGINE=memory forbids it"

# Tries each way, with a module in lldb's place and a context that has nothing.
TRY_ALL = """
import sys, types
sys.modules["lldb"] = types.ModuleType("lldb")
from lldb_commands.running import watch
from lldb_commands.session.context import Context
from lldb_commands.engines import helper, policy
from lldb_commands.engines.question import Question
from lldb_commands.errors import LoupeError
nothing = types.SimpleNamespace(is_core=False)
context = Context(None, None, None, None, None)
helper.is_loaded = lambda context: True
policy.from_outside = lambda debugger: (policy.PIPE, "")
ways = {
    "inject": lambda: helper.inject(nothing),
    "ask": lambda: helper.ask(Question("leaks", 0), nothing),
    "engine": lambda: policy.ask(Question("leaks", 0), nothing, "helper"),
    "probe": lambda: policy.ask(Question("ivar-layout", 0, probe=True), nothing, "auto"),
    "watch": lambda: watch.watch_object(1, 1.0, nothing),
    "rules": lambda: watch.follow_rules("rules", nothing),
    "expression": lambda: context.evaluate("f()", cplusplus=True),
}
for name, way in ways.items():
    try:
        way()
    except Exception as error:
        print(name, "refused" if str(error) == sys.argv[1] else repr(error))
outside = types.SimpleNamespace(is_core=False, debugger=None)
print("auto", policy._engine_for(Question("leaks", 0), outside, "auto"))
"""


class Refusals(unittest.TestCase):
    def tried(self, said):
        done = subprocess.run([sys.executable, "-B", "-c", TRY_ALL, REFUSED], capture_output=True,
                              text=True, check=True, env={**os.environ, "LOUPE_ENGINE": said})
        return dict(line.split(" ", 1) for line in done.stdout.splitlines())

    def test_every_way_is_refused(self):
        ways = self.tried("memory")
        self.assertEqual("pipe", ways.pop("auto"))
        self.assertEqual(7, len(ways))
        self.assertEqual({name: "refused" for name in ways}, ways)

    def test_without_it_none_is(self):
        ways = self.tried("")
        self.assertEqual("helper", ways.pop("auto"))
        self.assertNotIn("refused", ways.values())

    def test_another_word_is_no_permission(self):
        with mock.patch.dict(os.environ, LOUPE_ENGINE="Memory"):
            for asked in (only_memory.refuse, only_memory.is_on):
                with self.assertRaisesRegex(LoupeError, "^LOUPE_ENGINE is 'Memory'; the only value is memory$"):
                    asked()


if __name__ == "__main__":
    unittest.main()
