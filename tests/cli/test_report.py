"""`loupe report` and `loupe compare`: rows about many heaps, good and bad, and what differs between two
collections of them.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from typing import Any, Dict, List

from drawn_dump import BOOLEAN, OBJECT, Dump, ring, with_java_basics

LOUPE = os.environ["LOUPE"]
SECRET = "hunter2-is-secret"
Row = Dict[str, Any]


def run(*words: str, given: str = "", status: int = 0) -> str:
    done = subprocess.run([LOUPE, *words], input=given, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == status, done
    return done.stdout


def rows(*words: str, given: str = "", status: int = 0) -> List[Row]:
    return [json.loads(line) for line in run("report", *words, given=given, status=status).splitlines()]


def destroyed(count: int, name: str = "demo/Main") -> bytes:
    """So many screens of Android that are gone, in a static array; with texts that are nobody's business."""
    dump = Dump(4, "1.0.3")
    basics = with_java_basics(dump)
    activity = dump.add_class("android/app/Activity", [("mDestroyed", BOOLEAN)], superclass=basics["Object"], size=16)
    main = dump.add_class(name, superclass=activity, size=16)
    held = [dump.instance(main, 0x1000 + 0x20 * i, [1]) for i in range(count)]
    dump.array(basics["Object[]"], 0x800, held)
    holder = dump.add_class("demo/Holder", statics=[("held", OBJECT, 0x800)], superclass=basics["Object"])
    dump.root(holder.id, 0x05)
    return dump.bytes()


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def save(self, name: str, data: bytes) -> str:
        path = self.folder / name
        path.write_bytes(data)
        return str(path)


