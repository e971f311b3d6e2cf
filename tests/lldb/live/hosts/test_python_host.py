"""In a Python program that imports lldb, as scripts for CI do: both engines are there."""
import json
import pathlib
import shutil
import subprocess
import unittest

import session

# Prints the answer of each engine.
SCRIPT = """
import json, sys, lldb
program, stop, commands = sys.argv[1:]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)

def run(line):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, result)
    return result.GetOutput() or result.GetError()

run(f'command script import "{commands}"')
target = debugger.CreateTarget(program)
target.BreakpointCreateByName(stop)
process = target.LaunchSimple(None, None, ".")
process.GetSelectedThread().SetSelectedFrame(1)
print(json.dumps([run(f"retain-cycles -j --engine {engine} seed")
                  for engine in ("memory", "helper")]))
process.Kill()
"""


def python_of(lldb):
    """The folder that a Python finds the module of this lldb in, and that Python."""
    shown = subprocess.run([lldb, "-P"], capture_output=True, text=True, check=False).stdout.strip()
    for name in ("/usr/bin/python3", "python3"):
        tried = subprocess.run([name, "-c", "import lldb; lldb.SBDebugger.Create()"], check=False,
                               env=session.environment(PYTHONPATH=shown), capture_output=True)
        if tried.returncode == 0:
            return shown, name
    raise unittest.SkipTest("no python3 here loads the module of this lldb")


class PythonHost(unittest.TestCase):
    def test_both_engines_answer(self):
        lldb = session.debugger()
        folder, python = python_of(lldb)
        server = shutil.which(pathlib.Path(lldb).name.replace("lldb", "lldb-server"))
        if server is None:  # as of one that was only unpacked
            self.skipTest("this lldb has no server that a program finds")
        finished = subprocess.run(
            [python, "-c", SCRIPT, session.fixture("self_block"), session.READY, session.COMMANDS],
            capture_output=True, text=True, timeout=session.TIMEOUT, check=False,
            env=session.environment(PYTHONPATH=folder, LLDB_DEBUGSERVER_PATH=server))
        self.assertEqual(0, finished.returncode, finished.stderr)
        answers = [json.loads(text) for text in json.loads(finished.stdout.splitlines()[-1])]
        self.assertEqual(["memory", "helper"], [answer.pop("engine") for answer in answers])
        for answer in answers:
            self.assertEqual(1, answer["knots_found"])


if __name__ == "__main__":
    unittest.main()
