"""One heap, one answer: every output of the tool and every host has the same findings, with the same
fingerprint, degree or verdict, first advice and severity, and the same exit status.

usage: test_outputs_agree.py LOUPE PROGRAMS WORDS_OF DRAW_HEAPS

PROGRAMS is the folder of the fixtures; DRAW_HEAPS draws random heaps; WORDS_OF says of an answer what a watched program does. Text for people is what the others are measured by: it is what
the other tests of reports read.
"""
import dataclasses
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import typing
import unittest
import xml.etree.ElementTree

from waiting import snapshots_of

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS.parent), str(TESTS / "serve"), str(TESTS / "support")]

from client import Client  # noqa: E402
from lldb_commands.render.style import Style  # noqa: E402
from lldb_commands.reporting.answers import add_words  # noqa: E402
from lldb_commands.reporting.report import as_text  # noqa: E402
from share import share_of  # noqa: E402

LOUPE = WORDS_OF = DRAW_HEAPS = ""
PROGRAMS = pathlib.Path()
FOLDER = pathlib.Path()
ENOUGH = 71  # fixtures: all there are; those below are looked at in each run
ALWAYS = ("array_member assoc_pair block_in_block byref_block byref_struct c_block cxx_capture "
          "delegate_strong dict_key dict_value foundation_holders held_ring inherited_ivar "
          "many_rings map_table mrc_block near_misses observer_token parallel_ivars self_block "
          "self_loop set_member struct_ivar timer_block timer_target timer_user_info two_knots "
          "view_controller").split()
# Also looked at when main() has returned, and nothing leads to what is left.
TO_THE_END = ("byref_block", "many_rings", "self_block", "timer_user_info")
VERBS = ("leaks", "cycles")
HEAPS = 200
ENTRY = re.compile(r"^\d+\. (.*)$")
STATE = re.compile(r", (unreachable|unknown|leaked|held only by its timer|held)(?:[:;, ]|$)", re.M)
PRINTED = re.compile(r"fingerprint ([0-9a-f]{16})")
ADVICE = re.compile(r"^    • (.*)$")
HEADINGS = ("Fix:", "Fixes, best first:", "Fix (an object held", "Fixes (an object held", "Fix that frees",
            "Fixes that free", "No single fix", "These together break")
MISTAKE = re.compile(r"^  Known mistake: (.*)$", re.M)
ROW = re.compile(r"^\| (note|warning|\*\*error\*\*) \| (.*?) \| .*? \| (.*?) \|$", re.M)
FOLDERS = re.compile(r"(?<=[ (])[^ (]*/(?=[^ /]+:\d)")  # of files, which LLDB shows from where it is
CAPTION = re.compile(r'^    label="((?:cycle|leak) \d+: .*)"; color=', re.M)
DRAWN = re.compile(r'^    tooltip="fingerprint ([0-9a-f]{16})";$', re.M)
SAID = re.compile(r" (?:Fix|Fix, all of these|Breaks one loop only): (.*?)(?:; .*)?\.?$", re.M)
STATES = {"lost": "unreachable", "unowned": "leaked", "timer": "held only by its timer", "leaked": "leaked",
          "held": "held", "unknown": "unknown"}
DECIDED = ("fingerprint", "verdict", "degree", "severity", "certain", "missing_releases")
Json = typing.Dict[str, typing.Any]


@dataclasses.dataclass(frozen=True)
class Finding:
    fingerprint: str
    state: str
    advice: str  # the first; empty: there is none
    is_error: bool
    mistake: str = ""  # that everybody makes


class Text(typing.NamedTuple):
    findings: typing.List[Finding]
    status: int


def run(verb: str, file: pathlib.Path, *words: str) -> "subprocess.CompletedProcess[str]":
    gate = ["--fail-if-found"] if verb == "cycles" else []
    return subprocess.run([LOUPE, verb, str(file), "--limit", "0", *gate, *words], text=True,
                          capture_output=True, timeout=1800, check=False)


def is_gated(state: str, certain: bool) -> bool:
    return certain and state in ("unreachable", "leaked")


def said_of(verb: str, entry: Json) -> typing.Tuple[str, bool]:
    """The state and whether it is an error, as JSON has them."""
    has_degree = verb == "leaks" or entry["degree"] == "timer"
    return STATES[entry["degree" if has_degree else "verdict"]], entry["severity"] == "error"


