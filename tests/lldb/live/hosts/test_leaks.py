"""What a question leaves behind in lldb: an editor or a CI job asks thousands."""
import pathlib
import tempfile
import unittest

import session

ASKING = """
import gc
import tracemalloc
import lldb

def ask(debugger, command, exe_ctx, result, _internal):
    def once():
        answer = lldb.SBCommandReturnObject()
        debugger.GetCommandInterpreter().HandleCommand(command, exe_ctx, answer)
        return len(answer.GetOutput())
    size = once()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(100):
        once()
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    result.AppendMessage(f"{size} {kept}")

def __lldb_init_module(debugger, _internal):
    debugger.HandleCommand("command script add -o -f asking.ask ask-often")
"""


class Leaks(unittest.TestCase):
    def test_no_answer_is_kept(self):
        with tempfile.TemporaryDirectory() as directory:
            module = pathlib.Path(directory) / "asking.py"
            module.write_text(ASKING, encoding="utf-8")
            [run] = session.carry_out([{
                "program": session.fixture("self_block"), "stop": session.READY, "commands": [
                    f'command script import "{module}"',
                    *(f"ask-often retain-cycles --engine {engine} -j seed"
                      for engine in ("memory", "helper")),
                    "ask-often retain-cycles --help"]}])
            for command in run["commands"][1:]:
                size, kept = map(int, command["output"].split())
                # Of 100 answers less than what twenty take; a cache may have grown.
                self.assertGreater(size, 1000)
                self.assertLess(kept, 20 * size, command["line"])


if __name__ == "__main__":
    unittest.main()
