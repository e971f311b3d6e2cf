"""Reports for CI: GitHub's annotations, SARIF, JUnit, one run after another, odd names, no answer.

SARIF's schema is not part of this project: the test checks the members that are written against
what SARIF 2.1.0 says of them, and all of it where SARIF_SCHEMA names the published file and Python
has jsonschema.
"""
import json
import os
import pathlib
import re
import tempfile
import unittest
import xml.etree.ElementTree

import tool
from answers import cycles, edge, fix, knot, ring, self_in_block, thing
from pages import held_ring, hostile_answer, long_ring

ERROR = {"loupe": 1, "query": "retain-cycles", "engine": "memory", "status": "error", "abi": None,
         "pointer_size": None, "error": {"code": "not-an-object", "message": "0x10 is no object",
                                         "address": "0x10", "detail": None}}
# Members that SARIF 2.1.0 knows in the objects that are written here, and those that it demands.
SARIF = {
    "log": ({"$schema": str, "version": str, "runs": ["run"]}, {"version", "runs"}),
    "run": ({"tool": "tool", "automationDetails": "automation", "invocations": ["invocation"],
             "results": ["result"]}, {"tool", "automationDetails"}),
    "automation": ({"id": str}, {"id"}),
    "tool": ({"driver": "driver"}, {"driver"}),
    "driver": ({"name": str, "semanticVersion": str, "informationUri": str, "rules": ["rule"]},
               {"name", "informationUri"}),
    "rule": ({"id": str, "name": str, "shortDescription": "message", "fullDescription": "message",
              "help": "message", "helpUri": str, "defaultConfiguration": "configuration"},
             {"id", "name", "help", "helpUri", "defaultConfiguration"}),
    "configuration": ({"level": str}, {"level"}),
    "message": ({"text": str, "markdown": str}, {"text"}),
    "invocation": ({"executionSuccessful": bool, "toolExecutionNotifications": ["notification"]},
                   {"executionSuccessful"}),
    "notification": ({"level": str, "message": "message"}, {"message"}),
    "result": ({"ruleId": str, "ruleIndex": int, "level": str, "message": "message",
                "locations": ["location"], "codeFlows": ["flow"], "partialFingerprints": dict,
                "occurrenceCount": int}, {"message"}),
    "location": ({"physicalLocation": "physical", "logicalLocations": ["logical"],
                  "message": "message"}, set()),
    "physical": ({"artifactLocation": "artifact", "region": "region"}, {"artifactLocation"}),
    "artifact": ({"uri": str}, set()),
    "region": ({"startLine": int}, set()),
    "logical": ({"name": str, "kind": str}, set()),
    "flow": ({"threadFlows": ["thread"]}, {"threadFlows"}),
    "thread": ({"locations": ["step"]}, {"locations"}),
    "step": ({"location": "location"}, set()),
}


def check(test, value, name):
    """Whether an object has only members of its kind, of the right types, and all that it must."""
    known, needed = SARIF[name]
    test.assertLessEqual(set(value), set(known), name)
    test.assertLessEqual(needed, set(value), name)
    for key, member in value.items():
        kind = known[key]
        if isinstance(kind, type):
            test.assertIs(type(member), kind, f"{name}.{key}")
        elif isinstance(kind, list):
            for item in member:
                check(test, item, kind[0])
        else:
            check(test, member, kind)


class Reports(unittest.TestCase):
    maxDiff = None

    def report(self, form, answer, *options):
        return tool.drawn(answer, form, *options)

    def suites(self, text):
        return xml.etree.ElementTree.fromstring(text).findall("testsuite")


