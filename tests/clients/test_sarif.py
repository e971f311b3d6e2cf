"""Microsoft's SARIF multitool, with the rules of SARIF itself and of GitHub, about each kind of report.

usage: test_sarif.py MULTITOOL; LOUPE is the tool.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import tool
from answers import cycles, self_in_block
from pages import held_ring, hostile_answer, long_ring

MULTITOOL = sys.argv[1]


def without_places(answer: tool.Json) -> tool.Json:
    for described in answer["objects"].values():
        described.pop("invoke", None)
    return answer


class Validated(unittest.TestCase):
    def findings(self, log: pathlib.Path) -> "list[tool.Json]":
        """What the multitool has to say, notes apart: these wish for what is a matter of taste."""
        out = log.with_suffix(".out.sarif")
        subprocess.run([MULTITOOL, "validate", str(log), "--rule-kind", "'Sarif;Ghas'", "--output", str(out),
                        "--log", "ForceOverwrite", "--level", "'Error;Warning'"],
                       check=True, capture_output=True, timeout=600)
        [run] = json.loads(out.read_text(encoding="utf-8-sig"))["runs"]
        self.assertTrue(run["invocations"][0]["executionSuccessful"])
        return list(run["results"])

    def test_no_error_and_no_warning(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "loupe.sarif")
            for answer in (held_ring(), self_in_block(), cycles({}, []), long_ring(300), hostile_answer(),
                           without_places(self_in_block())):
                tool.drawn({**answer, "program": "/usr/bin/app"}, "sarif", "-o", str(log), "--append")
            self.assertEqual([], self.findings(log))
            self.every_result_has_a_file(log)

    def test_fixes(self) -> None:
        edge = {"from": "0x1000", "to": "0x2000", "kind": "ivar", "path": "_child", "name": "_child", "ownership": "strong"}
        fix = {"do": "make-weak", "subjects": [{"do": "make-weak", "edge": edge}], "edge": edge, "breaks": "knot", "frees": True, "conditions": []}
        answer = {"loupe": 1, "query": "cycles", "status": "ok", "objects": {"0x1000": {"class": "Node", "kind": "object"}},
                  "knots": [{"fingerprint": "0123456789abcdef", "rings": [], "fixes": [fix]}]}
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "source").mkdir()
            (folder / "source" / "N\u00f6de x.m").write_text("@interface Node\n@property (strong) id child;\n@end\n@implementation Node\n@end\n",
                                                            encoding="utf-8")
            (folder / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
            log = folder / "fixes.sarif"
            log.write_bytes(tool.run("fix", str(folder / "answer.json"), "--source", str(folder / "source"), "--format", "sarif").stdout)
            self.assertEqual([], self.findings(log))
            self.every_result_has_a_file(log)

    def every_result_has_a_file(self, log: pathlib.Path) -> None:
        """GitHub shows no result without one, which no rule of the multitool says."""
        for run in json.loads(log.read_text(encoding="utf-8"))["runs"]:
            for result in run["results"]:
                place = result["locations"][0]["physicalLocation"]
                self.assertTrue(place["artifactLocation"]["uri"])
                self.assertGreaterEqual(place["region"]["startLine"], 1)

    def test_the_multitool_does_look(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "bad.sarif")
            log.write_text(tool.drawn(held_ring(), "sarif").replace('"informationUri"', '"x"'), encoding="utf-8")
            self.assertTrue(self.findings(log))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
