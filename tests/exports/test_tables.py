"""Snapshots as tables: in a database of SQLite, and as comma-separated values.

usage: test_tables.py LOUPE
"""
import csv
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import typing
import unittest

from drawn_dump import BYTE, CHAR, INT, OBJECT, Dump, ring, with_java_basics

LOUPE = ""
FOLDER = pathlib.Path()
TABLES = ("runs", "classes", "objects", "edges", "roots", "dominators", "leaks", "frames", "stacks",
          "allocations")
HOSTILE = "a\"b,'c\r\nd\x01\u202e; DROP TABLE objects; --"
FORMULAS = ("=cmd|' C calc'!A0", "+1", "-[Album close]", "@SUM(1)")
Row = typing.Tuple[typing.Any, ...]


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([LOUPE, *words], stdin=subprocess.DEVNULL, capture_output=True,
                          encoding="utf-8", timeout=1800, check=False)


def save(dump: Dump, name: str) -> str:
    path = FOLDER / name
    path.write_bytes(dump.bytes())
    return str(path)


def hostile_names() -> Dump:
    dump = Dump()
    with_java_basics(dump)
    a = dump.add_class(HOSTILE, [(HOSTILE, OBJECT)])
    dump.instance(a, 0x1000, [0x1000])
    dump.root(0x1000)
    for number, name in enumerate(FORMULAS):
        dump.instance(dump.add_class(name, []), 0x2000 + 16 * number, [])
        dump.root(0x2000 + 16 * number)
    return dump