class Github(Reports):
    def test_a_leak_is_an_error_where_the_block_was_written(self):
        self.assertEqual(
            "::error file=/src/PhotoViewController.m,line=42,title=Loupe: Retain cycle of 2 objects%2C leaked::"
            "Retain cycle of 2 objects, leaked. PhotoViewController -> _completion -> block at "
            "PhotoViewController.m:42 -> self -> PhotoViewController. A completion handler stays after "
            "it has run. Fix: capture self weakly in the block at PhotoViewController.m:42.\n",
            self.report("github", self_in_block()))

    def leaks(self, *leaks):
        answer = {"loupe": 1, "query": "leaks", "engine": "memory", "status": "ok", "objects": {},
                  "leaks": list(leaks), "not_followed": []}
        return self.report("github", answer)

    def test_memory_without_a_class_is_no_object(self):
        """As the text says: allocations, non-objects, a cycle through untyped memory."""
        leak = {"kind": "leak", "degree": "lost", "severity": "error", "count": 1, "ring": None,
                "class": "(raw memory)", "head": "0x10", "objects": 6, "others": 6, "bytes": 304}
        memory = {"class": "(raw memory)", "size": 48, "kind": "raw"}
        edges = [{"from": start, "to": end, "kind": "word", "path": path, "ownership": "assumed",
                  "holder": {**memory, "address": start}}
                 for start, end, path in (("0x20", "0x30", "+0"), ("0x30", "0x20", "+8"))]
        circle = {**leak, "kind": "cycle", "severity": "warning", "head": "0x20", "objects": 2,
                  "others": 2, "ring": {"length": 2, "certain": False, "edges": edges}}
        mixed = {**leak, "class": "Photo", "head": "0x40", "objects": 3, "others": 1}
        said = self.leaks(leak, circle, mixed)
        self.assertIn("::Leak of 6 allocations, unreachable. non-object.\n", said)
        self.assertIn("::Possible cycle through untyped memory, unreachable. "
                      "non-object -> +0 -> non-object -> +8 -> non-object.\n", said)
        self.assertIn("::Leak of 2 objects and 1 other allocation, unreachable. Photo.\n", said)

    def test_memory_has_the_name_of_what_it_is_part_of(self):
        memory = {"address": "0x10", "class": "(raw memory)", "size": 48, "kind": "raw"}
        leak = {"kind": "leak", "degree": "lost", "severity": "error", "count": 1, "ring": None,
                "class": "(raw memory)", "head": "0x10", "objects": 1, "others": 1, "bytes": 48,
                "object": {**memory, "part_of": {"frame": {"symbol": "parse", "file": "parse.c", "line": 7}}}}
        owner = {"object": {"address": "0x40", "class": "Frame"}, "edge": {"path": "_bytes"}}
        edges = [{"from": start, "to": end, "kind": "word", "path": "+0", "ownership": "assumed", "holder": holder}
                 for start, end, holder in (("0x20", "0x40", {**memory, "address": "0x20", "part_of": owner}),
                                            ("0x40", "0x20", {"address": "0x40", "class": "Frame", "size": 32}))]
        circle = {**leak, "kind": "cycle", "head": "0x20", "object": edges[0]["holder"], "objects": 2,
                  "ring": {"length": 2, "certain": False, "edges": edges}}
        said = self.leaks(leak, circle)
        self.assertIn("::Leak of 1 allocation, unreachable. memory allocated at parse.c:7 in parse.\n", said)
        self.assertIn("::Possible cycle through untyped memory, unreachable. "
                      "buffer of _bytes in Frame -> +0 -> Frame -> +0 -> buffer of _bytes in Frame.\n", said)

    def test_what_is_held_is_a_warning(self):
        lines = self.report("github", held_ring()).splitlines()
        self.assertEqual(["::error", "::warning"], [line.split(" ")[0] for line in lines])

    def test_percent_and_ends_of_lines_are_escaped(self):
        answer = self_in_block()
        answer["objects"]["0x2f00"]["invoke"]["file"] = "/a b,c:d%e.m"
        answer["knots"][0]["fixes"][0]["text"] = "100%\r\n::error::forged"
        [line] = self.report("github", answer).splitlines()
        self.assertIn("file=/a b%2Cc%3Ad%25e.m,line=42,", line)
        self.assertIn("Fix: 100%25\\x0d\\x0a::error::forged.", line)

    def test_nothing_found_says_nothing_and_incomplete_says_so(self):
        self.assertEqual("", self.report("github", cycles({}, [])))
        self.assertEqual("::warning title=Loupe::The answer is incomplete: there may be more.\n",
                         self.report("github", {**cycles({}, []), "status": "incomplete"}))
        self.assertEqual("::warning title=Loupe::There is no answer: 0x10 is no object\n",
                         self.report("github", ERROR))


