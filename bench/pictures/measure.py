"""Writes a snapshot in every format, some rounds in turn, and prints the best of each.

usage: measure.py LOUPE FOLDER    with heap.loupe in it
"""
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import time
import typing

ROUNDS = 3
IMPORTED = ("objects", "edges", "dominators")


def seconds(run: typing.Callable[[], None]) -> float:
    began = time.monotonic()
    run()
    return time.monotonic() - began


def main() -> None:
    loupe, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    best: typing.Dict[str, float] = {}

    def write(ending: str) -> None:
        out = folder / f"out.{ending}"
        if ending == "sqlite":
            out.unlink(missing_ok=True)
        subprocess.run([loupe, "snapshot", str(folder / "heap.loupe"), str(out)], check=True,
                       stdout=subprocess.DEVNULL)

    def bring_in() -> None:
        """The rows of the largest tables, without keys and indexes."""
        (folder / "import.sqlite").unlink(missing_ok=True)
        lines = []
        for table in IMPORTED:
            with open(folder / "out.csv" / f"{table}.csv", encoding="utf-8") as file:
                columns = file.readline().strip()
            lines += [f"CREATE TABLE {table} ({columns});",
                      f".import --csv --skip 1 {folder}/out.csv/{table}.csv {table}"]
        subprocess.run(["sqlite3", str(folder / "import.sqlite")], input="\n".join(lines),
                       encoding="utf-8", check=True)

    tasks = {ending: (lambda ending=ending: write(ending))
             for ending in ("html", "hprof", "csv", "sqlite")}
    tasks["cp of the hprof"] = lambda: shutil.copyfile(folder / "out.hprof", folder / "copy")
    tasks["sqlite3 .import"] = bring_in
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            best[name] = min(best.get(name, 1e9), seconds(task))

    with sqlite3.connect(folder / "out.sqlite") as database:
        (objects,), = database.execute("SELECT count(*) FROM objects")
        tables = [name for name, in
                  database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = sum(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                   for table in tables)
        imported = sum(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                       for table in IMPORTED)
    megabytes = {ending: os.path.getsize(folder / f"out.{ending}") / 1e6
                 for ending in ("html", "hprof", "sqlite")}
    print(f"{objects:,} objects; seconds of the wall clock, the best of {ROUNDS} rounds")
    print(f"html              {best['html']:7.2f} s   {megabytes['html']:8.2f} MB")
    print(f"hprof             {best['hprof']:7.2f} s   {megabytes['hprof']:8.1f} MB"
          f"   {megabytes['hprof'] / best['hprof']:9,.0f} MB/s")
    print(f"cp of the hprof   {best['cp of the hprof']:7.2f} s")
    print(f"csv               {best['csv']:7.2f} s")
    print(f"sqlite            {best['sqlite']:7.2f} s   {megabytes['sqlite']:8.1f} MB"
          f"   {rows / best['sqlite']:9,.0f} rows/s, with keys and indexes")
    print(f"sqlite3 .import   {best['sqlite3 .import']:7.2f} s               "
          f"   {imported / best['sqlite3 .import']:9,.0f} rows/s, without")


if __name__ == "__main__":
    main()
