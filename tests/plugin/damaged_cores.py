"""Runs inside lldb: asks questions of damaged copies of a core file.

Environment: LOUPE_PLUGIN, LOUPE_CORE, LOUPE_ADDRESSES (comma separated), LOUPE_MUTATIONS (how many),
LOUPE_WORK (a folder), LOUPE_RANGES (file offsets, "START-END" comma separated: the memory to damage).
LOUPE_FIRST is the seed to start with. Prints a line "seed N" for each, then one summary line; that it
is printed at all is the test, because a crash takes lldb and this script with it.
"""
import collections
import json
import os
import pathlib
import random
import re
import sys

import lldb

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from lldb_commands.render.style import Style
from lldb_commands.reporting import report

PAGE = 4096
QUERIES = ("retain-cycles", "strong-refs", "ivar-layout", "block-layout")


def truncated(core, ranges, chance):
    return core[: chance.randrange(min(ranges)[0], len(core))]


def with_zeroed_pages(core, ranges, chance):
    damaged = bytearray(core)
    pages = [page for start, end in ranges for page in range(start, end, PAGE)]
    for page in chance.sample(pages, max(1, len(pages) // 4)):
        damaged[page : page + PAGE] = bytes(min(PAGE, len(core) - page))
    return bytes(damaged)


def with_random_bytes(core, ranges, chance):
    damaged = bytearray(core)
    for _ in range(chance.choice((1, 10, 100, 1000, 10000))):
        damaged[chance.randrange(*chance.choice(ranges))] = chance.randrange(256)
    return bytes(damaged)


def status_of(line):
    """Of an answer, which is a line of ASCII, and text as a report."""
    assert re.fullmatch(r"[ -~]+\n", line), line
    answer = json.loads(line)
    if answer["status"] != "error":
        for text in report.as_text(answer, Style(), "seed", True).split("\n"):
            assert text.isprintable(), (line, text)
    return answer["status"]


def ask(debugger, query, address):
    """How the engine answered: the status in its JSON, or "refused" with a message."""
    result = lldb.SBCommandReturnObject()
    command = f"loupe-engine {query} --address {address} --limit 10000"
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    if result.Succeeded():
        return status_of(result.GetOutput())
    return "refused" if result.GetError().strip() else "failed without a message"


def ask_damaged_core(debugger, path, addresses):
    target = debugger.CreateTarget("")
    error = lldb.SBError()
    target.LoadCore(path, error)
    if error.Success():
        answers = [ask(debugger, query, a) for a in addresses for query in QUERIES]
    else:
        answers = ["core refused by lldb"]
    debugger.DeleteTarget(target)
    return answers


def __lldb_init_module(debugger, _):
    debugger.HandleCommand(f"plugin load '{os.environ['LOUPE_PLUGIN']}'")
    with open(os.environ["LOUPE_CORE"], "rb") as file:
        core = file.read()
    addresses = os.environ["LOUPE_ADDRESSES"].split(",")
    ranges = [tuple(map(int, text.split("-"))) for text in os.environ["LOUPE_RANGES"].split(",")]
    path = os.path.join(os.environ["LOUPE_WORK"], "damaged.core")
    count = int(os.environ["LOUPE_MUTATIONS"])
    damages = (truncated, with_zeroed_pages, with_random_bytes)
    answers = collections.Counter()
    for seed in range(int(os.environ["LOUPE_FIRST"]), count):
        print(f"seed {seed}", flush=True)
        chance = random.Random(seed)
        with open(path, "wb") as file:
            file.write(damages[seed % len(damages)](core, ranges, chance))
        answers.update(ask_damaged_core(debugger, path, addresses))
    counts = ", ".join(f"{count} {answer}" for answer, count in sorted(answers.items()))
    print(f"survived {count} damaged cores: {counts}")