class Report(Case):
    def test_a_heap_its_findings_and_its_largest_classes(self) -> None:
        found = rows(self.save("a.hprof", destroyed(3)), "--tag", "build=114", "--tag", "team=photos", "--classes", "2")
        self.assertEqual(["heap", "class", "class"], [row["row"] for row in found[:3]])
        for row in found:
            self.assertEqual((1, 0, "114", {"build": "114", "team": "photos"}),
                             (row["schema"], row["input"], row["build"], row["tags"]))
            self.assertRegex(row["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
            self.assertRegex(row["heap"], "^[0-9a-f]+$")
        heap = found[0]
        self.assertEqual(("hprof", "java", "ok"), (heap["format"], heap["runtime"], heap["status"]))
        self.assertTrue(0 < heap["reachable_bytes"] <= heap["bytes"])
        [suspect] = [row for row in found if row.get("kind") == "suspect"]
        self.assertEqual(("demo.Main", 3, "system class -> demo.Holder.held -> java.lang.Object[][*] -> demo.Main"),
                         (suspect["class"], suspect["count"], suspect["path"]))

    def test_one_bad_file_stops_nothing_and_rows_keep_the_order(self) -> None:
        good = self.save("good.hprof", ring().bytes())
        names = [good, self.save("random.hprof.gz", b"\x1f\x8b\x08" + os.urandom(500)), str(self.folder / "none"),
                 self.save("empty", b""), str(self.folder), self.save("zip", b"PK\x03\x04" + bytes(90)), good]
        for jobs in ("1", "3"):
            found = rows(*names, "--jobs", jobs, "--classes", "1", status=2)
            self.assertEqual(sorted(row["input"] for row in found), [row["input"] for row in found])
            heaps = {row["input"]: row["row"] for row in found if row["row"] in ("heap", "error")}
            self.assertEqual({0: "heap", **{i: "error" for i in range(1, 6)}, 6: "heap"}, heaps)
            for row in found:
                if row["row"] == "error":
                    self.assertTrue(row["message"] and str(self.folder) not in row["message"], row)
                    self.assertEqual("unreadable", row["code"])

    def test_why_a_file_was_not_read(self) -> None:
        locked = b"PK\x03\x04\x14\0\x01\0" + bytes(90)
        long = "long" * 60
        names = [self.save("locked", locked), self.save("zip", b"PK\x03\x04\x14\0\0\0" + bytes(90)),
                 self.save(long, b"nothing that is known"), str(self.folder / "none"), self.save("empty", b"")]
        found = rows(*names, status=2)
        self.assertEqual(["a zip archive with a password: unpack it first",
                          "a zip archive: unpack it first, or unzip -p FILE | loupe heap -",
                          "unknown file format; expected a .loupe snapshot, an ELF or Mach-O core, or a Java or Android heap dump",
                          "No such file or directory", "is empty"], [row["message"] for row in found])

    def test_names_come_from_standard_input(self) -> None:
        path = self.save("a b.hprof", ring().bytes())
        found = rows("-", "--classes", "1", given=f"{path}\n\n{path}\n")
        self.assertEqual({0, 1}, {row["input"] for row in found})

    def test_gates(self) -> None:
        found, none = self.save("found", destroyed(1)), self.save("none", ring().bytes())
        rows(found)
        rows(none, "--fail-if-found")
        rows(none, found, "--fail-if-found", status=1)
        rows(found, str(self.folder / "gone"), "--fail-if-found", status=2)
        for words in ([], ["--tag", "nothing", none], ["--tag", "a b=c", none], ["--jobs", "many", none], ["--json", none]):
            run("report", *words, status=2)

    def test_rows_hold_no_values_unless_asked(self) -> None:
        """A secret in a key of a path, in a string, in a thread's name and in the file's own path."""
        dump = ring(name=SECRET) if "name" in ring.__code__.co_varnames else ring()
        data = dump.bytes().replace(b"main", SECRET[:4].encode())
        folder = self.folder / SECRET
        folder.mkdir()
        path = folder / f"{SECRET}.hprof"
        path.write_bytes(data)
        self.assertNotIn(SECRET, run("report", str(path)))
        self.assertNotIn("hunt", run("report", str(path)))
        self.assertIn(str(path), run("report", str(path), "--with-values"))


def finding(fingerprint: str, size: int = 100, **more: Any) -> Row:
    return {"row": "finding", "kind": "leak", "fingerprint": fingerprint, "class": "Screen", "culprit": None,
            "bytes": size, "path": "a -> b", "advice": "make it weak", **more}


class Compare(Case):
    def collection(self, name: str, heaps: List[List[Row]]) -> str:
        lines = []
        for number, findings in enumerate(heaps):
            for row in [{"row": "heap"}, *findings]:
                lines.append(json.dumps({"schema": 1, "heap": f"{number}", "input": number, **row}))
        return self.save(name, "".join(line + "\n" for line in lines).encode())

    def compared(self, base: List[List[Row]], new: List[List[Row]], *words: str, status: int) -> Row:
        text = run("compare", self.collection("base", base), self.collection("new", new), "--json", *words, status=status)
        answer: Row = json.loads(text)
        return answer

    def test_what_is_new_and_gone_and_nothing_else(self) -> None:
        base = [[finding("old"), finding("both")]] * 10
        new = [[finding("both"), finding("fresh")]] * 10
        answer = self.compared(base, new, status=1)
        self.assertEqual([["fresh"], [], ["old"]], [[entry["fingerprint"] for entry in answer[key]]
                                                    for key in ("new", "grown", "gone")])
        [fresh] = answer["new"]
        self.assertEqual((0, 10, "95%"), (fresh["heaps_base"], fresh["heaps_new"], fresh["confidence"]))

    def test_a_share_grows_only_beyond_doubt(self) -> None:
        for before, after, of, grown in ((2, 4, 20, False), (20, 60, 200, True), (10, 11, 200, False)):
            base = [[finding("x")] if i < before else [] for i in range(of)]
            new = [[finding("x")] if i < after else [] for i in range(of)]
            answer = self.compared(base, new, status=1 if grown else 0)
            self.assertEqual(grown, bool(answer["grown"]), (before, after, of))

    def test_a_median_grows_only_beyond_doubt(self) -> None:
        base = [[finding("x", 100 + i)] for i in range(30)]
        self.assertTrue(self.compared(base, [[finding("x", 200 + i)] for i in range(30)], status=1)["grown"])
        self.assertFalse(self.compared(base, [[finding("x", 110 + i)] for i in range(30)], status=0)["grown"])
        self.assertFalse(self.compared(base, [[finding("x", 200 + i)] for i in range(30)], "--grown", "200%", status=0)["grown"])

    def test_few_heaps_say_few(self) -> None:
        answer = self.compared([[]] * 4, [[finding("x")]] * 9, status=1)
        self.assertEqual("few", answer["new"][0]["confidence"])
        text = run("compare", str(self.folder / "base"), str(self.folder / "new"), status=1)
        self.assertEqual("1 new (9 heaps compared with 4: too few to be reliable)", text.splitlines()[0])
        (self.folder / "new").write_bytes((self.folder / "base").read_bytes())
        text = run("compare", str(self.folder / "base"), str(self.folder / "new"), status=0)
        self.assertEqual("Nothing new, grown or gone (4 heaps compared with 4: too few to be reliable)\n", text)

    def test_equal_fingerprints_in_one_heap_are_one_finding(self) -> None:
        answer = self.compared([[]] * 5, [[finding("x", 60), finding("x", 40)]] * 5, status=1)
        self.assertEqual((5, 100), (answer["new"][0]["heaps_new"], answer["new"][0]["bytes_new"]))

    def test_reports_for_ci(self) -> None:
        base, new = self.collection("base", [[]] * 5), self.collection("new", [[finding("x")]] * 5)
        log = json.loads(run("compare", base, new, "--format", "sarif", "--anchor", "a.m", status=1))
        [result] = log["runs"][0]["results"]
        self.assertIn("Leak, new: in 5 of 5 heaps, was in 0 of 5", result["message"]["text"])
        # What ends with 1 is an error in each of them.
        self.assertEqual("error", result["level"])
        self.assertTrue(run("compare", base, new, "--format", "github", status=1).startswith("::error "))
        self.assertIn('failures="1"', run("compare", base, new, "--format", "junit", status=1))
        self.assertEqual({"loupe/v1": "x"}, result["partialFingerprints"])
        for form in ("github", "junit", "gitlab", "markdown"):
            self.assertIn("in 5 of 5 heaps", run("compare", base, new, "--format", form, status=1).replace("&#58;", ":"))

    def test_files_that_are_none(self) -> None:
        good = self.collection("good", [[]] * 5)
        for data in (b"", b"{}\n", b"nonsense\n", b'{"schema":2,"row":"heap"}\n', b"\xff\n"):
            run("compare", good, self.save("bad", data), status=2)
        run("compare", good, str(self.folder / "none"), status=2)
        self.save("partly", b'{"schema":1,"row":"heap"}\n{"schema":1,"row":"error","code":"unreadable","message":"x"}\n')
        run("compare", good, str(self.folder / "partly"), status=2)


if __name__ == "__main__":
    unittest.main()