def text_of_entry(lines: typing.List[str]) -> Finding:
    whole = "\n".join(lines)
    state = STATE.search(lines[0])
    printed = PRINTED.search(whole)
    assert state and printed, whole
    advice = ""
    for at, line in enumerate(lines):
        if line.strip().startswith(HEADINGS):
            first = ADVICE.match(lines[at + 1])
            assert first, whole
            advice = first[1]
    certain = not re.search(r"Possible|may retain", lines[0]) and "  Guessed: " not in whole
    mistake = MISTAKE.search(whole)
    return Finding(printed[1], state[1], advice, is_gated(state[1], certain), mistake[1] if mistake else "")


def findings_in(text: str) -> typing.List[Finding]:
    assert "+0x" not in text, text
    entries: typing.List[typing.List[str]] = []
    for line in text.splitlines():
        if ENTRY.match(line):
            entries.append([line])
        elif entries:
            entries[-1].append(line)
    return [text_of_entry(entry) for entry in entries]


def by_text(verb: str, file: pathlib.Path, *operands: str) -> Text:
    done = run(verb, file, *operands)
    return Text(findings_in(done.stdout), done.returncode)


def decided(answer: Json) -> typing.List[str]:
    """What the core says of each cycle or leak; words are others where debug information names a block."""
    return sorted(json.dumps([entry.get("count", 1), [entry.get(key) for key in DECIDED],
                              [fix["do"] for fix in (entry.get("knot") or entry).get("fixes", [])]])
                  for entry in answer["leaks" if answer["query"] == "leaks" else "knots"])


def mistake_found_in(answer: Json) -> str:
    """Engines name none: it is found in the answer, when its names are known."""
    knot = {key: value for key, value in answer["knots"][0].items() if key != "mistake"}
    add_words({**answer, "knots": [knot]})  # type: ignore[arg-type]
    return str(knot.get("pattern", {}).get("name", ""))


def in_messages(finding: Finding, messages: typing.Sequence[str]) -> bool:
    """One of them is about that finding: its state, the mistake, and the advice up to where text goes on."""
    return any(f", {finding.state}" in message and f" {finding.mistake}." in f"{message} ." and
               advice_in(finding, message) for message in messages)


def advice_in(finding: Finding, message: str) -> bool:
    said = SAID.search(message)
    return bool(finding.advice) == bool(said) and (not said or finding.advice.startswith(said[1]))


def proposed_in(finding: Finding, caption: str) -> bool:
    """A drawing shows what is enough alone, or what is so together; text has more, after a ";"."""
    said = re.search("^fix: (.*)$", caption, re.M)
    return not said or finding.advice.startswith(re.sub(r"\.\.\. \(\d+ bytes\)$", "", said[1]))  # where it is long