class Sarif(Reports):
    def log(self, answer):
        log = json.loads(self.report("sarif", answer))
        check(self, log, "log")
        self.assertEqual("2.1.0", log["version"])
        self.validate(log)
        return log["runs"][0]

    def validate(self, log):
        schema = os.environ.get("SARIF_SCHEMA")
        try:
            import jsonschema
        except ImportError:
            jsonschema = None
        if schema and jsonschema:
            jsonschema.validate(log, json.loads(pathlib.Path(schema).read_text(encoding="utf-8")))

    def test_a_ring_is_a_result_with_its_rule_flow_and_fingerprint(self):
        run = self.log(held_ring())
        leaked, held = run["results"]
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual(["completion-handler", "timer-target"], [rule["id"] for rule in rules])
        self.assertEqual(("error", "warning"), (leaked["level"], held["level"]))
        for result in (leaked, held):
            self.assertEqual(result["ruleId"], rules[result["ruleIndex"]]["id"])
        self.assertEqual({"loupe/v1": "beef"}, leaked["partialFingerprints"])
        place = leaked["locations"][0]["physicalLocation"]
        self.assertEqual(("file:///src/PhotoViewController.m", 42),
                         (place["artifactLocation"]["uri"], place["region"]["startLine"]))
        [flow] = leaked["codeFlows"][0]["threadFlows"]
        self.assertEqual(["PhotoViewController -> _completion -> block at PhotoViewController.m:42",
                          "block at PhotoViewController.m:42 -> self -> PhotoViewController"],
                         [step["location"]["message"]["text"] for step in flow["locations"]])
        self.assertIn("[self.timer invalidate];", rules[1]["help"]["markdown"])
        self.assertEqual(["CompletionHandler", "TimerTarget"], [rule["name"] for rule in rules])
        for uri in (run["tool"]["driver"]["informationUri"], *(rule["helpUri"] for rule in rules)):
            self.assertRegex(uri, r"^(https|file)://[^ ]+/[a-z_]+\.md$")

    def test_a_finding_without_blocks_is_where_the_ivar_to_change_is_declared(self):
        """The one of the first fix; without a fix the first that is known; in each report for CI."""
        def ivar(source, target, name, line):
            declared = {"declared": {"file": f"/src/{name}.m", "line": line}} if line else {}
            return {**edge(source, target, "ivar", name), **declared}

        def answer(lines, cut):
            edges = [ivar("0x1f00", "0x2f00", "_child", lines[0]), ivar("0x2f00", "0x1f00", "_parent", lines[1])]
            weakly = fix(edges[1])
            return cycles({"0x1f00": thing("Parent"), "0x2f00": thing("Child")}, [knot([ring(*edges)], fixes=[weakly] if cut else [])])

        for lines, cut, name, line in (((7, 12), True, "_parent", 12), ((7, 12), False, "_child", 7),
                                       ((0, 12), False, "_parent", 12)):
            [result] = self.log(answer(lines, cut))["results"]
            place = result["locations"][0]["physicalLocation"]
            self.assertEqual((f"file:///src/{name}.m", line),
                             (place["artifactLocation"]["uri"], place["region"]["startLine"]))
            self.assertIn(f"::error file=/src/{name}.m,line={line},", self.report("github", answer(lines, cut)))
            self.assertIn(f'file="/src/{name}.m" line="{line}"', self.report("junit", answer(lines, cut)))
        [result] = self.log(answer((0, 0), True))["results"]
        self.assertNotIn("physicalLocation", json.dumps(result["locations"]))

    def test_rules_without_a_known_mistake_have_help_and_a_level_too(self):
        answer = held_ring()
        for knot in answer["knots"]:
            for ring in knot["rings"]:
                for edge in ring["edges"]:
                    edge["path"] = edge["kind"] = "unknown"
        [rule] = self.log(answer)["tool"]["driver"]["rules"]
        self.assertEqual(("retain-cycle", "RetainCycle", "error"),
                         (rule["id"], rule["name"], rule["defaultConfiguration"]["level"]))

    def test_no_result_is_without_a_file(self):
        answer = self_in_block()
        del answer["objects"]["0x2f00"]["invoke"]
        for options, program, wanted in ((["--anchor", "src/main.m"], "/bin/app", "src/main.m"),
                                         ([], "/bin/my app", "file:///bin/my%20app")):
            log = json.loads(self.report("sarif", {**answer, "program": program}, *options))
            [result] = log["runs"][0]["results"]
            place = result["locations"][0]["physicalLocation"]
            self.assertEqual((wanted, 1),
                             (place["artifactLocation"]["uri"], place["region"]["startLine"]))

    def test_a_leak_is_where_the_program_allocated_it(self):
        frames = [{"file": "/usr/lib/x.c", "line": 3, "symbol": "malloc", "foreign": True},
                  {"file": "/src/Feed.m", "line": 12, "symbol": "-[Feed load]", "foreign": False},
                  {"file": "/src/main.m", "line": 40, "symbol": "main", "foreign": False}]
        leak = {"kind": "leak", "degree": "lost", "fingerprint": "f00", "count": 1, "class": "Item",
                "head": "0x10", "objects": 1, "bytes": 32, "ring": None, "knot": None, "allocated": 2}
        answer = {"loupe": 1, "query": "leaks", "engine": "memory", "status": "ok", "leaks": [leak],
                  "objects": {}, "stacks": {"2": {"frames": frames, "whole": True}}}
        [result] = self.log(answer)["results"]
        place = result["locations"][0]["physicalLocation"]
        self.assertEqual(("file:///src/Feed.m", 12),
                         (place["artifactLocation"]["uri"], place["region"]["startLine"]))

    def test_files_below_the_folder_are_relative(self):
        answer = self_in_block()
        answer["objects"]["0x2f00"]["invoke"]["file"] = os.getcwd() + "/src/A b.m"
        [result] = self.log(answer)["results"]
        self.assertEqual("src/A%20b.m",
                         result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])

    def test_what_is_not_whole_was_no_success(self):
        self.assertTrue(self.log(cycles({}, []))["invocations"][0]["executionSuccessful"])
        for answer in ({**cycles({}, []), "status": "incomplete"}, ERROR):
            [invocation] = self.log(answer)["invocations"]
            self.assertFalse(invocation["executionSuccessful"])
            self.assertEqual(1, len(invocation["toolExecutionNotifications"]))

    def test_hostile_names_and_long_rings(self):
        self.assertEqual(16, len(self.log(hostile_answer())["results"]))
        [result] = self.log(long_ring(1000))["results"]
        steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
        self.assertEqual(200, len(steps))
        self.assertIn("... and 800 more references", steps[-1]["location"]["message"]["text"])


