"""Leaks that people make in Java, each in a heap of its own: suspects without a rule names each first, with
what to look at and how many of what it keeps.

usage: test_mistakes.py LOUPE
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import java

LOUPE = ""
FOLDER = pathlib.Path()
MANY = 4000
# Each mistake: the reference that is named, what it keeps, how many at least. Some are at work already.
MISTAKES = {
    "cache": ("Cache.entries", "Item", MANY),
    "class-loaders": ("Host.plugins", "Plugin", 12),
    "cursors": ("Database.open", "Cursor", MANY),
    "executor-queue": ("ThreadPoolExecutor.workQueue", "Job", MANY - 2),
    "finalizers": ("Finalizer.unfinalized", "Handle", MANY - 2),
    "growing-text": ("Log.buffer", "byte[]", 1),
    "handler": ("MessageQueue.messages", "Message", MANY),
    "inner-class": ("Agenda.tasks", "Editor$1", MANY),
    "interned-texts": ("Names.pool", "java.lang.String", MANY),
    "listeners": ("Bus.listeners", "Screen", MANY),
    "never-equal": ("Index.seen", "Word", MANY),
    "observers": ("Model.changes", "View", MANY),
    "phantoms": ("Freed.all", "Freed", MANY),
    "statements": ("Connection.statements", "Statement", MANY),
    "static-map": ("Registry.sessions", "Session", MANY),
    "sub-list": ("Page.head", "Item", MANY),
    "thread": ("local variable", "Item", MANY),
    "thread-local": ("Request.context", "Item", MANY),
    "timer": ("TimerThread.queue", "Reminder", MANY - 2),
    "weak-map": ("Descriptions.byKey", "Described", MANY)}


def without_package(name: str) -> str:
    return name[len("Mistakes$"):] if name.startswith("Mistakes$") else name


def dump(mistake: str) -> None:
    java.run_java(str(FOLDER / "classes"), "Mistakes", mistake, str(FOLDER / f"{mistake}.hprof"))


def suspects(mistake: str, *words: str) -> str:
    return subprocess.run([LOUPE, "suspects", str(FOLDER / f"{mistake}.hprof"), *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=True).stdout


class Mistakes(unittest.TestCase):
    def test_each_is_the_first_suspect(self) -> None:
        for mistake, (culprit, kept, least) in MISTAKES.items():
            with self.subTest(mistake):
                first = json.loads(suspects(mistake, "--json"))["suspects"][0]
                self.assertEqual(("share", culprit, kept),
                                 (first["kind"], without_package(first["culprit"]), without_package(first["class"])))
                self.assertGreaterEqual(first["count"], least)
                self.assertGreaterEqual(first["share"], 60)

    def test_a_variable_is_told_with_its_thread(self) -> None:
        self.assertRegex(suspects("thread"), r'\nlocal variable of thread "importer" in Mistakes\.lambda\$\S+ keeps ')

    def test_several_loaders_are_one_kind(self) -> None:
        self.assertIn("12 × Mistakes$Plugin", suspects("class-loaders"))


if __name__ == "__main__":
    java.need_java()
    LOUPE = sys.argv[1]
    with tempfile.TemporaryDirectory() as directory:
        FOLDER = pathlib.Path(directory)
        java.compile_sources(FOLDER / "classes", [java.HERE / "mistakes" / "Mistakes.java"])
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
            list(workers.map(dump, MISTAKES))
        unittest.main(argv=sys.argv[:1])
