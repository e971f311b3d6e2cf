"""The commands of the tool in docs/explain.md print what stands there."""
import pathlib
import re
import shlex
import unittest

from tool import ToolTest

EXPLAIN = pathlib.Path(__file__).parents[2] / "docs" / "explain.md"


class Examples(ToolTest):
    def test_examples_of_the_tool(self) -> None:
        blocks = re.findall(r"```console\n\$ loupe (.*)\n((?:.*\n)*?)```",
                            EXPLAIN.read_text(encoding="utf-8"))
        self.assertTrue(blocks)
        for command, output in blocks:
            self.assertEqual(self.text(*shlex.split(command)), output, command)


if __name__ == "__main__":
    unittest.main()
