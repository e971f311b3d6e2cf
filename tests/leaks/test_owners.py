"""Leaks that people make in Objective-C, each in a heap of its own: suspects without a rule names each first,
with what to look at and how many of what it keeps.

usage: test_owners.py LOUPE PROGRAM
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from waiting import snapshots_of

LOUPE, PROGRAM = sys.argv[1:]
FOLDER = pathlib.Path()
MANY = 4000
MOST = MANY * 19 // 20  # what a leftover on the stack points to has an owner more
# Each mistake: the reference that is named, or the variable, what it keeps, how many at least.
MISTAKES = {
    "cache": ("Cache._entries", "Item", MOST),
    "captures": ("Agenda._tasks", "block", MOST),
    "cursors": ("Database._open", "Cursor", MOST),
    "delayed": ("GSRunLoopThreadInfo.loop", "GSTimedPerformer", MOST),
    "growing-text": ("logBuffer", "(raw memory)", 1),
    "interned-texts": ("namesPool", "GSCInlineString", MOST),
    "listeners": ("busListeners", "Screen", MOST),
    "never-equal": ("indexSeen", "Word", MOST),
    "observers": ("Model._observers", "GSFFIInvocation", MOST),
    "part-of-list": ("Page._rest", "Item", MOST),
    "pool": ("NSThread._autorelease_vars.current_pool", "Handle", MOST),
    "queue": ("Server._jobs", "GSKVOJob", MOST),
    "records": ("allFreed", "Freed", MOST),
    "statements": ("Connection._statements", "Statement", MOST),
    "static-map": ("registrySessions", "Session", MOST),
    "thread": ("stack of thread", "Item", MOST),
    "thread-local": ("NSThread._thread_dictionary", "Item", MOST),
    "timers": ("NSRunLoop._contextMap", "NSTimer", MOST),
    "weak-map": ("descriptions", "Described", MOST)}


def take(mistake: str) -> None:
    (FOLDER / mistake).mkdir()
    files, trouble = snapshots_of([PROGRAM, mistake], LOUPE, FOLDER / mistake)
    assert files and not trouble, (mistake, trouble)


def suspects(mistake: str, *words: str) -> str:
    return subprocess.run([LOUPE, "suspects", str(FOLDER / mistake / "0.loupe"), *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=True).stdout


class Owners(unittest.TestCase):
    def test_each_is_the_first_suspect(self) -> None:
        for mistake, (culprit, kept, least) in MISTAKES.items():
            with self.subTest(mistake):
                first = json.loads(suspects(mistake, "--json"))["suspects"][0]
                self.assertEqual(("share", culprit), (first["kind"], first["culprit"][:len(culprit)]))
                self.assertEqual(kept, first["class"][:len(kept)])
                self.assertGreaterEqual(first["count"], least)
                self.assertGreaterEqual(first["share"], 50)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        FOLDER = pathlib.Path(directory)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
            list(workers.map(take, MISTAKES))
        unittest.main(argv=sys.argv[:1])
