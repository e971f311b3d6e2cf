#!/usr/bin/env python3
"""Rows of heaps that never were, as `loupe report` writes them, to try a database with.

usage: make_rows.py HEAPS [BUILDS] > rows.ndjson

The same numbers make the same rows. Of the builds, the last but one brings a leak that no earlier one has:
fingerprint 1eaf000000000000, culprit Registry.sessions.
"""
import json
import random
import sys
from typing import Any, Dict, Iterator

PLANTED = "1eaf000000000000"
Row = Dict[str, Any]


def heap(number: int, builds: int) -> Iterator[Row]:
    chance = random.Random(number)
    build = 1 + number % builds
    common = {"schema": 1, "heap": f"{number:x}", "input": number, "app": "photos", "version": "5.1",
              "time": f"2026-{1 + build % 12:02}-{1 + number % 28:02}T12:00:00Z", "build": str(build),
              "tags": {"fleet": "phones"}, "loupe": "0.1.0"}
    size = chance.randrange(20_000_000, 400_000_000)
    yield {"row": "heap", **common, "format": "hprof", "runtime": "java", "objects": size // 60, "references": size // 30,
           "bytes": size, "reachable_bytes": size * 9 // 10, "status": "ok", "classes_left_out": 0}
    for kind in range(12):
        if chance.random() < 0.1 + kind / 20:
            yield {"row": "finding", **common, "kind": "leak", "degree": "lost", "fingerprint": f"{kind:016x}",
                   "class": f"com.example.Screen{kind}", "culprit": None, "count": chance.randrange(1, 9),
                   "bytes": chance.randrange(1000, 9000), "path": f"Screen{kind}.listener -> Bus.listeners[*]",
                   "advice": "remove the listener"}
    if build >= builds - 1 and chance.random() < 0.4:
        yield {"row": "finding", **common, "kind": "owner", "degree": "held", "fingerprint": PLANTED, "class": "com.example.Session",
               "culprit": "Registry.sessions", "count": 1000, "bytes": chance.randrange(10**6, 10**7),
               "path": "static -> Registry.sessions[*] -> Session", "advice": None}
    for name in ("byte[]", "java.lang.String", "com.example.Session"):
        yield {"row": "class", **common, "class": name, "count": chance.randrange(10**5), "bytes": size // 5, "retained": size // 4}


def main() -> None:
    heaps = int(sys.argv[1])
    builds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    for number in range(heaps):
        for row in heap(number, builds):
            sys.stdout.write(json.dumps(row, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
