"""The commands of the tool in the README print what stands there."""
import pathlib
import re
import shlex
import unittest

from tool import ToolTest

README = pathlib.Path(__file__).parents[2] / "README.md"


class Readme(ToolTest):
    def test_examples_of_the_tool(self) -> None:
        blocks = re.findall(r"```console\n\$ loupe (.*)\n((?:.*\n)*?)```", README.read_text())
        self.assertTrue(blocks)
        for command, output in blocks:
            self.assertEqual(self.text(*shlex.split(command)), output, command)


if __name__ == "__main__":
    unittest.main()