def as_cell(value: typing.Any) -> str:
    """No formula of a spreadsheet, and no byte that a terminal obeys."""
    if not isinstance(value, str):
        return "" if value is None else str(value)
    text = re.sub("[\x00-\x1f\x7f]", lambda found: f"\\x{ord(found[0]):02x}", value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


class Database:
    """A file that snapshots were written to."""

    def __init__(self, *dumps: str, name: str = "heaps.sqlite") -> None:
        self.path = FOLDER / name
        self.path.unlink(missing_ok=True)
        self.written = [run("snapshot", dump, str(self.path)) for dump in dumps]

    def rows(self, sql: str) -> typing.List[Row]:
        with sqlite3.connect(self.path) as connection:
            return connection.execute(sql).fetchall()

    def value(self, sql: str) -> typing.Any:
        (value,), = self.rows(sql)
        return value


class TestSqlite(unittest.TestCase):
    def setUp(self) -> None:
        self.dump = save(ring(), "ring.hprof")

    def check_sound(self, database: Database) -> None:
        self.assertEqual(database.value("PRAGMA integrity_check"), "ok")
        self.assertEqual(database.rows("PRAGMA foreign_key_check"), [])

    def test_a_heap_is_a_run(self) -> None:
        database = Database(self.dump)
        self.assertEqual(database.written[0].returncode, 0, database.written)
        self.check_sound(database)
        heap = run("heap", self.dump, "--json").stdout
        objects = int(re.search(r'"objects":(\d+)', heap).group(1))  # type: ignore[union-attr]
        edges = int(re.search(r'"references":(\d+)', heap).group(1))  # type: ignore[union-attr]
        self.assertEqual(database.rows("SELECT run, source, objects, edges, complete FROM runs"),
                         [(1, "hprof", objects, edges, 1)])
        self.assertEqual(database.value("SELECT count(*) FROM objects"), objects)
        self.assertEqual(database.value("SELECT count(*) FROM edges"), edges)

    def test_snapshots_append(self) -> None:
        database = Database(self.dump, save(hostile_names(), "hostile.hprof"), self.dump)
        self.assertEqual([done.returncode for done in database.written], [0, 0, 0])
        self.check_sound(database)
        self.assertEqual(database.rows("SELECT run FROM runs"), [(1,), (2,), (3,)])
        ours = "SELECT object, address, class, bytes FROM objects WHERE run = "
        self.assertEqual(database.rows(ours + "1"), database.rows(ours + "3"))
        self.assertNotEqual(database.rows(ours + "1"), database.rows(ours + "2"))

    def test_names_are_data(self) -> None:
        database = Database(save(hostile_names(), "hostile.hprof"))
        self.check_sound(database)
        names = [name for name, in database.rows("SELECT name FROM classes")]
        self.assertIn(HOSTILE, names)
        self.assertIn((HOSTILE,), database.rows("SELECT path FROM edges"))

    def test_views_say_what_verbs_say(self) -> None:
        database = Database(self.dump)
        totals = database.rows("SELECT class, objects, bytes FROM class_totals ORDER BY class")
        text = run("heap", self.dump, "--json").stdout
        want = re.findall(r'"class":"([^"]+)","count":(\d+),"size":(\d+)', text)
        self.assertEqual(totals, sorted((name, int(count), int(size)) for name, count, size in want))
        retained = "SELECT address, retained FROM things WHERE NOT lost ORDER BY retained DESC LIMIT 1"
        (address, size), = database.rows(retained)
        said = run("retained", self.dump, address, "--json").stdout
        self.assertIn(f'"retained":{size}', said)

    def test_the_queries_of_the_documentation_work(self) -> None:
        page = (pathlib.Path(__file__).parents[2] / "docs/exports.md").read_text(encoding="utf-8")
        queries = page.split("```sql\n")[1].split("```")[0].split(";\n")
        database = Database(self.dump, save(hostile_names(), "hostile.hprof"))
        self.assertEqual(len([query for query in queries if query.strip()]), 10)
        for query in queries:
            database.rows(query)
        self.assertTrue(database.rows(queries[0]))
        self.assertTrue(database.rows(queries[4]))

    def test_what_is_not_ours_is_not_touched(self) -> None:
        other = FOLDER / "other.sqlite"
        with sqlite3.connect(other) as connection:
            connection.execute("CREATE TABLE objects (mine)")
        before = other.read_bytes()
        done = run("snapshot", self.dump, str(other))
        self.assertEqual(done.returncode, 2)
        self.assertIn("not written by loupe", done.stderr)
        self.assertEqual(other.read_bytes(), before)

    def test_another_version_is_refused(self) -> None:
        database = Database(self.dump)
        with sqlite3.connect(database.path) as connection:
            connection.execute("PRAGMA user_version = 99")
        done = run("snapshot", self.dump, str(database.path))
        self.assertEqual(done.returncode, 2)
        self.assertIn("version 99", done.stderr)

    def test_a_run_that_fails_leaves_nothing(self) -> None:
        database = Database(self.dump)
        self.assertEqual(run("snapshot", self.dump, str(FOLDER / "none" / "x.sqlite")).returncode, 2)
        with sqlite3.connect(database.path) as holder:
            holder.execute("BEGIN EXCLUSIVE")
            done = run("snapshot", self.dump, str(database.path))
            holder.rollback()
        self.assertEqual(done.returncode, 2)
        self.assertIn("locked", done.stderr)
        self.assertEqual(database.rows("SELECT run FROM runs"), [(1,)])
        self.check_sound(database)


class TestCsv(unittest.TestCase):
    def rows(self, folder: pathlib.Path, table: str) -> typing.List[typing.List[str]]:
        with open(folder / f"{table}.csv", newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    def test_the_same_rows_as_in_a_database(self) -> None:
        dump = save(hostile_names(), "hostile.hprof")
        folder = FOLDER / "heap.csv"
        done = run("snapshot", dump, str(folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        database = Database(dump)
        for table in TABLES:
            head, *rows = self.rows(folder, table)
            want = database.rows(f"SELECT * FROM {table}")
            self.assertEqual(sorted(rows), sorted([as_cell(value) for value in row]
                                                  for row in want))
            self.assertEqual(head, [row[1] for row in
                                    database.rows(f"PRAGMA table_info({table})")])

    def test_no_cell_is_a_formula(self) -> None:
        folder = FOLDER / "formulas.csv"
        run("snapshot", save(hostile_names(), "formulas.hprof"), str(folder))
        names = {cell for row in self.rows(folder, "classes") for cell in row}
        for name in FORMULAS:
            self.assertIn(f"'{name}", names)
            self.assertNotIn(name, names)

    def test_what_cannot_be_a_folder_is_an_error(self) -> None:
        (FOLDER / "file.csv").write_text("mine")
        done = run("snapshot", save(ring(), "ring.hprof"), str(FOLDER / "file.csv"))
        self.assertEqual(done.returncode, 2)
        self.assertEqual((FOLDER / "file.csv").read_text(), "mine")


class TestRedacted(unittest.TestCase):
    def files(self, *options: str) -> typing.Dict[str, bytes]:
        """By ending: all bytes of what is written of a heap with a text in it."""
        dump = Dump()
        java = with_java_basics(dump)
        screen = dump.add_class("Screen", [("title", OBJECT), ("wide", INT)])
        dump.primitives(BYTE, 0x3000, list(b"my password"))
        dump.primitives(CHAR, 0x3100, [ord(each) for each in "my password"])
        dump.instance(java["String"], 0x2000, [0x3000, 0])
        dump.instance(screen, 0x1000, [0x2000, 77])
        dump.root(0x1000)
        dump.root(0x3100)
        heap = save(dump, "text.hprof")
        written = {}
        for ending in (".loupe", ".sqlite", ".html", ".dot", ".csv"):
            out = FOLDER / f"text{len(options)}{ending}"
            done = run("snapshot", heap, str(out), *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            parts = sorted(out.iterdir()) if out.is_dir() else [out]
            written[ending] = b"".join(part.read_bytes() for part in parts)
            if ending == ".loupe":  # what is packed is asked for
                written[ending] += "".join(run("show", str(out), hex(each)).stdout
                                           for each in (0x1000, 0x2000, 0x3000, 0x3100)).encode()
        return written

    def test_texts_of_the_program_s_data_are_left_out(self) -> None:
        whole, redacted = self.files(), self.files("--redact")
        self.assertIn(b"my password", whole[".loupe"])  # or there was nothing to leave out
        for ending, content in redacted.items():
            self.assertTrue(b"Screen" in content or ending == ".dot", ending)
            self.assertNotIn(b"password", content, ending)
            for encoding in ("utf-16-le", "utf-16-be"):
                self.assertNotIn("password".encode(encoding), content, ending)


class TestNames(unittest.TestCase):
    def test_an_unknown_ending_names_the_known_ones(self) -> None:
        done = run("snapshot", save(ring(), "ring.hprof"), str(FOLDER / "heap.xyz"))
        self.assertEqual(done.returncode, 2)
        for ending in (".loupe", ".hprof", ".hprof.gz", ".sqlite", ".csv"):
            self.assertIn(ending, done.stderr)

    def test_a_java_heap_is_not_written_as_one(self) -> None:
        done = run("snapshot", save(ring(), "ring.hprof"), str(FOLDER / "again.hprof"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("is a Java heap", done.stderr)
        self.assertFalse((FOLDER / "again.hprof").exists())


def main() -> int:
    global LOUPE, FOLDER
    LOUPE = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as made:
        FOLDER = pathlib.Path(made)
        probe = run("snapshot", save(ring(), "probe.hprof"), str(FOLDER / "probe.sqlite"))
        if "without SQLite" in probe.stderr:
            print("skipped: this loupe was built without SQLite (libsqlite3-dev)")
            return 77
        unittest.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
