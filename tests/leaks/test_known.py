"""What the runtime and the Foundation are known to leak is one line, and nothing of the program hides
in it.

usage: test_known.py LOUPE PROGRAM LEAKS HELPER
"""
import html
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from typing import Any, Dict, List, Tuple

LOUPE, PROGRAM, LEAKS, HELPER = sys.argv[1:]
LINE = re.compile(r"^[\d,]+ known leaks of libobjc( and gnustep-base)?: [\d.]+ kB "
                  r"\(--known shows them\)$", re.MULTILINE)


class Stopped:
    """The program, where it has leaked what it was told to."""

    def __init__(self, what: str) -> None:
        self.process = subprocess.Popen([PROGRAM, what, "stop"], stdin=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOWAIT)

    def __enter__(self) -> "Stopped":
        return self

    def __exit__(self, *unused: object) -> None:
        self.process.kill()
        self.process.wait()

    def leaks(self, *options: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([LOUPE, "leaks", str(self.process.pid), *options],
                              capture_output=True, text=True, check=False)


def at_exit(what: str, **environment: str) -> Tuple[int, str]:
    done = subprocess.run([PROGRAM, what], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env={**os.environ, "LD_PRELOAD": LEAKS, "LOUPE_LEAKS": "at-exit",
                               "LOUPE_LEAKS_EXIT": "9", "LOUPE_TOOL": LOUPE, **environment},
                          check=False)
    return done.returncode, done.stderr


def entries(answer: Dict[str, Any]) -> List[Tuple[str, int]]:
    return sorted((leak["class"], leak["count"]) for leak in answer["leaks"])


class Known(unittest.TestCase):
    maxDiff = None

    def found(self, what: str) -> Dict[str, Any]:
        with Stopped(what) as program:
            done = program.leaks("--json")
        answer: Dict[str, Any] = json.loads(done.stdout)
        self.assertEqual(1 if answer["found"] else 0, done.returncode, done.stderr)
        self.assertGreater(answer["known"]["leaks"], 50)
        return answer

    def test_a_program_that_leaks_nothing_has_none(self) -> None:
        with Stopped("nothing") as program:
            done = program.leaks()
            shown = program.leaks("--known").stdout
        self.assertEqual(0, done.returncode)
        self.assertTrue(done.stdout.startswith("No leaks found "), done.stdout)
        self.assertEqual(1, len(LINE.findall(done.stdout)), done.stdout)
        self.assertNotIn("by class", done.stdout)
        self.assertNotIn("do not add up", done.stdout)
        self.assertIn("the cells of their lists are not", shown)
        self.assertIn("of libobjc GCC", shown)

    def test_reports_have_the_line_too(self) -> None:
        with Stopped("nothing") as program, tempfile.TemporaryDirectory() as folder:
            line = LINE.search(program.leaks().stdout)
            assert line is not None
            page = pathlib.Path(folder, "page.html")
            program.leaks("--html", str(page))
            texts = {"page": page.read_text(encoding="utf-8")}
            for form in ("sarif", "junit", "github", "markdown"):
                texts[form] = program.leaks("--format", form).stdout
        for form, text in texts.items():
            with self.subTest(form):
                self.assertEqual(1, html.unescape(text).count(line[0].split(" (")[0]), text)

    def test_their_sum_is_that_of_the_list(self) -> None:
        known = self.found("nothing")["known"]
        for key, of_each in (("leaks", "count"), ("objects", "objects"), ("bytes", "bytes")):
            self.assertEqual(known[key], sum(item[of_each] for item in known["by"]))
        for item in known["by"]:
            self.assertTrue(item["library"] and item["versions"] and item["proof"], item)

    def test_a_list_of_the_program_with_what_it_keeps(self) -> None:
        answer = self.found("list")
        self.assertEqual([("(raw memory)", 1)], entries(answer), answer)
        # Three cells and three texts: none of them went among what is known.
        self.assertEqual({"objects": 6, "others": 6, "bytes": answer["lost"]["bytes"]}, answer["lost"], answer)

    def test_a_list_of_objects(self) -> None:
        answer = self.found("elements")
        self.assertEqual([("(raw memory)", 1)], entries(answer))
        self.assertEqual([("Photo", 3)],
                         [(item["class"], item["count"]) for item in answer["leaks"][0]["keeps"]])

    def test_what_is_lost_of_a_list_that_looks_like_one_of_the_runtime(self) -> None:
        """Where an element is in use the cells may be the runtime's; the objects are not."""
        self.assertEqual([("Photo", 2)], entries(self.found("in_use")))

    def test_text_that_is_no_selector(self) -> None:
        self.assertEqual([("(raw memory)", 1)], entries(self.found("text")))

    def test_an_object_of_the_program(self) -> None:
        self.assertEqual([("Photo", 1)], entries(self.found("object")))

    def test_the_system_time_zone_is_retained_once_too_often_by_gnustep_alone(self) -> None:
        """Before 1.31; a retain of the program's own beside is told."""
        zone = "GSTimeZone"
        answer, retained = self.found("nothing"), self.found("zone")
        self.assertNotIn(zone, [item["class"] for item in answer["miscounted"]])
        if zone not in [item["class"] for item in answer["known"]["by"]]:
            self.skipTest("this gnustep-base makes no such mistake")
        self.assertNotIn(zone, [item["class"] for item in retained["known"]["by"]])
        self.assertEqual([2], [item["releases"] for item in retained["miscounted"]
                               if item["class"] == zone], retained["miscounted"])

    def test_the_timer_of_the_run_loop_is_gnusteps_and_no_other(self) -> None:
        """Before 1.31."""
        answer, own = self.found("loop"), self.found("timer")
        self.assertNotIn("NSTimer", [item["class"] for item in answer["miscounted"]])
        self.assertEqual([(1, 1)], [(item["count"], item["releases"]) for item in own["miscounted"]
                                    if item["class"] == "NSTimer"], own["miscounted"])

    def test_a_string_of_the_class_of_a_known_one(self) -> None:
        answer = self.found("string")
        self.assertEqual(1, answer["found"])
        self.assertIn("String", answer["leaks"][0]["class"])

    def test_the_line_of_the_page(self) -> None:
        """But for the amounts, which are those of one release."""
        page = (pathlib.Path(__file__).parents[2] / "docs" / "leaks.md").read_text(encoding="utf-8")
        [shown] = re.findall(r"^```text\n(\d+ known leaks .*\n)```$", page, re.M)
        _, text = at_exit("nothing")
        self.assertIn(re.sub(r"[\d.,]+", "N", shown), re.sub(r"[\d.,]+", "N", text))

    def test_at_exit(self) -> None:
        status, text = at_exit("nothing")
        self.assertEqual(0, status, text)
        self.assertEqual(1, len(re.findall(r"known leaks of [\w -]+: .*--known shows them", text)), text)
        status, text = at_exit("object")
        self.assertEqual(9, status)
        self.assertIn("1 leak\n", text)

    def test_a_baseline_at_exit(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            known = os.path.join(folder, "known.txt")
            with Stopped("object") as program:
                program.leaks("--write-baseline", known)
            with open(known, encoding="utf-8") as file:
                self.assertEqual(1, len([line for line in file if not line.startswith("#")]))
            status, text = at_exit("object", LOUPE_LEAKS_BASELINE=known)
            self.assertEqual(0, status, text)
            self.assertIn("No new leaks", text)
            self.assertEqual(9, at_exit("string", LOUPE_LEAKS_BASELINE=known)[0])

    def test_filters_at_exit(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            filters = os.path.join(folder, "filters.txt")
            with open(filters, "w", encoding="utf-8") as file:
                file.write("Photo.nobody -> Photo  # for a test\n")
            self.assertEqual(0, at_exit("nothing", LOUPE_LEAKS_FILTERS=filters)[0])
            status, text = at_exit("nothing", LOUPE_LEAKS_FILTERS=filters + ".gone")
            self.assertEqual(9, status)
            self.assertIn("cannot be read", text)

    def test_inside_with_one_thread_nothing_is_missing(self) -> None:
        for what, found in (("nothing", 0), ("object", 1), ("elements", 1)):
            done = subprocess.run([PROGRAM, what, "ask"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                  env={**os.environ, "LD_PRELOAD": HELPER}, check=True)
            answer = json.loads(done.stdout)
            self.assertEqual(("ok", found), (answer["status"], answer["found"]),
                             (answer["not_followed"], answer["leaks"]))
            self.assertGreater(answer["known"]["leaks"], 50)

    def test_the_most_rings_of_a_knot_are_said(self) -> None:
        with Stopped("knot") as program:
            done = subprocess.run([LOUPE, "cycles", str(program.process.pid), "--max-rings",
                                   "30000"], capture_output=True, text=True, check=False)
        self.assertIn("More loops exist; at most 4,096 of a cycle are searched for",
                      done.stdout[-5000:])

    def test_the_count_of_a_proxy(self) -> None:
        with Stopped("proxy") as program:
            done = subprocess.run([LOUPE, "find", str(program.process.pid), "Deputy", "--json"],
                                  capture_output=True, text=True, check=False)
        self.assertEqual([3], [found["retain_count"] for found in json.loads(done.stdout)["objects"]])

    def test_what_a_value_knows_without_retaining_it(self) -> None:
        with Stopped("value") as program:
            done = program.leaks()
        self.assertEqual(1, done.returncode, done.stdout)
        self.assertIn("Leak: Photo ", done.stdout)
        self.assertIn("leaked: a release is missing; pointers to it remain, but none retains it\n",
                      done.stdout)

    def test_it_goes_on_unharmed(self) -> None:
        with Stopped("nothing") as program:
            program.leaks()
            program.process.send_signal(signal.SIGCONT)
            self.assertEqual(0, program.process.wait(timeout=1800))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
