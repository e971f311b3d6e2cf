"""The known mistakes, a small program each: `loupe fix` alone patches its source, which compiles without a
warning then; the program's own assertions hold, nothing of it is left, and nothing is used that was freed.
What is not patched is refused, with the reason.

usage: test_known.py LOUPE WAY FLAG... COMMAND...

WAY is a column of the table, COMMAND what compiles SOURCE to PROGRAM in it. Each FLAG begins with a -, and is
one that only what has the mistakes is built with.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import typing
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from share import is_whole, share_of  # noqa: E402

Json = typing.Dict[str, typing.Any]
HERE = pathlib.Path(__file__).resolve().parent
PATTERNS = HERE.parents[1] / "pictures" / "patterns.txt"
LOUPE, WAY = "", ""
TRIES = 3  # a word that is left somewhere by chance may lead to what leaks
MISTAKEN: typing.List[str] = []
COMMAND: typing.List[str] = []
# Freed memory has bytes in it that lead nowhere, also for code that is not built with AddressSanitizer.
SANITIZER = {"ASAN_OPTIONS": "detect_leaks=0:max_free_fill_size=65536", "NSZombieEnabled": "YES"}


class Known(typing.NamedTuple):
    name: str  # of the program, and of the pattern that names it where there is one
    ways: str  # by which it is compiled
    refused: str = ""  # the reason, or a part of it


KNOWN = [Known(*words) for words in (
    ("alert_action", "arc"),
    ("animation_delegate", "arc", "would be nil at once"),
    ("associated_back_reference", "arc"),
    ("block_stored_by_self", "arc"),
    ("block_variable", "arc"),
    ("cell_of_table", "arc"),
    ("child_of_parent", "arc"),
    ("collection_leads_back", "arc"),
    ("completion_handler", "arc"),
    ("control_target", "arc"),
    ("coordinator", "arc"),
    ("cxx_callback", "cxx"),
    ("cxx_lambda", "cxx"),
    ("cxx_observer", "cxx", "may have no other owner"),
    ("cxx_parent", "cxx"),
    ("data_source", "arc"),
    ("delegate", "arc"),
    ("dictionary_leads_back", "arc"),
    ("dispatch_block_kept", "arc"),
    ("dispatch_source_handler", "arc"),
    ("display_link", "arc"),
    ("handlers_in_collection", "arc"),
    ("invocation_target", "gobjc clang"),
    ("items_of_collection", "arc"),
    ("kvo_observer", "arc"),
    ("layer_delegate", "arc"),
    ("linked_list_back", "arc"),
    ("manual_delegate", "gobjc clang"),
    ("manual_observers", "gobjc clang"),
    ("manual_parent", "gobjc clang"),
    ("manual_timer", "gobjc clang"),
    ("map_table", "arc"),
    ("map_table_keys", "arc"),
    ("missing_autorelease", "gobjc clang"),
    ("missing_release_dealloc", "gobjc clang"),
    ("missing_release_early", "gobjc clang"),
    ("missing_release_local", "gobjc clang"),
    ("missing_release_setter", "gobjc clang"),
    ("nested_strong_self", "arc"),
    ("notification_token", "arc"),
    ("observers_in_collection", "arc"),
    ("observers_in_set", "arc"),
    ("operation_block", "arc"),
    ("operation_completion", "arc"),
    ("operation_dependency", "arc", "no place is found"),
    ("proxy_target", "arc"),
    ("recursive_block", "arc"),
    ("thread_target", "gobjc clang"),
    ("timer_block", "arc"),
    ("timer_target", "arc"),
    ("timer_user_info", "arc", "by hand"),
    ("undo_manager", "gobjc clang"),
    ("url_connection_delegate", "arc"),
    ("url_session_delegate", "arc"),
    ("url_task_handler", "arc"),
    ("values_of_dictionary", "arc"),
    ("view_controller_of_view", "arc"),
    ("view_model", "arc"),
    ("web_view_message_handler", "arc", "would be nil at once"),
    ("xpc_handler", "arc"),
)]


def run(*words: typing.Union[str, pathlib.Path], **more: typing.Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, check=False, **more)


def mistakes() -> typing.Dict[str, str]:
    """Those that loops of references show: the names by the names of their programs."""
    sections = re.split(r"^pattern +", PATTERNS.read_text(encoding="utf-8"), flags=re.M)[1:]
    return {section.split("\n", 1)[0].replace("-", "_"): re.search(r"^name +(.+)$", section, re.M)[1]  # type: ignore[index]
            for section in sections if re.search(r"^(ring|change) ", section, re.M)}


def entry_of(found: Json) -> Json:
    """The first, of which the others are a part."""
    entry: Json = found["leaks"][0]
    return entry


class Program:
    """One of them, in a folder of its own."""

    def __init__(self, test: unittest.TestCase, name: str) -> None:
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.test, self.folder = test, pathlib.Path(folder.name)
        self.tree = self.folder / "tree"
        self.tree.mkdir()
        self.source = self.tree / (name + (".cpp" if WAY == "cxx" else ".m"))
        self.source.write_bytes((HERE / "known" / self.source.name).read_bytes())
        self.answer = self.folder / "answer.json"

    def build(self, name: str, *flags: str) -> pathlib.Path:
        program = self.folder / name
        words = {"SOURCE": str(self.source), "PROGRAM": str(program)}
        done = run(*[words.get(word, word) for word in COMMAND], *flags)
        self.test.assertEqual((0, ""), (done.returncode, done.stderr))
        return program

    def ask(self) -> Json:
        """What is left of it, while it waits."""
        with subprocess.Popen([self.build("before", *MISTAKEN), "WAIT"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin and process.stdout
            self.test.assertGreater(int(process.stdout.readline()), 0, "it is no mistake")
            said = run(LOUPE, "leaks", str(process.pid), "--json", "--limit", "0").stdout
            process.stdin.close()
        self.answer.write_text(said, encoding="utf-8")
        found: Json = json.loads(said)
        return found

    def fix(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return run(LOUPE, "fix", self.answer, *words, "--source", self.tree)

    def letters(self, found: Json) -> typing.List[str]:
        """The first fix, or all that only together are enough."""
        knot = entry_of(found).get("knot")
        fixes = knot["fixes"] if knot else []
        texts = [fix["text"] for fix in fixes if fix.get("together")]
        listed = [line.split(None, 1) for line in self.fix().stdout.splitlines()]
        return [name for name, text in listed if text in texts] or ["1a"]

    def check_patched(self) -> None:
        done = run(self.build("after", "-Werror", "-fsanitize=address"), env={**os.environ, **SANITIZER})
        self.test.assertEqual((0, "0\n", ""), (done.returncode, done.stdout, done.stderr), self.source.read_text(encoding="utf-8"))


class KnownMistakes(unittest.TestCase):
    maxDiff = None

    def test_each_has_a_program(self) -> None:
        of_java = {"outer_instance"}
        self.assertEqual(of_java, set(mistakes()) - {known.name for known in KNOWN})
        self.assertEqual({path.stem for path in (HERE / "known").iterdir()} - {"known", "doubles"},
                         {known.name for known in KNOWN})

    def test_each(self) -> None:
        mine = [known for known in KNOWN if WAY in known.ways.split()]
        for known in share_of(mine):
            with self.subTest(known.name):
                self.check(known)
        if is_whole():
            print(f"{WAY}: {len(mine)} known mistakes, {sum(not known.refused for known in mine)} patched")

    def check(self, known: Known) -> None:
        program = Program(self, known.name)
        found = program.ask()
        for _ in range(TRIES):
            if found["leaks"]:
                break
            found = program.ask()
        self.assertIn(len([leak for leak in found["leaks"] if leak["knot"]]), (0, 1))
        if known.name in mistakes():
            self.assertEqual(mistakes()[known.name], entry_of(found).get("mistake"))
        before = program.source.read_bytes()
        for letter in program.letters(found):
            done = program.fix(letter, "--apply", "--force")
            if known.refused:
                self.assertEqual((2, ""), (done.returncode, done.stdout))
                self.assertIn(known.refused, done.stderr)
                self.assertEqual(before, program.source.read_bytes())
                continue
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertEqual(2, program.fix(letter, "--apply", "--force").returncode, "a second time")
        if not known.refused:
            program.check_patched()


if __name__ == "__main__":
    LOUPE, WAY, *rest = sys.argv[1:]
    while rest[0].startswith("-"):
        MISTAKEN.append(rest.pop(0))
    COMMAND = rest
    del sys.argv[1:]
    unittest.main()
