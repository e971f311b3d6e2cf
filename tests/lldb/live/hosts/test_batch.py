"""As in a shell and in CI: exit codes, streams, files, imports, installed copies."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import session

PROGRAM = session.fixture("self_block")
LOADED = session.said_once("strong-refs", "loaded a library")
TO_THE_STOP = (f"breakpoint set --name {session.READY}", "process launch --stdout /dev/null", "up")


def ask(*lines, **options):
    options.setdefault("program", PROGRAM)
    return session.batch(*TO_THE_STOP, *lines, **options)


class ExitCodes(unittest.TestCase):
    def test_nothing_found_is_success(self):
        self.assertEqual(0, ask("retain-cycles --fail-if-found guard",
                                program=session.fixture("ring_of_3")).returncode)

    def test_a_cycle_is_success_too(self):
        finished = ask("retain-cycles seed")
        self.assertEqual(0, finished.returncode)
        self.assertIn("\n1 leaked retain cycle through seed (Owner 0x", finished.stdout)

    def test_fail_if_found_prints_the_report_and_ends_with_1(self):
        finished = ask("retain-cycles --fail-if-found seed", "script print('not reached')")
        self.assertEqual(1, finished.returncode)
        self.assertIn("\n1 leaked retain cycle through seed (Owner 0x", finished.stdout)
        self.assertIn("error: retain-cycles: found 1 leaked retain cycle\n", finished.stderr)
        self.assertNotIn("\nnot reached", finished.stdout)

    def test_an_error_ends_with_2_and_what_newer_lldbs_refuse_with_1(self):
        for statuses, line in (({2}, "retain-cycles nothing"), ({2}, "block-layout seed"),
                               ({1, 2}, "loupe inject x y --z")):
            finished = ask(line, "script print('not reached')")
            self.assertIn(finished.returncode, statuses, finished.stdout)
            # What lldb 22 refuses itself it points at, below the line that was typed.
            self.assertIn("error: ", finished.stderr + finished.stdout)
            self.assertNotIn("\nnot reached", finished.stdout)

    def test_an_incomplete_answer_that_found_something_ends_with_2(self):
        finished = ask("retain-cycles --limit 5 --fail-if-found seed", program=session.fixture("two_knots"))
        self.assertEqual(2, finished.returncode, finished.stdout + finished.stderr)
        self.assertIn("found 1 ", finished.stderr)
        self.assertIn(", and the search is incomplete (objects beyond the limit): raise --limit", finished.stderr)

    def test_the_tool_out_of_memory_ends_with_2_and_what_it_found_with_1(self):
        with tempfile.TemporaryDirectory() as directory:
            tool = pathlib.Path(directory, "loupe")
            tool.write_text("#!/bin/sh\necho loupe: leaks: out of memory >&2; exit 2\n", encoding="utf-8")
            tool.chmod(0o755)
            for status, path in ((2, tool), (1, session.BUILD / "cli" / "loupe")):
                finished = ask(f"script import os; os.environ['LOUPE_TOOL'] = {str(path)!r}",
                               "script frame = lldb.frame; frame.FindVariable('seed').SetValueFromCString('0')",
                               "loupe leaks --fail-if-found", "script print('not reached')")
                self.assertEqual(status, finished.returncode, finished.stdout + finished.stderr)
                self.assertNotIn("\nnot reached", finished.stdout)

    def test_a_script_that_looks_at_the_result_goes_on(self):
        finished = ask("script lldb.debugger.HandleCommand('retain-cycles nothing')", "script print(6 * 7)")
        self.assertEqual(0, finished.returncode, finished.stderr)
        self.assertIn("\n42\n", finished.stdout)

    def test_without_b_lldb_stays(self):
        for arguments in ((), ("--", PROGRAM, "-b")):
            finished = subprocess.run(
                [session.debugger(), "--no-lldbinit", "-o", f'command script import "{session.COMMANDS}"',
                 "-o", "retain-cycles nothing", *arguments],
                input="script print(6 * 7)\n", capture_output=True, text=True, check=False,
                env=session.environment())
            self.assertEqual(0, finished.returncode, finished.stderr)
            self.assertIn("\n42\n", finished.stdout)
            self.assertIn("error: retain-cycles: ", finished.stderr)

    def test_an_unfinished_walk_is_success_and_says_so(self):
        finished = ask("retain-cycles --limit 5 seed", program=session.fixture("ring_of_25"))
        self.assertEqual(0, finished.returncode, finished.stderr)
        self.assertIn("No retain cycle found from seed (", finished.stdout)
        self.assertIn("Not followed: objects beyond the limit (", finished.stdout)


class Files(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name) / "with a space"
        self.directory.mkdir()

    def test_output_holds_the_report_and_the_console_its_first_line(self):
        path = self.directory / "report.txt"
        finished = ask(f'retain-cycles -o "{path}" seed')
        first, second = finished.stdout.splitlines()[-2:]
        self.assertEqual(f"written to {path}", second)
        lines = path.read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0], first)
        self.assertIn("  ╭─▶ Owner 0x", lines[4])

    def test_json_is_one_line_in_a_file_or_on_the_console(self):
        path = self.directory / "cycles.json"
        finished = ask(f'retain-cycles --json -o "{path}" seed', "retain-cycles --json seed")
        in_file = path.read_text(encoding="utf-8")
        self.assertEqual(1, in_file.count("\n"))
        on_console = json.loads(finished.stdout.splitlines()[-1])
        for answer in (json.loads(in_file), on_console):
            self.assertEqual("self", answer["knots"][0]["rings"][0]["edges"][1]["path"])
            del answer["stats"]
        self.assertEqual(json.loads(in_file)["knots"], on_console["knots"])

    def test_a_picture_is_announced_but_not_in_json(self):
        path = self.directory / "knot.dot"
        shown = ask(f'retain-cycles --dot "{path}" seed', f'retain-cycles --dot "{path}" -j seed',
                    f'retain-cycles --dot "{path}" -o /dev/null -j seed').stdout.splitlines()
        announced = [line for line in shown if line.endswith(f" written to {path}")]
        self.assertEqual(2, len(announced), shown)
        self.assertEqual(announced[0], shown[-1])
        answers = [line for line in shown if line.startswith("{")]
        self.assertEqual("retain-cycles", json.loads(*answers)["query"])

    @unittest.skipUnless(shutil.which("dot"), "Graphviz is not installed")
    def test_the_picture_is_taken_by_graphviz(self):
        path = self.directory / "knot.dot"
        ask(f'retain-cycles --dot "{path}" seed', program=session.fixture("many_rings"))
        svg = subprocess.run(["dot", "-Tsvg", str(path)], capture_output=True, check=True)
        self.assertEqual(b"", svg.stderr)
        self.assertGreaterEqual(svg.stdout.count(b'class="edge"'), 6)


class Imports(unittest.TestCase):
    def test_nothing_is_printed(self):
        finished = session.batch()
        self.assertEqual("", finished.stderr)
        lines = finished.stdout.splitlines()  # lldb's own, of what it is told
        self.assertEqual(len(session.QUICK) // 2 + 1, len(lines), finished.stdout)

    def test_twice_is_like_once(self):
        again = f'command script import "{session.COMMANDS}"'
        finished = ask(again, "strong-refs seed", again, "strong-refs seed", "loupe doctor",
                       "block-layout nothing")
        self.assertEqual(2, finished.stdout.count("seed (Owner 0x"))
        self.assertIn("error: block-layout: cannot evaluate nothing: ", finished.stderr)
        self.assertNotIn("internal", finished.stderr)

    def test_from_a_path_with_spaces_and_quotes(self):
        with tempfile.TemporaryDirectory() as directory:
            tree = pathlib.Path(directory) / "it's a tree"
            shutil.copytree(session.COMMANDS, tree / "lldb_commands")
            for name in ("plugin", "helper"):
                (tree / "build" / name).mkdir(parents=True)
                shutil.copy(session.library(name), tree / "build" / name)
            env = session.environment(LOUPE_PLUGIN=None, LOUPE_HELPER=None)
            finished = ask("strong-refs --engine memory seed", "strong-refs --engine helper seed",
                           "loupe doctor", commands=tree / "lldb_commands", env=env)
            self.assertEqual(LOADED, finished.stderr)
            self.assertEqual(2, finished.stdout.count("seed (Owner 0x"))
            self.assertIn(f"plugin    loaded: {os.path.realpath(tree)}/build/plugin/",
                          finished.stdout)
            self.assertIn(f"commands  {os.path.realpath(tree)}/lldb_commands\n", finished.stdout)

    def test_what_others_can_write_is_not_loaded_and_doctor_says_so(self):
        with tempfile.TemporaryDirectory() as directory:
            tree = pathlib.Path(os.path.realpath(directory)) / "tree"
            shutil.copytree(session.COMMANDS, tree / "lldb_commands")
            for name in ("plugin", "helper"):
                (tree / "build" / name).mkdir(parents=True)
                shutil.copy(session.library(name), tree / "build" / name)
                (tree / "build" / name / session.library(name).name).chmod(0o757)
            (tree / "lldb_commands" / "commands.py").chmod(0o666)
            env = session.environment(LOUPE_PLUGIN=None, LOUPE_HELPER=None)
            finished = ask("loupe doctor", "strong-refs seed", commands=tree / "lldb_commands",
                           env=env)
            for name in ("plugin", "helper"):
                self.assertIn(f"{tree}/build/{name}/{session.library(name).name} is not loaded: others "
                              "can write it (chmod go-w ", finished.stdout)
            self.assertIn(f"commands  {tree}/lldb_commands, which is not safe: others can write it",
                          finished.stdout)
            self.assertIn("is not loaded: others can write it", finished.stderr)

    def test_the_path_of_the_checkout_is_as_good(self):
        with tempfile.TemporaryDirectory() as directory:
            tree = pathlib.Path(directory) / "loupe"
            tree.symlink_to(session.SOURCE, target_is_directory=True)
            again = f'command script import "{tree}"'
            finished = ask("strong-refs seed", again, "strong-refs seed", commands=tree)
            self.assertEqual("", finished.stderr)
            self.assertEqual(2, finished.stdout.count("seed (Owner 0x"))

    def test_an_installed_copy(self):
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run(["cmake", "--install", str(session.BUILD), "--prefix", prefix],
                           check=True, capture_output=True)
            installed = pathlib.Path(prefix) / "share" / "loupe"
            env = session.environment(LOUPE_PLUGIN=None, LOUPE_HELPER=None)
            for path in (installed / "lldb_commands", installed):
                finished = ask("strong-refs --engine memory seed",
                               "strong-refs --engine helper seed", "loupe doctor", commands=path,
                               env=env)
                self.assertEqual(LOADED, finished.stderr)
                self.assertEqual(2, finished.stdout.count("seed (Owner 0x"))
                self.assertIn(f"plugin    loaded: {os.path.realpath(prefix)}/lib", finished.stdout)
            finished = ask("strong-refs --engine memory seed", "loupe doctor", commands=installed,
                           env={**env, "LOUPE_PLUGIN": "/nowhere/plugin.so"})
            self.assertEqual("", finished.stderr)
            self.assertIn("seed (Owner 0x", finished.stdout)
            self.assertIn(f"tool      {os.path.realpath(prefix)}/bin/loupe\n", finished.stdout)


class Help(unittest.TestCase):
    NAMES = ("retain-cycles", "block-layout", "ivar-layout", "strong-refs", "loupe doctor",
             "loupe inject")

    def test_every_command_has_a_text_with_usage_and_examples(self):
        for name in self.NAMES:
            with self.subTest(name):
                finished = session.batch(f"help {name}", f"{name} --help")
                self.assertEqual(0, finished.returncode, finished.stderr)
                self.assertEqual(2, finished.stdout.count(f"\nUsage: {name} [options]"))
                if not name.startswith("loupe"):
                    self.assertEqual(2, finished.stdout.count("\nExamples:\n"))

    def test_a_session_that_asks_nothing_loads_what_registers_and_no_more(self):
        finished = session.batch("script import sys; print(sorted(name for name in sys.modules if "
                                 "name.startswith('lldb_commands.')))")
        self.assertIn("['lldb_commands.crashes', "
                      "'lldb_commands.registered', 'lldb_commands.variables', "
                      "'lldb_commands.variables.formatters', 'lldb_commands.verbs']\n", finished.stdout)

    def test_names_of_one_word_are_for_editors(self):
        finished = session.batch("loupe-doctor")
        self.assertIn("loupe-doctor", finished.stderr)
        self.assertNotIn("loupe-", session.batch("apropos leak").stdout)

    def test_apropos_finds_them_by_the_words_people_use(self):
        wanted = {"leak": ("retain-cycles", "strong-refs", "loupe leaks", "loupe cycles"),
                  "retain": ("retain-cycles", "loupe cycles"),
                  "memory": ("loupe heap", "loupe leaks", "loupe diff"),
                  "alive": ("retain-cycles", "strong-refs", "loupe path", "loupe retained"),
                  "cycle": ("retain-cycles", "loupe cycles"), "block": ("block-layout",),
                  "ivar": ("ivar-layout",), "strong": ("strong-refs",)}
        for word, names in wanted.items():
            found = session.batch(f"apropos {word}").stdout
            for name in names:
                self.assertRegex(found, rf"\n  {name} +-- ", word)


if __name__ == "__main__":
    unittest.main()
