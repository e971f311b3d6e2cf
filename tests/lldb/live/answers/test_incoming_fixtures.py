"""strong-refs --incoming about every fixture: the same answer from outside, from the helper, on a
minidump of the same process, and the same holders on a core that gdb saved of another one.

One run of lldb for each fixture that is launched: lldb 22 does not load the minidump of the third
process that was launched in a session, but waits for ever.
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

import session
from test_fixtures import save_cores

sys.path[:0] = [str(session.FIXTURES), str(session.SUPPORT)]
import expectation  # noqa: E402
from share import is_whole, share_of  # noqa: E402

VARIES = {"engine": None, "stats": None}
# Old lldbs do not say where thread-local data is in a dump.
MAY_BE_HIDDEN = ("thread-local", "later-thread-local", "autorelease-pools")


def questions(name, engine):
    return [f"strong-refs --incoming -j --engine {engine} {expression}"
            for expression in expectation.load(name)]


def run(name, commands, core=None):
    return {"program": session.fixture(name), "stop": session.READY, "commands": commands,
            "core": core}


def comparable(text):
    """Where the search for words met memory of lldb's own differs from engine to engine."""
    answer = {**json.loads(text), **VARIES}
    if "search" in answer:
        answer["search"] = {**answer["search"], "bytes": None}
    return answer


def shape(answer):
    """What does not depend on what stands on a stack, or where."""
    holders = [(holder["edge"]["path"], (holder["root"] or {}).get("name"),
                [step["path"] for step in holder["way"]]) for holder in answer["holders"]]
    return holders, answer["counts"]["found"], answer["counts"]["retains"], answer["not_walked"]


class EveryFixture(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.names = share_of(expectation.all_fixtures())
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            cls.ask_live(folder)
            dumps = {name: str(folder / f"{name}.dmp") for name in cls.names
                     if (folder / f"{name}.dmp").exists()}
            cls.dumps = cls.ask_cores(dumps)
            cls.cores = cls.ask_cores(save_cores(cls.names, folder)) if shutil.which("gdb") else {}

    @classmethod
    def ask_live(cls, folder):
        def launch(name):
            """Loading the helper takes memory that was freed, where stale words of a stack lead."""
            save = f"process save-core --plugin-name=minidump --style=full {folder}/{name}.dmp"
            return session.carry_out([run(name, ["loupe inject", save, *questions(name, "memory"),
                                                 *questions(name, "helper")])])

        cls.outside, cls.inside = {}, {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(launch, cls.names))
        for name, [result] in zip(cls.names, results):
            assert not result["problem"], result["problem"]
            answers = [command["output"] for command in result["commands"][2:]]
            half = len(answers) // 2
            cls.outside[name], cls.inside[name] = answers[:half], answers[half:]

    @classmethod
    def ask_cores(cls, paths):
        results = session.carry_out([run(name, questions(name, "memory"), path)
                                     for name, path in paths.items()])
        for result in results:
            assert not result["problem"], result["problem"]
        return {name: [command["output"] for command in result["commands"]]
                for name, result in zip(paths, results)}

    def test_the_helper_answers_as_the_plugin_does(self):
        self.assertGreater(len(self.names), 50 if is_whole() else 0)
        for name in self.names:
            for outside, inside in zip(self.outside[name], self.inside[name]):
                with self.subTest(name):
                    self.assertEqual(comparable(outside), comparable(inside))

    def test_nothing_that_lldb_can_tell_is_left_out(self):
        for name in self.names:
            for text in self.outside[name]:
                answer = json.loads(text)
                gaps = [gap["what"] for gap in answer["not_scanned"]]
                if answer["extent"] == "heap":
                    self.assertEqual([], gaps, name)
                    continue
                self.assertEqual("the object is in no memory that an allocator gave out",
                                 answer["extent_reason"], name)
                self.assertFalse(set(gaps) - {"raw-memory", *MAY_BE_HIDDEN}, name)
                self.assertIn("raw-memory", gaps)

    def test_a_minidump_gives_the_answer_of_its_process(self):
        if not self.dumps:
            self.skipTest("this lldb saves no whole minidumps")
        for name, texts in self.dumps.items():
            for live, dump in zip(self.outside[name], texts):
                live, dump = comparable(live), comparable(dump)
                with self.subTest(name):
                    if live["not_scanned"] == dump["not_scanned"]:
                        self.assertEqual(live, dump)
                    else:
                        self.assertEqual(shape(live)[:3], shape(dump)[:3])

    def test_a_core_has_the_same_holders(self):
        if not self.cores:
            self.skipTest("cores are saved by gdb, which is not installed")
        for name, texts in self.cores.items():
            for live, core in zip(self.outside[name], texts):
                with self.subTest(name):
                    self.assertEqual(shape(json.loads(live)), shape(json.loads(core)))


if __name__ == "__main__":
    unittest.main()
