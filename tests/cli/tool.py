"""Runs the built tool, whose path is in LOUPE, and checks what it promises of every run."""
import json
import os
import subprocess
import typing
import unittest

Bytes = typing.Union[str, bytes]


class ToolTest(unittest.TestCase):
    maxDiff = None

    def run_tool(self, *words: Bytes) -> "subprocess.CompletedProcess[bytes]":
        command: typing.List[Bytes] = [os.environ["LOUPE"], *words]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=1800)

    def text(self, *words: Bytes) -> str:
        """What an understood command prints."""
        result = self.run_tool(*words)
        self.assertEqual((result.returncode, result.stderr), (0, b""), words)
        text = result.stdout.decode("ascii")
        self.assertTrue(text.endswith("\n"), text)
        for line in text.splitlines():
            self.assertEqual(line, line.rstrip(), "a line ends in spaces")
        return text

    def explain(self, *words: Bytes) -> typing.Any:
        """What an understood `explain` prints as JSON, in one line."""
        result = self.run_tool("explain", *words, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, b""), words)
        self.assertEqual(result.stdout.count(b"\n"), 1)
        self.assertTrue(result.stdout.endswith(b"\n"))
        return json.loads(result.stdout)

    def refuse(self, *words: Bytes) -> str:
        """The one line that a command says about nonsense, without what sends on to the help."""
        result = self.run_tool(*words)
        self.assertEqual((result.returncode, result.stdout), (2, b""), words)
        self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)
        line = result.stderr.decode("ascii").rstrip("\n")
        self.assertTrue(line.startswith("loupe: "), line)
        self.assertTrue(line.isprintable(), line)
        line = line[len("loupe: "):]
        if line.startswith("explain"):
            self.assertTrue(line.endswith(" (see --help)"), line)
            return line[:-len(" (see --help)")]
        return line