class OfFixture(unittest.TestCase):
    def agree(self, verb: str, file: pathlib.Path) -> typing.List[Finding]:
        text = by_text(verb, file)
        fingerprints = sorted(each.fingerprint for each in text.findings)
        for check in (self.json, self.sarif, self.github, self.gitlab, self.markdown, self.junit, self.page, self.dot):
            with self.subTest(output=check.__name__, verb=verb):
                check(verb, file, text, fingerprints)
        self.baseline(verb, file, text)
        return text.findings

    def json(self, verb: str, file: pathlib.Path, text: Text,
             fingerprints: typing.List[str]) -> None:
        done = run(verb, file, "--json")
        answer = json.loads(done.stdout)
        entries = answer["leaks" if verb == "leaks" else "knots"]
        self.assertEqual(done.returncode, text.status)
        self.assertEqual(sorted(entry["fingerprint"] for entry in entries), fingerprints)
        self.by_server(verb, file, entries)
        if verb == "cycles":
            self.in_lldb(answer, text)
            self.in_program(answer, text)
        for finding in text.findings:
            of = [entry for entry in entries if entry["fingerprint"] == finding.fingerprint]
            self.assertIn((finding.state, finding.is_error), [said_of(verb, entry) for entry in of])
            self.assertIn(finding.mistake, [entry.get("mistake", "") for entry in of])
            knots = [entry.get("knot") if verb == "leaks" else entry for entry in of]
            advices = [fix["text"] for knot in knots for fix in (knot or {}).get("fixes", [])[:1]]
            advices += ["add the missing release" for entry in of if entry.get("missing_releases")]
            if finding.advice:
                self.assertTrue(any(finding.advice.startswith(advice) for advice in advices),
                                (finding, advices))

    def by_server(self, verb: str, file: pathlib.Path, entries: typing.List[Json]) -> None:
        with Client(LOUPE) as client:
            answer = client.call(verb, file=str(file))["answer"]
        served = answer["leaks" if verb == "leaks" else "knots"]
        self.assertEqual([(entry["fingerprint"], entry.get("degree"), said_of(verb, entry)) for entry in served],
                         [(entry["fingerprint"], entry.get("degree"), said_of(verb, entry))
                          for entry in entries[:len(served)]])
        self.assertEqual(bool(served), bool(entries))

    def in_lldb(self, answer: Json, text: Text) -> None:
        """As the commands there say it, by the library in their process."""
        for knot in answer["knots"]:
            one = {**answer, "knots": [{**knot, "contains_seed": True}]}  # which no report folds
            said = as_text(one, Style(), "", False)
            self.assertNotIn("Shown in short", said)
            lines = said.split("\n\n", 1)[1].split("\n")
            self.assert_said(knot, lines, text)
            self.assertIn((knot["fingerprint"], mistake_found_in(one)),
                          [(each.fingerprint, each.mistake) for each in text.findings])

    def in_program(self, answer: Json, text: Text) -> None:
        """As a watched program says it of the first, which knows no mistakes by their names; where that is not
        asked for, nothing."""
        for knot in answer["knots"][:1] if WORDS_OF else []:
            own = {**answer, "query": "retain-cycles", "knots": [{**knot, "contains_seed": True}]}
            lines = subprocess.run([WORDS_OF], input=json.dumps(own, separators=(",", ":")) + "\n",
                                   capture_output=True, text=True, check=True).stdout.splitlines()
            self.assert_said(knot, lines[1:], text)

    def assert_said(self, knot: Json, lines: typing.List[str], text: Text) -> None:
        state = STATE.search(lines[0])
        advice = FOLDERS.sub("", next((line[6:] for line in lines if ADVICE.match(line)), ""))
        self.assertIn((knot["fingerprint"], state and state[1], advice),
                      [(each.fingerprint, each.state, each.advice) for each in text.findings])

    def sarif(self, verb: str, file: pathlib.Path, text: Text,
              fingerprints: typing.List[str]) -> None:
        done = run(verb, file, "--format", "sarif")
        self.assertEqual(done.returncode, text.status)
        results = json.loads(done.stdout)["runs"][0]["results"]
        self.assertEqual(sorted(result["partialFingerprints"]["loupe/v1"] for result in results),
                         fingerprints)
        for finding in text.findings:
            of = [result for result in results
                  if result["partialFingerprints"]["loupe/v1"] == finding.fingerprint]
            self.assertIn(finding.is_error, [result["level"] == "error" for result in of])
            self.assertTrue(in_messages(finding, [result["message"]["text"] for result in of]),
                            (finding, of))

    def github(self, verb: str, file: pathlib.Path, text: Text,
               fingerprints: typing.List[str]) -> None:
        done = run(verb, file, "--format", "github")
        self.assertEqual(done.returncode, text.status)
        lines = [line for line in done.stdout.splitlines() if "title=Loupe: " in line]
        self.assertEqual(len(lines), len(fingerprints))
        self.assertEqual(sum(line.startswith("::error ") for line in lines),
                         sum(finding.is_error for finding in text.findings))
        for finding in text.findings:
            self.assertTrue(in_messages(finding, lines), (finding, lines))

    def gitlab(self, verb: str, file: pathlib.Path, text: Text,
               fingerprints: typing.List[str]) -> None:
        done = run(verb, file, "--format", "gitlab")
        self.assertEqual(done.returncode, text.status)
        self.has_issues(json.loads(done.stdout), text.findings)

    def has_issues(self, issues: typing.List[Json], findings: typing.List[Finding]) -> None:
        self.assertEqual(sorted(issue["fingerprint"] for issue in issues),
                         sorted(finding.fingerprint for finding in findings))
        for finding in findings:
            of = [issue for issue in issues if issue["fingerprint"] == finding.fingerprint]
            self.assertIn(finding.is_error, [issue["severity"] == "major" for issue in of])
            self.assertTrue(in_messages(finding, [issue["description"] for issue in of]), (finding, of))

    def markdown(self, verb: str, file: pathlib.Path, text: Text,
                 fingerprints: typing.List[str]) -> None:
        done = run(verb, file, "--format", "markdown")
        self.assertEqual(done.returncode, text.status)
        self.has_rows(done.stdout, text.findings)

    def has_rows(self, said: str, findings: typing.List[Finding]) -> None:
        rows = [tuple(map(html.unescape, row)) for row in ROW.findall(said)]
        left_out = re.search(r"^and (\d+) more$", said, re.M)
        self.assertEqual(len(rows) + (int(left_out[1]) if left_out else 0), len(findings))
        if left_out:
            return
        told = [(mark == "**error**", state[1] if state else "", advice)
                for mark, title, advice in rows for state in [STATE.search(title)]]
        self.assertEqual(sorted(row[:2] for row in told),
                         sorted((finding.is_error, finding.state) for finding in findings))
        for finding in findings:
            self.assertTrue(any((finding.is_error, finding.state) == row[:2] and
                                bool(finding.advice) == bool(row[2]) and finding.advice.startswith(row[2])
                                for row in told), (finding, told))

    def junit(self, verb: str, file: pathlib.Path, text: Text,
              fingerprints: typing.List[str]) -> None:
        done = run(verb, file, "--format", "junit")
        self.assertEqual(done.returncode, text.status)
        cases = list(xml.etree.ElementTree.fromstring(done.stdout).iter("testcase"))[:-1]
        names = [case.attrib["name"].rpartition(" ") for case in cases]
        self.assertEqual(sorted(name[2] for name in names), fingerprints)
        failed = sum(case.find("failure") is not None for case in cases)
        if verb == "leaks":  # what the gate lets pass is no failure; that of cycles lets none pass
            self.assertEqual(failed, sum(finding.state != "held only by its timer"
                                         for finding in text.findings))
        self.assertEqual(bool(failed), text.status == 1)

    def page(self, verb: str, file: pathlib.Path, text: Text,
             fingerprints: typing.List[str]) -> None:
        page = FOLDER / "page.html"
        done = run(verb, file, "--html", str(page))
        self.assertEqual(done.returncode, text.status)
        shown = data_of(page)
        found, patterns = shown["findings"], shown.get("patterns", [])
        self.assertEqual(sorted(finding["fingerprint"] for finding in found), fingerprints)
        for finding in text.findings:
            of = [each for each in found if each["fingerprint"] == finding.fingerprint]
            self.assertIn(finding.mistake, [patterns[each["pattern"]]["name"] if "pattern" in each else ""
                                            for each in of])
            first = [each["changes"][0]["text"] for each in of if each.get("changes")]
            if finding.advice:
                self.assertTrue(any(finding.advice.startswith(advice) for advice in first),
                                (finding, first))

    def dot(self, verb: str, file: pathlib.Path, text: Text, fingerprints: typing.List[str]) -> None:
        drawing = FOLDER / "drawing.dot"
        done = run(verb, file, "--dot", str(drawing))
        self.assertEqual(done.returncode, text.status)
        drawn = drawing.read_text(encoding="utf-8")
        captions = [caption.replace("\\n", "\n").replace('\\"', '"')
                    for caption in CAPTION.findall(drawn)]
        left_out = re.search(r"not drawn: .*?(\d+) more findings", drawn)
        shown = sorted(DRAWN.findall(drawn))
        self.assertEqual(len(shown) + (int(left_out[1]) if left_out else 0), len(fingerprints))
        self.assertLessEqual(set(shown), set(fingerprints))
        self.assertNotIn("+0x", drawn)
        for finding in text.findings:
            if finding.fingerprint not in shown:
                continue
            self.assertTrue(any(finding.state in caption and proposed_in(finding, caption)
                                for caption in captions), (finding, captions))

    def baseline(self, verb: str, file: pathlib.Path, text: Text) -> None:
        known = FOLDER / "known"
        known.write_text("".join(f"{finding.fingerprint}\n" for finding in text.findings))
        done = run(verb, file, "--baseline", str(known))
        # A circle of memory alone has no fingerprint among cycles, and no baseline of them hides it.
        status = 1 if "through untyped memory" in done.stdout else 0
        self.assertEqual((done.returncode, PRINTED.search(done.stdout)), (status, None), done.stdout)
        written = run(verb, file, "--write-baseline", str(known))
        self.assertIn(written.returncode, (0, text.status))
        lines = [line.split()[0] for line in known.read_text().splitlines() if line[0] != "#"]
        self.assertEqual({finding.fingerprint for finding in text.findings} - set(lines), set())
        self.assertEqual(lines, sorted(set(lines)))


