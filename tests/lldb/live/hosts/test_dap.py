"""In the debug console of VS Code and other editors: the commands by lldb-dap, as it is used there."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import session


def adapter():
    """The lldb-dap of the lldb that is tested."""
    path = pathlib.Path(session.debugger())
    found = shutil.which(path.with_name(path.name.replace("lldb", "lldb-dap", 1)))
    if found is None:
        raise unittest.SkipTest("this lldb has no lldb-dap")
    return found


class Client:
    """One session of the debug adapter protocol, a request at a time."""

    def __init__(self):
        server = shutil.which(pathlib.Path(session.debugger()).name.replace("lldb", "lldb-server"))
        env = session.environment(LLDB_DEBUGSERVER_PATH=server)
        self._process = subprocess.Popen([adapter()], stdin=subprocess.PIPE, env=env,
                                         stdout=subprocess.PIPE)
        self._number = 0
        self.console = ""

    def send(self, command, **arguments):
        self._number += 1
        body = json.dumps({"seq": self._number, "type": "request", "command": command,
                           "arguments": arguments}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()
        return self._number

    def ask(self, command, **arguments):
        number = self.send(command, **arguments)
        return self.until(lambda message: message.get("request_seq") == number)["body"]

    def until_event(self, name):
        return self.until(lambda message: message.get("event") == name).get("body")

    def until(self, wanted):
        while True:
            message = self._receive()
            if message.get("event") == "output":
                self.console += message["body"]["output"]
            if wanted(message):
                return message

    def _receive(self):
        length = None
        for line in iter(self._process.stdout.readline, b"\r\n"):
            if not line:
                raise AssertionError(f"lldb-dap ended:\n{self.console}")
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        return json.loads(self._process.stdout.read(length))

    def close(self):
        self.send("disconnect", terminateDebuggee=True)
        self._process.stdin.close()
        self._process.stdout.read()
        self._process.stdout.close()
        self._process.wait(session.TIMEOUT)


class DebugConsole(unittest.TestCase):
    def setUp(self):
        self.client = Client()
        self.addCleanup(self.client.close)
        self.client.ask("initialize", adapterID="test")
        self.client.send("launch", program=session.fixture("self_block"), cwd=os.getcwd(),
                         initCommands=[f'command script import "{session.COMMANDS}"'])
        self.client.until_event("initialized")
        self.client.ask("setFunctionBreakpoints", breakpoints=[{"name": session.READY}])
        self.client.send("configurationDone")
        thread = self.client.until_event("stopped")["threadId"]
        frames = self.client.ask("stackTrace", threadId=thread)["stackFrames"]
        self.frame = frames[1]["id"]
        # What an editor asks when a frame is clicked.
        self.client.ask("scopes", frameId=self.frame)

    def type(self, line):
        """The answer, without the line typed, which some versions (19) repeat."""
        result = self.client.ask("evaluate", expression=line, context="repl",
                                 frameId=self.frame)["result"]
        return result.replace(f"(lldb) {line.lstrip('`')}\n", "", 1)

    def test_commands_answer_with_and_without_the_backtick(self):
        for line in ("retain-cycles seed", "`retain-cycles seed"):
            self.assertRegex(self.type(line), r"\A1 leaked retain cycle through seed \(Owner 0x\w+\)")
        self.assertRegex(self.type("block-layout block"), r"\ABlock 0x\w+ on the heap, 40 bytes")
        self.assertEqual("error: retain-cycles: cannot evaluate nothing: use of undeclared "
                         "identifier 'nothing'\n", self.type("retain-cycles nothing"))

    def test_commands_of_two_words_have_a_name_of_one(self):
        for line in ("loupe-doctor", "`loupe doctor"):
            self.assertRegex(self.type(line), r"(?m)^runtime +an Apple-layout runtime")

    def test_the_import_prints_nothing(self):
        said = self.client.console.split("command script import", 1)[1].splitlines()
        self.assertFalse([line for line in said if re.search("error|warning|Traceback", line)])


if __name__ == "__main__":
    unittest.main()