class Junit(Reports):
    def test_each_finding_is_a_case_that_failed(self):
        [suite] = self.suites(self.report("junit", held_ring()))
        self.assertEqual(("3", "2", "0"), (suite.get("tests"), suite.get("failures"), suite.get("errors")))
        cases = suite.findall("testcase")
        self.assertEqual(3, len(cases))
        self.assertEqual(("loupe.retain-cycles", "Retain cycle of 2 objects, leaked beef", "42"),
                         (cases[0].get("classname"), cases[0].get("name"), cases[0].get("line")))
        self.assertEqual("completion-handler", cases[0].find("failure").get("type"))
        self.assertIn("block at PhotoViewController.m:42 -> self -> PhotoViewController\n",
                      cases[0].find("failure").text)
        self.assertEqual(len({case.get("name") for case in cases}), len(cases))

    def test_nothing_found_passes_and_incomplete_does_not(self):
        [suite] = self.suites(self.report("junit", cycles({}, [])))
        self.assertEqual((1, None), (len(suite), suite[0].find("error")))
        for answer in ({**cycles({}, []), "status": "incomplete"}, ERROR):
            [suite] = self.suites(self.report("junit", answer))
            self.assertEqual("1", suite.get("errors"))
            self.assertIsNotNone(suite[0].find("error"))

    def test_hostile_names_are_xml(self):
        [suite] = self.suites(self.report("junit", hostile_answer()))
        self.assertIn("</script><script>", suite[0].find("failure").get("message"))
        self.assertNotRegex(self.report("junit", hostile_answer()), "[\x00-\x08\x0b-\x1f\u202e\u2066]")
        # For readers that guess encodings; the characters are the same.
        self.assertTrue(self.report("junit", hostile_answer()).isascii())
        self.assertTrue(any("\U0001f600 \u00e9\u4e2d" in case.get("name") for case in suite))


