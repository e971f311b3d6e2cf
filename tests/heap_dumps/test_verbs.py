"""What the verbs about whole heaps say of a real dump of a program that plants truths.

usage: test_verbs.py LOUPE
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from typing import Any, Dict, List

import java

LOUPE = ""
FOLDER = pathlib.Path()
APP = "com.example.App"


def run(*arguments: str, status: int = 0) -> str:
    done = subprocess.run([LOUPE, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done.stderr if status else done.stdout


def ask(verb: str, *arguments: str, dump: str = "before") -> Dict[str, Any]:
    answer: Dict[str, Any] = json.loads(
        run(verb, str(FOLDER / f"{dump}.hprof"), *arguments, "--json"))
    assert answer["query"] == verb
    return answer


def address_of(name: str, dump: str = "before") -> str:
    found = ask("find", f"{APP}${name}", dump=dump)["objects"]
    assert len(found) == 1, found
    return str(found[0]["address"])


def steps(path: Dict[str, Any]) -> List[str]:
    return [edge["path"] for edge in path["edges"]]


def by_rules(dump: str = "before") -> List[Dict[str, Any]]:
    return [group for group in ask("suspects", dump=dump)["suspects"] if group["kind"] == "rule"]


class Suspects(unittest.TestCase):
    def test_what_was_planted_is_found_and_nothing_else(self) -> None:
        answer = ask("suspects")
        groups = by_rules()
        classes = sorted(group["class"] for group in groups)
        self.assertEqual(classes, ["android.view.View", f"{APP}$MainActivity",
                                   f"{APP}$OtherActivity", f"{APP}$Presenter"])
        self.assertEqual([group["count"] for group in groups], [1, 1, 1, 1])
        self.assertEqual(answer["status"], "ok")

    def group(self, name: str) -> Dict[str, Any]:
        groups: List[Dict[str, Any]] = by_rules()
        return next(group for group in groups if group["class"].endswith(name))

    def test_reference_to_look_at_comes_behind_the_last_that_is_meant_to_be(self) -> None:
        path = self.group("$MainActivity")["path"]
        first = path["edges"][path["first_suspect"]]
        self.assertEqual((first["path"], first["kind"]), ("instance", "static"))
        self.assertEqual(first["declared_by"], f"{APP}$Cache")
        self.assertTrue(all(edge["suspect"] for edge in path["edges"][path["first_suspect"]:]))
        self.assertFalse(any(edge["suspect"] for edge in path["edges"][:path["first_suspect"]]))

    def test_path_does_not_lead_through_another_suspect(self) -> None:
        names = [step["class"] for step in self.group("$MainActivity")["path"]["objects"]]
        self.assertNotIn("android.view.View", names)

    def test_leakcanary_watched_object_is_one_with_its_reason(self) -> None:
        self.assertIn("LeakCanary", self.group("$Presenter")["reason"])

    def test_fingerprint_stays_from_dump_to_dump(self) -> None:
        before = {group["fingerprint"] for group in by_rules()}
        after = {group["fingerprint"] for group in by_rules("after")}
        self.assertEqual(before, after)

    def test_long_list_is_folded_for_people_and_whole_for_machines(self) -> None:
        text = run("suspects", str(FOLDER / "before.hprof"))
        self.assertIn("… 48 more of the same", text)
        self.assertEqual(steps(self.group("$OtherActivity")["path"]).count("next"), 50)
        self.assertEqual(text.split("What keeps")[0].count("◀── look here first"), 4)

    def test_rules_of_a_file_come_first(self) -> None:
        rules = FOLDER / "own.rules"
        rules.write_text(f"alive {APP}$MainActivity because it is a picture\n"
                         f"leaking {APP}$Softly because nobody looks at it\n"
                         f"leaking {APP}$Fine\n")
        answer = ask("suspects", "--rules", str(rules))
        classes = {group["class"] for group in answer["suspects"]}
        self.assertIn(f"{APP}$Softly", classes)
        self.assertNotIn(f"{APP}$MainActivity", classes)
        self.assertEqual(answer["held_by_suspects"], 1)  # Fine, by Presenter

    def test_wrong_rule_is_named_by_file_and_line(self) -> None:
        rules = FOLDER / "wrong.rules"
        rules.write_text("# one\nleaking\n")
        message = run("suspects", str(FOLDER / "before.hprof"), "--rules", str(rules), status=2)
        self.assertIn("wrong.rules, line 2: expected a class", message)
        message = run("suspects", str(FOLDER / "before.hprof"), "--rules", "absent", status=2)
        self.assertIn("'absent' cannot be read", message)


class Paths(unittest.TestCase):
    def test_path_begins_at_a_root_and_each_edge_where_the_one_before_ends(self) -> None:
        path, = ask("path", address_of("MainActivity"))["paths"]
        self.assertEqual(path["root"]["to"], path["edges"][0]["from"])
        self.assertEqual(path["edges"][-1]["to"], address_of("MainActivity"))
        for a, b in zip(path["edges"], path["edges"][1:]):
            self.assertEqual(a["to"], b["from"])
        self.assertEqual(path["length"], len(path["edges"]))

    def test_local_variable_names_thread_and_line(self) -> None:
        path, = ask("path", address_of("OnStack"))["paths"]
        self.assertEqual(path["root"]["thread"], "main")
        frame = path["root"]["frame"]
        self.assertEqual((frame["class"], frame["method"], frame["source"]),
                         (APP, "main", "App.java"))
        self.assertGreater(frame["line"], 0)
        self.assertIn("only from the stack of running code",
                      run("path", str(FOLDER / "before.hprof"), address_of("OnStack")))

    def test_soft_reference_is_marked(self) -> None:
        path, = ask("path", "--to-class", f"{APP}$Softly")["paths"]
        self.assertEqual(path["edges"][-1]["ownership"], "soft")

    def test_several_paths_begin_at_different_roots(self) -> None:
        answer = ask("path", address_of("MainActivity"), "-n", "5")
        roots = [path["root"]["to"] for path in answer["paths"]]
        self.assertEqual(len(roots), len(set(roots)))
        self.assertEqual(len(roots), min(5, answer["found"]))
        lengths = [path["length"] for path in answer["paths"]]
        self.assertEqual(lengths, sorted(lengths))

    def test_excluded_reference_is_passed_only_if_there_is_no_other(self) -> None:
        rules = FOLDER / "exclude.rules"
        rules.write_text(f"weak {APP}$Cache.entries\n")
        path, = ask("path", address_of("MainActivity"), "--exclude", str(rules))["paths"]
        self.assertNotIn("entries", steps(path))
        self.assertIn("mContext", steps(path))
        rules.write_text(f"library {APP}$Cache.entries because it is theirs\n")
        path, = ask("path", address_of("Presenter"), "--exclude", str(rules))["paths"]
        edge = path["edges"][steps(path).index("entries")]
        self.assertEqual((edge["ownership"], edge["reason"]), ("library", "it is theirs"))

    def test_what_only_weak_references_lead_to_is_garbage(self) -> None:
        answer = ask("path", address_of("Presenter"), "--exclude", self.weak_entries())
        self.assertEqual((answer["found"], answer["unreachable"], answer["paths"]), (0, 1, []))

    def weak_entries(self) -> str:
        rules = FOLDER / "weak.rules"
        rules.write_text(f"weak {APP}$Cache.entries\n")
        return str(rules)

    def test_mistakes_are_told(self) -> None:
        dump = str(FOLDER / "before.hprof")
        self.assertIn("0x3 is not the address", run("path", dump, "0x3", status=2))
        self.assertIn("missing OBJECT", run("path", dump, status=2))
        self.assertIn("takes loupe, mat, visualvm or haha",
                      run("path", dump, "--to-class", "*", "--count-as", "x", status=2))


class Retained(unittest.TestCase):
    def test_object_retains_its_own_and_its_array(self) -> None:
        answer = ask("retained", address_of("MainActivity"))
        self.assertEqual(answer["object"]["retained_objects"], 2)
        self.assertEqual(answer["object"]["retained"], 24 + 100016)
        self.assertEqual([(row["class"], row["count"]) for row in answer["classes"]],
                         [("byte[]", 1), (f"{APP}$MainActivity", 1)])
        self.assertEqual(answer["dominated"][0]["class"], "byte[]")

    def test_largest_come_first_and_are_parts_of_the_whole(self) -> None:
        answer = ask("retained", "--limit", "0")
        sizes = [row["retained"] for row in answer["dominators"]]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertLessEqual(sum(sizes), answer["snapshot"]["bytes"])

    def test_owners_lead_to_the_root(self) -> None:
        owners = ask("retained", address_of("Fine"))["dominators"]
        self.assertEqual(owners[0]["class"], f"{APP}$Presenter")


    def test_long_chain_of_owners_is_cut_for_people_and_whole_for_machines(self) -> None:
        last = [row for row in ask("find", f"{APP}$Link", "--limit", "0")["objects"]
                if row["retained"] == min(each["retained"] for each in
                                          ask("find", f"{APP}$Link", "--limit", "0")["objects"])]
        address = last[0]["address"]
        text = run("retained", str(FOLDER / "before.hprof"), address)
        self.assertIn("more on the way to a root", text)
        self.assertLess(len(text.splitlines()), 60)
        self.assertGreater(len(ask("retained", address)["dominators"]), 50)


class Cycles(unittest.TestCase):
    def rings(self) -> List[Dict[str, Any]]:
        knots: List[Dict[str, Any]] = ask("cycles", "--limit", "0")["knots"]
        return [knot for knot in knots
                if all(edge["declared_by"] == f"{APP}$Ring" for edge in knot["rings"][0]["edges"])]

    def test_planted_rings_are_found(self) -> None:
        self.assertEqual(sorted(knot["objects"] for knot in self.rings()), [1, 3])
        self.assertEqual(sorted(knot["rings"][0]["length"] for knot in self.rings()), [1, 3])
        self.assertEqual({knot["verdict"] for knot in self.rings()}, {"held"})

    def test_knot_of_one_object(self) -> None:
        ring = next(knot for knot in self.rings() if knot["objects"] == 3)
        edges = ring["rings"][0]["edges"]
        knots = ask("cycles", edges[1]["from"])["knots"]
        self.assertEqual(len(knots), 1)
        self.assertEqual(knots[0]["fingerprint"], ring["fingerprint"])
        self.assertEqual(edges[-1]["to"], edges[0]["from"])


PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "java_heap.md"


def without_numbers(text: str) -> List[str]:
    """Addresses, fingerprints of paths through the JDK and amounts differ from one JDK to another."""
    text = re.sub(r"0x[0-9a-f]+|fingerprint [0-9a-f]{16}", "A", text)
    text = re.sub(r"[0-9][0-9,.]*( [kMG]?B| bytes?)?", "N", text)
    return [line.strip() for line in text.splitlines() if line.strip()]


class Readme(unittest.TestCase):
    def commands(self) -> Dict[str, List[str]]:
        section = PAGE.read_text(encoding="utf-8").split("\n## An answer\n")[1]
        block = section.split("```console\n")[1].split("```")[0]
        found = re.findall(r"^\$ loupe (\w+) app\.hprof ?(.*)\n((?:(?!\$ ).*\n)*)", block, re.M)
        return {verb: [options, text] for verb, options, text in found}

    def test_what_the_readme_shows_is_what_is_printed(self) -> None:
        commands = self.commands()
        self.assertEqual(sorted(commands), ["heap", "suspects"])
        for verb, (options, text) in commands.items():
            printed = run(verb, str(FOLDER / "before.hprof"), *options.split())
            shown, printed_lines = without_numbers(text), without_numbers(printed)
            if verb == "heap":  # which classes are large is a matter of the JDK
                shown, printed_lines = shown[:2], printed_lines[:2]
            self.assertEqual(shown, printed_lines[:len(shown)], verb)


class FromOtherTools(unittest.TestCase):
    """Each command of docs/from_mat.md, of the planted dump."""

    def test_each_command_answers(self) -> None:
        page = (java.HERE.parents[1] / "docs" / "from_mat.md").read_text(encoding="utf-8")
        lines = sorted(set(re.findall(r"`(loupe [^`]*)`", page)))
        self.assertGreater(len(lines), 40)
        address = address_of("MainActivity")
        for line in lines:
            words = [word.replace("0x704dc0548", address) for word in shlex.split(line)][1:]
            words = [str(FOLDER / ("before.hprof" if word == "app.hprof" else word)) if "." in word and
                     word.endswith(("hprof", "html", "csv", "loupe", "sqlite")) else word for word in words]
            gate = "--fail-if-found" in words
            done = subprocess.run([LOUPE, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            self.assertEqual(int(gate), done.returncode, (line, done.stderr))
            self.assertTrue(done.stdout or "page written to" in done.stderr, line)


class Difference(unittest.TestCase):
    def test_planted_difference(self) -> None:
        answer = json.loads(run("diff", str(FOLDER / "before.hprof"), str(FOLDER / "after.hprof"),
                                "--class", f"{APP}*", "--json"))
        rows = {row["class"]: row for row in answer["classes"]}
        self.assertEqual(rows[f"{APP}$Late"]["new"] - rows[f"{APP}$Late"]["gone"], 100)
        self.assertEqual(rows[f"{APP}$Early"]["gone"] - rows[f"{APP}$Early"]["new"], 50)
        self.assertEqual(rows[f"{APP}$Late"]["size_delta"], 1600)
        self.assertEqual(rows[f"{APP}$Late"]["held_by"], {"culprit": "App.alive", "count": 64, "searched": 64})
        self.assertNotIn("held_by", rows[f"{APP}$Early"])
        self.assertEqual(rows[f"{APP}$Early"]["size_delta"], -800)

    def test_no_difference_to_itself(self) -> None:
        dump = str(FOLDER / "before.hprof")
        self.assertEqual(json.loads(run("diff", dump, dump, "--json"))["changed"], 0)


if __name__ == "__main__":
    java.need_java()
    LOUPE = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        java.planted_app(FOLDER, "before.hprof", "after.hprof")
        unittest.main()