def data_of(page: pathlib.Path) -> Json:
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>',
                     page.read_text(encoding="utf-8"), re.S)
    assert data
    shown: Json = json.loads(data[1])
    return shown


def fixtures() -> typing.List[str]:
    return sorted(path.name for path in PROGRAMS.iterdir() if path.is_file() and os.access(path, os.X_OK))


class Outputs(OfFixture):
    def test_of_all_fixtures(self) -> None:
        states: typing.Set[str] = set()
        names = fixtures()
        self.assertGreaterEqual(len(names), ENOUGH)
        for name in [*ALWAYS, *share_of([name for name in names if name not in ALWAYS])]:
            with self.subTest(fixture=name):
                for file in self.snapshots(name):
                    for verb in VERBS:
                        states |= {finding.state for finding in self.agree(verb, file)}
                    self.whole_heap(file)
        self.assertEqual(states & {"unreachable", "leaked", "held", "held only by its timer"},
                         {"unreachable", "leaked", "held", "held only by its timer"})

    def test_of_drawn_heaps(self) -> None:
        states: typing.Set[str] = set()
        subprocess.run([DRAW_HEAPS, str(FOLDER), str(HEAPS)], check=True)
        for number in share_of(range(HEAPS)):
            with self.subTest(heap=number):
                for verb in VERBS:
                    states |= {finding.state for finding in self.agree(verb, FOLDER / f"{number}.loupe")}
        self.assertLessEqual({"unreachable", "leaked", "unknown"}, states)

    def test_what_fails_writes_no_file(self) -> None:
        cut = FOLDER / "cut.loupe"
        cut.write_bytes(b"JAVA PROFILE 1.0.2\0\0")
        for verb in VERBS:
            for form in ("html", "dot", "sarif"):
                file = FOLDER / f"failed.{form}"
                words = ["-o", str(file), "--format", form] if form == "sarif" \
                    else [f"--{form}", str(file)]
                for operands in ([str(FOLDER / "none")], [str(cut)]):
                    done = subprocess.run([LOUPE, verb, *operands, *words], capture_output=True,
                                          timeout=1800, check=False)
                    self.assertEqual((done.returncode, file.exists()), (2, False), operands)

    def snapshots(self, name: str) -> typing.List[pathlib.Path]:
        folder = FOLDER / name
        folder.mkdir()
        made, trouble = snapshots_of([str(PROGRAMS / name)], LOUPE, folder,
                                     LOUPE_FIXTURE_TRUTH=str(folder / "truth"))
        self.assertFalse(trouble)
        return made if name in TO_THE_END else made[:1]

    def whole_heap(self, file: pathlib.Path) -> None:
        """The page of a heap has leaks and cycles, and what is both once."""
        page = FOLDER / "heap.html"
        subprocess.run([LOUPE, "snapshot", str(file), str(page)], check=True, capture_output=True)
        found = [(finding["fingerprint"], finding["verdict"]) for finding in data_of(page)["findings"]]
        self.assertEqual(len(found), len(set(found)), found)
        want = {finding.fingerprint for verb in VERBS for finding in by_text(verb, file).findings}
        self.assertEqual({fingerprint for fingerprint, _ in found}, want)


if __name__ == "__main__":
    LOUPE = sys.argv.pop(1)
    PROGRAMS = pathlib.Path(sys.argv.pop(1))
    WORDS_OF = sys.argv.pop(1)
    DRAW_HEAPS = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as scratch:
        FOLDER = pathlib.Path(scratch)
        unittest.main()
