"""Questions in SQL, of a heap dump that is drawn and of the snapshot that is saved of it.

usage: test_sql.py LOUPE
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from drawn_dump import BYTE, DOUBLE, INT, OBJECT, Dump, ring, with_java_basics

LOUPE = ""
FOLDER = pathlib.Path()
SKIPPED = 77


def run(sql, *options, file="drawn.hprof", status=0, **environment):
    done = subprocess.run([LOUPE, "sql", str(FOLDER / file), sql, *options], env={**os.environ, **environment},
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == status, (sql, done)
    return (done.stderr if status else done.stdout).decode()


def draw():
    """The ring, and a list of two of three places with a price, equal texts, an array of zeros."""
    dump = ring()
    array = dump.add_class("java/util/ArrayList", [("elementData", OBJECT), ("size", INT)])
    price = dump.add_class("demo/Price", [("amount", DOUBLE), ("label", OBJECT)])
    basics = with_java_basics(Dump())  # as that of the ring
    dump.instance(array, 0x6000, [0x6100, 2])
    dump.array(basics["Object[]"], 0x6100, [0x6200, 0x6200, 0])
    dump.instance(price, 0x6200, [2.5, 0x6300])
    for address in (0x6300, 0x6400):
        dump.instance(basics["String"], address, [address + 0x10, 0])
        dump.primitives(BYTE, address + 0x10, list(b"cheap"))
    dump.primitives(BYTE, 0x6500, [0] * 9)
    for address in (0x6000, 0x6400, 0x6500):
        dump.root(address)
    return dump.bytes()


class Sql(unittest.TestCase):
    def rows(self, sql, *options):
        """Of both files, the same."""
        answers = [json.loads(run(sql, "--json", *options, file=file))
                   for file in ("drawn.hprof", "drawn.loupe")]
        self.assertEqual(answers[0]["rows"], answers[1]["rows"], sql)
        return answers[0]["rows"]

    def test_objects_by_class(self):
        self.assertEqual([["demo.Node", 4]],
                         self.rows("select class, count(*) from objects where class = 'demo.Node'"))
        found = self.rows("select class, sum(size) > 0 from objects group by class order by class")
        self.assertIn(["byte[]", 1], found)

    def test_groups_and_orders_by_class_are_those_of_sqlite(self):
        """Rows come by class where that is asked for; + in front of a column keeps SQLite from asking."""
        for sql in ("select class, count(*), sum(object) from objects group by {}class",
                    "select class, object from objects order by {}class, object",
                    "select class, min(object) from objects where size > 20 group by {}class",
                    "select o.class, count(*) from objects o join refs r on r.source = o.object group by {}o.class",
                    "select class, object from objects where {}class = 'demo.Node'",
                    "select class, count(*) from objects where {}class = 'DEMO.NODE' collate nocase",
                    "select count(*) from objects where {}class = 'DEMO.NODE'",
                    "select class from objects order by {}class desc"):
            self.assertEqual(self.rows(sql.format("+")), self.rows(sql.format("")), sql)
        self.assertEqual([["demo.Node", 4]], self.rows(
            "select class, count(*) from objects where class = 'DEMO.NODE' collate nocase"))

    def test_object_by_address_and_number(self):
        (number, kind), = self.rows("select object, class from objects where address = '0x1020'")
        self.assertEqual("demo.Node", kind)
        self.assertEqual([["0x1020"]],
                         self.rows(f"select address(object) from objects where object = {number}"))
        self.assertEqual([], self.rows("select * from objects where object = 1000000"))
        self.assertEqual([], self.rows("select class from objects where address = 'x' or object = -1"))

    def test_references_in_both_directions(self):
        self.assertEqual([["0x1040", "next"]], self.rows(
            "select address(r.target), r.name from objects o join refs r on r.source = o.object "
            "where o.address = '0x1020' and r.kind = 'strong'"))
        self.assertEqual([["0x1000", "next"], ["0x2000", "[2]"]], self.rows(
            "select address(r.source), r.name from objects o join refs r on r.target = o.object "
            "where o.address = '0x1020' order by 1"))

    def test_fields_and_functions(self):
        self.assertEqual([[2.5, "cheap", "cheap"]], self.rows(
            "select field(object, 'amount'), field(object, 'label'), text((select target from fields f "
            "where f.object = o.object and f.name = 'label')) from objects o where class = 'demo.Price'"))
        self.assertEqual([["amount", 2.5]], self.rows(
            "select name, value from fields where class = 'demo.Price' and target is null"))
        (text,), = self.rows("select path(object) from objects where address = '0x1040'")
        self.assertEqual("system class: demo.Main.cache[2].next", text)

    def test_retained_and_reachable(self):
        kept = json.loads(subprocess.run(
            [LOUPE, "show", str(FOLDER / "drawn.hprof"), "0x6000", "--json"], capture_output=True,
            check=True).stdout)["object"]["retained"]
        self.assertEqual([[kept, kept]], self.rows(
            "select retained, retained(object) from objects where address = '0x6000'"))
        self.assertEqual([["0x1080"]], self.rows(
            "select address from objects where class = 'demo.Node' and not reachable"))

    def test_strings_threads_roots_collections(self):
        self.assertEqual([["cheap", 2]], self.rows(
            "select text, count(*) from strings group by text having count(*) > 1"))
        self.assertEqual([["main", 2]], self.rows("select name, frames from threads"))
        self.assertEqual([["run", 12], ["main", 34]], self.rows("select method, line from frames"))
        self.assertEqual([["list", 2, 1]], self.rows(
            "select kind, items, capacity >= 2 from collections where class = 'java.util.ArrayList'"))
        self.assertEqual([["local variable", 2]], self.rows(
            "select kind, count(*) from roots where kind = 'local variable' group by kind"))

    def test_every_shipped_question_is_answered(self):
        names = [line.split()[0] for line in run("--list").splitlines()[1:]]
        self.assertGreaterEqual(len(names), 20)
        for name in names:
            self.rows(name)
        self.assertEqual(["cheap", 2], self.rows("duplicate-strings")[0][:2])
        self.assertEqual([["byte[]", 1]], [row[:2] for row in self.rows("zero-arrays")])

    def test_formats(self):
        sql = "select '=1+1' as a, 7 as b, null as c"
        self.assertEqual([["a", "b", "c"], ["'=1+1", "7", ""]],
                         list(csv.reader(io.StringIO(run(sql, "--format", "csv")))))
        self.assertEqual({"a": "=1+1", "b": 7, "c": None}, json.loads(run(sql, "--format", "ndjson")))
        self.assertEqual("  a     b  c\n  =1+1  7\n\n1 row\n", run(sql))
        self.assertIn("\\x1b", run("select char(27)"))

    def test_rows_for_programs_are_the_same_in_every_locale(self):
        """What the tool draws with is ASCII where the locale is; what a program wrote stays."""
        for form in ("csv", "ndjson"):
            self.assertEqual(run("select '→ x …' as a", "--format", form, LC_ALL="C.UTF-8", LOUPE_GLYPHS="unicode"),
                             run("select '→ x …' as a", "--format", form, LC_ALL="C", LOUPE_GLYPHS="ascii"))

    def test_rows_are_limited(self):
        some = json.loads(run("select object from objects", "--json", "--limit", "3"))
        self.assertEqual((3, True), (some["row_count"], some["more"]))
        self.assertIn("3 rows, there are more", run("select object from objects", "--limit", "3"))

    def test_nothing_but_questions(self):
        target = FOLDER / "made.db"
        for sql in (f"attach '{target}' as made", f"vacuum into '{target}'", "pragma user_version",
                    "create table t (a)", "select load_extension('x')", "delete from objects",
                    "select * from pragma_database_list", "select 1; select 2", "", "begin",
                    "select * from nothing", "select zeroblob(1 << 30)", "select " + "(" * 500):
            self.assertTrue(run(sql, status=2).startswith("loupe: sql: "), sql)
        self.assertFalse(target.exists())
        endless = "with recursive n(a) as (select 1 union all select a + 1 from n) select max(a) from n"
        done = subprocess.run([LOUPE, "sql", str(FOLDER / "drawn.hprof"), endless, "--timeout", "0.2"],
                              capture_output=True, check=False)
        self.assertEqual(2, done.returncode)
        self.assertIn(b"incomplete", done.stdout + done.stderr)


if __name__ == "__main__":
    LOUPE = sys.argv[1]
    with tempfile.TemporaryDirectory() as directory:
        FOLDER = pathlib.Path(directory)
        (FOLDER / "drawn.hprof").write_bytes(draw())
        without = subprocess.run([LOUPE, "sql", str(FOLDER / "drawn.hprof"), "select 1"],
                                 capture_output=True, check=False)
        if b"without SQLite" in without.stderr:
            assert without.returncode == 2, without
            print("skipped: this loupe is built without SQLite")
            sys.exit(SKIPPED)
        subprocess.run([LOUPE, "snapshot", str(FOLDER / "drawn.hprof"), str(FOLDER / "drawn.loupe")],
                       check=True, capture_output=True)
        unittest.main(argv=sys.argv[:1])