class Gitlab(Reports):
    def test_each_finding_is_an_issue_at_a_line_with_a_fingerprint(self):
        leaked, held = json.loads(self.report("gitlab", held_ring(), "--anchor", "src/main.m"))
        self.assertEqual(("completion-handler", "beef", "major"),
                         (leaked["check_name"], leaked["fingerprint"], leaked["severity"]))
        self.assertEqual({"path": "/src/PhotoViewController.m", "lines": {"begin": 42}}, leaked["location"])
        self.assertEqual(("minor", {"path": "src/main.m", "lines": {"begin": 1}}),
                         (held["severity"], held["location"]))
        self.assertEqual([], json.loads(self.report("gitlab", cycles({}, []))))

    def test_findings_without_a_fingerprint_are_told_apart(self):
        answer = held_ring()
        for knot in answer["knots"]:
            knot["fingerprint"] = ""
        found = json.loads(self.report("gitlab", answer))
        self.assertEqual(2, len({issue["fingerprint"] for issue in found}))

    def test_one_report_is_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            done = tool.run("draw", "-", "--format", "gitlab", "-o", folder + "/a.json", "--append",
                            given=json.dumps(self_in_block()).encode())
            self.assertEqual((2, []), (done.returncode, os.listdir(folder)))
            self.assertIn(b"GitLab takes one report in a file", done.stderr)


class Markdown(Reports):
    def test_a_table_and_each_ring_with_the_reference_to_change(self):
        text = self.report("markdown", held_ring())
        self.assertEqual("## Loupe: 2 retain cycles", text.splitlines()[0])
        self.assertIn("| **error** | Retain cycle of 2 objects, leaked | /src/PhotoViewController.m:42 | capture self",
                      text)
        self.assertIn("-&#62; self -&#62; PhotoViewController   &lt;- change this one\n", text)
        self.assertEqual(2, text.count("<details>"))

    def test_nothing_of_the_program_marks_up(self):
        """What a page or a drawing may not take as its own, Markdown may not either."""
        text = self.report("markdown", hostile_answer())
        ours = re.sub(r"</?(details|summary|pre)>|&#[0-9]+;|&lt;|\*\*(error|Incomplete.*)\*\*|^\| ---.*$|^## Loupe: ",
                      "", text, flags=re.M)
        for line in ours.splitlines():
            self.assertNotRegex(line.strip("| ").replace(" | ", " "), r"[<>`*|\[\]!#\\]")
            self.assertNotRegex(line, "[\x00-\x08\x0b-\x1f\u202e\u2066]")

    def test_no_findings_and_incomplete(self):
        self.assertEqual("## Loupe: No retain cycles\n\n", self.report("markdown", cycles({}, [])))
        self.assertIn("**Incomplete: there may be more.**",
                      self.report("markdown", {**cycles({}, []), "status": "incomplete"}))


class Files(Reports):
    def test_runs_follow_each_other(self):
        with tempfile.TemporaryDirectory() as folder:
            for form, name in (("sarif", "a.sarif"), ("junit", "a.xml"), ("github", "a.txt")):
                path = os.path.join(folder, name)
                for answer in (self_in_block(), cycles({}, []), held_ring()):
                    self.assertEqual("", self.report(form, answer, "-o", path, "--append"))
                text = pathlib.Path(path).read_text(encoding="utf-8")
                runs = {"sarif": lambda text: len(json.loads(text)["runs"]),
                        "junit": lambda text: len(self.suites(text)),
                        "github": lambda text: len(re.findall("^::", text, re.M))}[form](text)
                self.assertEqual(3, runs, form)
            runs = json.loads(pathlib.Path(folder, "a.sarif").read_text(encoding="utf-8"))["runs"]
            self.assertEqual(["loupe/retain-cycles/", "loupe/retain-cycles-2/", "loupe/retain-cycles-3/"],
                             [run["automationDetails"]["id"] for run in runs])

    def test_what_another_wrote_is_not_touched(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.sarif")
            path.write_text('{"runs":[]}\n', encoding="utf-8")
            done = tool.run("draw", "-", "-o", str(path), "--append",
                            given=json.dumps(self_in_block()).encode())
            self.assertEqual(2, done.returncode)
            self.assertIn(b"it is not a report of this format that loupe wrote", done.stderr)
            self.assertEqual('{"runs":[]}\n', path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
