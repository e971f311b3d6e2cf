"""The questions of examples/fleet, asked of databases that nobody here wrote: DuckDB, and a ClickHouse server of
our own on this machine. Rows are made up, but for those of one dump, which `loupe report` makes.

usage: test_fleet.py PROJECT NODE SCRIPT PARQUET CLICKHOUSE LOUPE; SCRIPT, PARQUET or CLICKHOUSE empty: it is not there
"""
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Dict, List

from drawn_dump import ring

PROJECT, NODE, SCRIPT, PARQUET, CLICKHOUSE, LOUPE = sys.argv[1:]
FLEET = pathlib.Path(PROJECT, "examples", "fleet")
GIVEN = {"build": "4", "base": "3", "new": "4", "fingerprint": "1eaf000000000000"}
HEAPS = 2000
CONFIG = """<yandex>
 <logger><level>error</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
 <listen_host>127.0.0.1</listen_host><tcp_port>{port}</tcp_port>
 <path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
 <users_config>{folder}/users.xml</users_config><default_profile>default</default_profile>
 <default_database>default</default_database><mark_cache_size>100000000</mark_cache_size>
</yandex>"""
USERS = """<yandex><profiles><default/></profiles><quotas><default/></quotas>
 <users><default><password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
</yandex>"""


def make_rows(path: pathlib.Path) -> None:
    dump = path.with_suffix(".hprof")
    dump.write_bytes(ring().bytes())
    with path.open("wb") as out:
        subprocess.run([sys.executable, "-B", FLEET / "make_rows.py", str(HEAPS)], stdout=out, check=True)
        subprocess.run([LOUPE, "report", dump, path.parent / "none", "--tag", "build=5"], stdout=out, check=False)


class Answers(unittest.TestCase):
    """What both have to say of the same rows."""

    def check(self, answers: Dict[str, List[Dict[str, object]]]) -> None:
        self.assertEqual(10, len(answers))
        [planted] = answers["new_between_builds"]
        self.assertEqual(("1eaf000000000000", "Registry.sessions"), (planted["fingerprint"], planted["culprit"]))
        self.assertEqual([], answers["fixed_by_build"])
        self.assertEqual(["1", "2", "3", "4", "5"], [row["build"] for row in answers["share_by_build"]])
        self.assertEqual([0, 0, 0], [float(str(row["share"])) for row in answers["share_by_build"]][:3])
        self.assertEqual("4", str(answers["first_seen"][0]["build"]))
        self.assertEqual("1eaf000000000000", answers["retained_p95"][0]["fingerprint"])
        self.assertEqual([400, 400, 400, 400, 401], [int(str(row["heaps"])) for row in answers["heap_sizes"]])
        self.assertEqual([("unreadable", "No such file or directory", 1)],
                         [(row["code"], row["message"], int(str(row["files"]))) for row in answers["unreadable"]])
        self.assertIn("com.example.Session", {row["class"] for row in answers["class_growth"]})
        for name in ("top_leaks_by_build", "by_day"):
            self.assertTrue(answers[name])


@unittest.skipUnless(SCRIPT, "no DuckDB (./run test-clients)")
class DuckDb(Answers):
    def test_on_files_as_they_are(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            rows = pathlib.Path(folder, "rows.ndjson")
            make_rows(rows)
            done = subprocess.run([NODE, SCRIPT, FLEET / "duckdb.sql", rows], capture_output=True, check=True)
            answers = json.loads(done.stdout)
            answers.pop("The", None)
            self.check(answers)


@unittest.skipUnless(PARQUET, "no DuckDB or no hyparquet (./run test-clients)")
class Parquet(unittest.TestCase):
    def test_two_readers_find_the_rows(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            dump = pathlib.Path(folder, "a.hprof")
            dump.write_bytes(ring().bytes())
            rows = pathlib.Path(folder, "rows.ndjson")
            files = [str(dump)] * 2400 + [f"{folder}/none"]  # more classes than one group of rows takes
            with rows.open("wb") as out:
                done = subprocess.run([LOUPE, "report", "-", "--with-values", "--tag", "build=5", "--tag", 'who=a"b',
                                       "--parquet", f"{folder}/parquet", "--ndjson"], input="\n".join(files).encode(),
                                      stdout=out, stderr=subprocess.DEVNULL, check=False)
            self.assertEqual(2, done.returncode)
            expected = [json.loads(line) for line in rows.read_text().splitlines()]
            shown = subprocess.run([NODE, PARQUET, f"{folder}/parquet"], capture_output=True, check=True).stdout
            for reader, tables in json.loads(shown).items():
                for kind, found in tables.items():
                    wanted = [row for row in expected if row["row"] == kind]
                    self.assertEqual([self.plain(row) for row in wanted], [self.read(row) for row in found], (reader, kind))
            self.assertGreater(len([row for row in expected if row["row"] == "class"]), 1 << 14)
            self.assertEqual({"heap", "finding", "class", "thread", "error"}, {row["row"] for row in expected})

    @staticmethod
    def plain(row: Dict[str, object]) -> Dict[str, object]:
        """What has a value: numbers as text, as readers hand out those of 64 bits."""
        return {key: str(value) if isinstance(value, int) and not isinstance(value, bool) else value
                for key, value in row.items() if key != "row" and value is not None}

    @staticmethod
    def read(row: Dict[str, object]) -> Dict[str, object]:
        found = {key: value for key, value in row.items() if value is not None}
        for key in ("tags", "system"):
            if key in found:
                found[key] = json.loads(str(found[key]))
        if "time" in found:
            found["time"] = str(found["time"])[:19].replace(" ", "T") + "Z"
        return found


@unittest.skipUnless(CLICKHOUSE, "no clickhouse-server")
class ClickHouse(Answers):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])
        (self.folder / "config.xml").write_text(CONFIG.format(folder=self.folder, port=self.port))
        (self.folder / "users.xml").write_text(USERS)
        server = subprocess.Popen([CLICKHOUSE, f"--config-file={self.folder}/config.xml"], cwd=self.folder,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        for _ in range(600):
            if server.poll() is not None or self.client("SELECT 1", check=False).returncode == 0:
                break
            time.sleep(0.2)

    def client(self, query: str, given: bytes = b"", check: bool = True) -> "subprocess.CompletedProcess[bytes]":
        done = subprocess.run(["clickhouse-client", "--host", "127.0.0.1", "--port", self.port,
                               "--input_format_skip_unknown_fields=1", "--query", query],
                              input=given, capture_output=True, check=False)
        self.assertFalse(check and done.returncode, done.stderr.decode())
        return done

    def test_loaded_without_glue(self) -> None:
        for statement in self.statements("clickhouse.sql"):
            self.client(statement)
        rows = self.folder / "rows.ndjson"
        make_rows(rows)
        self.client("INSERT INTO loupe_rows FORMAT JSONEachRow", rows.read_bytes())
        names = re.findall(r"^-- (\w+):", (FLEET / "queries.sql").read_text(), re.M)
        answers = {}
        for name, statement in zip(names, self.statements("queries.sql")):
            shown = self.client(statement + " FORMAT JSON").stdout
            answers[name] = json.loads(shown)["data"]
        self.check(answers)

    @staticmethod
    def statements(file: str) -> List[str]:
        text = re.sub(r"^--.*$", "", (FLEET / file).read_text(), flags=re.M)
        for name, value in GIVEN.items():
            text = text.replace(f"{{{name}}}", value)
        return [statement.strip() for statement in text.split(";") if statement.strip()]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
