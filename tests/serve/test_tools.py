"""The tools of `loupe serve`: the same answers as the verbs have, page by page, with what to ask next.

usage: test_tools.py LOUPE [RING [GDB]]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import typing
import unittest

from client import Client, Json
from drawn_dump import BOOLEAN, BYTE, INT, OBJECT, Dump, ring, with_java_basics

LOUPE, RING, GDB = (sys.argv[1:] + ["", ""])[:3]
FOLDER = pathlib.Path()


def verb(*words: str) -> Json:
    done = subprocess.run([LOUPE, *words, "--json"], stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)
    answer: Json = json.loads(done.stdout)
    return answer


def is_running(process: str) -> bool:
    """A process that ended and that nobody waited for is none."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def save(name: str, data: bytes) -> str:
    (FOLDER / name).write_bytes(data)
    return str(FOLDER / name)


def activities(destroyed: int, alive: int = 1, fat: int = 0, name: str = "demo/Main") -> bytes:
    """Activities in a cache, of which so many were destroyed."""
    dump = Dump(4, "1.0.3")
    basics = with_java_basics(dump)
    activity = dump.add_class("android/app/Activity", [("mDestroyed", BOOLEAN)],
                              superclass=basics["Object"], size=16)
    main = dump.add_class(name, superclass=activity, size=16)
    held = [dump.instance(main, 0x1000 + 0x20 * i, [1 if i < destroyed else 0])
            for i in range(destroyed + alive)]
    if fat:
        held.append(dump.primitives(8, 0x9000, [0] * fat))
    dump.array(basics["Object[]"], 0x800, held)
    holder = dump.add_class("demo/Holder", statics=[("held", OBJECT, 0x800)],
                            superclass=basics["Object"])
    dump.root(holder.id, 0x05)
    return dump.bytes()


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(LOUPE)
        self.addCleanup(self.client.__exit__)
        self.file = save("ring.hprof", ring().bytes())


class Schemas(Case):
    def test_every_tool_says_what_it_takes_and_that_it_only_reads(self) -> None:
        tools = self.client.request("tools/list")["tools"]
        self.assertEqual([tool["name"] for tool in tools],
                         ["open", "leaks", "cycles", "path", "retained", "suspects", "heap", "find",
                          "show", "threads", "sql", "diff", "propose_patch", "before_after"])
        for tool in tools:
            schema = tool["inputSchema"]
            self.assertEqual(schema["type"], "object")
            self.assertFalse(schema["additionalProperties"])
            self.assertLessEqual(set(schema["required"]), set(schema["properties"]))
            for facts in schema["properties"].values():
                self.assertIn(facts["type"], ("string", "integer", "boolean"))
                self.assertTrue(facts["description"].endswith("."))
            self.assertTrue(tool["annotations"]["readOnlyHint"])
            self.assertFalse(tool["annotations"]["destructiveHint"])
            self.assertFalse(tool["annotations"]["openWorldHint"])

    def test_arguments_that_do_not_fit_are_told_to_who_asked(self) -> None:
        """As results, which a model reads; an error of JSON-RPC goes to its client (MCP 2025-11-25)."""
        wrong: typing.List[Json] = [
            {}, {"file": 3}, {"file": ""}, {"file": "a\0b"}, {"file": "x" * 5000}, {"path": "x"},
            {"file": self.file, "limit": 0}, {"file": self.file, "limit": 501},
            {"file": self.file, "limit": "5"}, {"file": self.file, "limit": 2.5},
            {"file": self.file, "limit": -1}, {"file": self.file, "sort": "age"},
            {"file": self.file, "timeout": 99999}, {"file": self.file, "cursor": "5"},
            {"file": self.file, "cursor": "x-1"}, {"file": self.file, "object": "0x1000"}]
        for arguments in wrong:
            message = self.client.problem("heap", **arguments)
            self.assertTrue(message.isprintable() and message, message)
        for said, arguments in (("sort is one of count|size|retained", {"sort": "age"}),
                                ("limit is a whole number from 1 to 500", {"limit": 0}),
                                ("heap has no argument 'path'; it takes file", {"path": "x"})):
            self.assertIn(said, self.client.problem("heap", file=self.file, **arguments))
        for params in ({}, {"name": 3}, {"name": "rm"}):
            self.assertEqual(self.client.refused("tools/call", **params)[0], -32602, params)

    def test_verbs_that_write_are_no_tools_and_the_others_are(self) -> None:
        """A tool is a verb about a whole heap that only reads: its options are those of the verb."""
        table = {one["name"]: one for one in verb("verbs")["verbs"]}
        tools = {tool["name"]: tool for tool in self.client.request("tools/list")["tools"]}
        of_heaps = {name for name, one in table.items() if one["terminal"] and
                    "mapping" in {option["name"] for option in one["terminal"]["options"]}}
        self.assertEqual(set(tools) - {"open", "propose_patch", "before_after"}, of_heaps - {"snapshot", "functions"})
        for name in set(tools) - {"open", "propose_patch", "before_after"}:
            options = {option["name"].replace("-", "_") for option in table[name]["terminal"]["options"]}
            taken = set(tools[name]["inputSchema"]["properties"])
            self.assertLessEqual(taken - {"file", "before", "after", "object", "class", "sql", "cursor"}, options)

    def test_null_is_an_argument_that_is_not_given(self) -> None:
        self.client.call("heap", file=self.file, limit=None, cursor=None)

    def test_files_that_cannot_be_read_are_problems_of_the_tool(self) -> None:
        os.mkfifo(FOLDER / "fifo")
        damaged = save("damaged", b"JAVA PROFILE 1.0.2\0" + b"\xff" * 40)
        for file, said in ((str(FOLDER / "none"), "No such file"), (str(FOLDER), "directory"),
                           (str(FOLDER / "fifo"), "not a plain file"), ("/dev/zero", "not a plain file"),
                           (save("empty", b""), "empty"), (save("text", b"hello\n"), "unknown file format"),
                           (damaged, "damaged"), ("1", "./1"), (str(os.getpid()), "./")):
            self.assertIn(said, self.client.problem("open", file=file), file)

    def test_objects_that_are_not_there_lead_to_those_that_are(self) -> None:
        result = self.client.result("path", file=self.file, object="0x77")
        self.assertTrue(result["isError"])
        content = result["structuredContent"]
        self.assertEqual(content["answer"]["error"]["code"], "not-an-object")
        self.assertEqual([step["tool"] for step in content["next"]], ["heap"])
        self.assertIn("is not", self.client.problem("path", file=self.file, object="; rm -rf /"))
        self.assertEqual("path needs the argument object or class",
                         self.client.problem("path", file=self.file))

    def test_words_that_look_like_options_are_none(self) -> None:
        content = self.client.call("find", file=self.file, **{"class": "--output=/tmp/x"})
        self.assertEqual(content["answer"]["found"], 0)
        self.assertIn("No such file", self.client.problem("open", file="--help"))


class Answers(Case):
    def test_answers_are_those_of_the_verbs(self) -> None:
        other = save("other.hprof", ring(4).bytes())
        for tool, arguments, words in (
                ("heap", {"sort": "count"}, ["heap", self.file, "--sort", "count"]),
                ("find", {"class": "demo.*"}, ["find", self.file, "demo.*", "--limit", "0"]),
                ("threads", {}, ["threads", self.file]),
                ("sql", {"sql": "select class, size from objects where class = 'demo.Node'"},
                 ["sql", self.file, "select class, size from objects where class = 'demo.Node'"]),
                ("show", {"object": "0x1020"}, ["show", self.file, "0x1020"]),
                ("show", {"object": "0x2000"}, ["show", self.file, "0x2000"]),
                ("suspects", {}, ["suspects", self.file]),
                ("cycles", {}, ["cycles", self.file]),
                ("path", {"class": "demo.Node", "limit": 9},
                 ["path", self.file, "--to-class", "demo.Node", "-n", "9"]),
                ("path", {"object": "0x1020", "limit": 5}, ["path", self.file, "0x1020", "-n", "5"]),
                ("retained", {}, ["retained", self.file]),
                ("retained", {"object": "0x1020"}, ["retained", self.file, "0x1020"]),
                ("retained", {"class": "demo.*"}, ["retained", self.file, "--class", "demo.*"])):
            content = self.client.call(tool, file=self.file, **arguments)
            self.assertEqual(content["answer"], verb(*words), (tool, arguments))
            self.assertEqual(content["left_out"], [])
        self.assertEqual(self.client.call("diff", before=self.file, after=other)["answer"],
                         verb("diff", self.file, other))

    def test_the_command_that_is_told_gives_the_same_answer(self) -> None:
        content = self.client.call("suspects", file=self.file)
        (command,) = content["commands"]
        self.assertEqual(command[0], "loupe")
        done = subprocess.run([LOUPE, *command[1:]], capture_output=True, check=True)
        self.assertEqual(json.loads(done.stdout), content["answer"])

    def test_pages_are_the_whole_once(self) -> None:
        whole = verb("heap", self.file, "--limit", "0")["classes"]
        rows: typing.List[Json] = []
        arguments: Json = {"file": self.file, "limit": 3}
        while arguments:
            content = self.client.call("heap", **arguments)
            page = content["page"]
            self.assertEqual((page["list"], page["first"]), ("classes", len(rows)))
            self.assertEqual(page["shown"], len(content["answer"]["classes"]))
            rows += content["answer"]["classes"]
            self.assertEqual(page["has_more"], len(rows) < len(whole))
            more = [step for step in content["next"] if "cursor" in step["arguments"]]
            self.assertEqual(len(more), 1 if page["has_more"] else 0)
            arguments = more[0]["arguments"] if more else {}
        self.assertEqual(rows, whole)

    def test_cursors_are_of_one_call_and_one_state_of_the_file(self) -> None:
        cursor = self.client.call("heap", file=self.file, limit=2)["page"]["cursor"]
        self.client.call("heap", file=self.file, limit=4, cursor=cursor)
        for name, arguments in (("heap", {"sort": "count"}), ("heap", {"class": "demo.*"}),
                                ("suspects", {})):
            self.assertIn("another call", self.client.problem(name, file=self.file, cursor=cursor,
                                                              **arguments))
        save("ring.hprof", ring(4).bytes())
        self.assertIn("another call", self.client.problem("heap", file=self.file, limit=2, cursor=cursor))

    def test_a_file_that_changed_is_read_again(self) -> None:
        before = self.client.call("open", file=self.file)["answer"]["snapshot"]["objects"]
        save("ring.hprof", activities(3))
        after = self.client.call("open", file=self.file)["answer"]["snapshot"]["objects"]
        self.assertNotEqual(before, after)

    def test_every_next_call_can_be_made_as_it_stands(self) -> None:
        file = save("activities.hprof", activities(3))
        asked = set()
        left: typing.List[typing.Tuple[str, Json]] = [("open", {"file": file})]
        left.append(("diff", {"before": self.file, "after": file}))
        while left:
            tool, arguments = left.pop()
            key = tool + json.dumps(arguments, sort_keys=True)
            if key in asked or len(asked) > 60:
                continue
            asked.add(key)
            steps = self.client.call(tool, **arguments)["next"]
            self.assertTrue(all(step["why"] for step in steps))
            left += [(step["tool"], step["arguments"]) for step in steps]
        self.assertLessEqual({"open", "heap", "suspects", "retained", "find", "path", "cycles",
                              "diff", "before_after"}, {key.split("{")[0] for key in asked})

    def test_an_answer_has_a_bound_and_says_what_was_cut(self) -> None:
        file = save("many.hprof", activities(3000, name="demo/" + "Main" * 900))
        result = self.client.result("suspects", file=file)
        content = result["structuredContent"]
        self.assertLess(len(result["content"][0]["text"]), 200_000)
        (group,) = (one for one in content["answer"]["suspects"] if one["kind"] == "rule")
        self.assertEqual((group["count"], len(group["addresses"])), (3000, 50))
        cut = {left["where"]: left for left in content["left_out"]}
        self.assertEqual(cut["suspects[].addresses"]["values"], 2950)
        self.assertEqual(cut["suspects[]"]["bytes"] % (len("demo." + "Main" * 900) - 2000), 0)
        content = self.client.call("find", file=file, limit=500, **{"class": "demo.*"})
        self.assertLess(content["page"]["shown"], 500)
        self.assertTrue(content["page"]["has_more"])
        self.assertLess(len(json.dumps(content)), 200_000)
        self.assertEqual(content["page"]["cursor"].split("-")[0], str(content["page"]["shown"]))

    def test_what_is_lost_of_a_file_is_incomplete(self) -> None:
        file = save("cut.hprof", ring().bytes()[:-40])
        content = self.client.call("open", file=file)
        self.assertEqual(content["answer"]["status"], "incomplete")
        self.assertTrue(content["answer"]["not_followed"])

    def test_hostile_names_are_data(self) -> None:
        for name in ("\x1b[31mred", "a\nb\r", "\u202e", "<script>", '"}],"isError":true', "%s%n"):
            file = save("hostile.hprof", activities(1, name="demo/" + name))
            answer = self.client.call("suspects", file=file)["answer"]
            self.assertEqual(answer["suspects"][0]["class"], "demo." + name)


class Folders(Case):
    def test_only_files_within_are_read(self) -> None:
        (FOLDER / "in").mkdir()
        inside = save("in/ring.hprof", ring().bytes())
        (FOLDER / "inner").mkdir()
        beside = save("inner/ring.hprof", ring().bytes())
        (FOLDER / "in/link").symlink_to(self.file)
        with Client(LOUPE, "--within", str(FOLDER / "in"), cwd=FOLDER) as client:
            client.call("open", file=inside)
            client.call("open", file="in/../in/ring.hprof")
            for file in (self.file, beside, str(FOLDER / "in/link"), "in/../ring.hprof",
                         str(FOLDER / "none"), str(FOLDER / "in/none")):
                self.assertIn("not within", client.problem("open", file=file), file)
            self.assertIn("not within", client.problem("open", file=inside, program="/bin/ls"))

    def test_options_that_make_no_sense_are_refused(self) -> None:
        for words in (["--keep", "0"], ["--keep", "17"], ["--keep"], ["--memory", "x"], ["x"],
                      ["--within", str(FOLDER / "none")], ["--timeout", "0"]):
            done = subprocess.run([LOUPE, "serve", *words], stdin=subprocess.DEVNULL, text=True,
                                  capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertEqual(done.stderr.count("\n"), 1)


def secrets() -> bytes:
    """A string, a number and a static number that are nobody else's business."""
    dump = Dump(4, "1.0.2")
    basics = with_java_basics(dump)
    dump.primitives(BYTE, 0x1240, list(b"secret-word"))
    dump.instance(basics["String"], 0x1200, [0x1240, 0])
    user = dump.add_class("demo/User", [("name", OBJECT), ("number", INT)],
                          statics=[("last", INT, 47114711)], superclass=basics["Object"])
    dump.root(dump.instance(user, 0x5000, [0x1200, 47114711]))
    dump.root(user.id, 0x05)
    return dump.bytes()


class Values(Case):
    def all_answers(self, *options: str) -> str:
        file = save("secrets.hprof", secrets())
        of_class = "select text(object), field(object, 'number') from objects"
        with Client(LOUPE, *options) as client:
            return json.dumps([
                client.call("show", file=file, object="0x5000"),
                client.call("show", file=file, object="0x1200"),
                client.call("find", file=file, **{"class": "*"}),
                client.call("path", file=file, object="0x1240"),
                client.call("retained", file=file),
                client.call("suspects", file=file),
                client.call("sql", file=file, sql=of_class),
                client.call("sql", file=file, sql="select * from fields"),
                client.call("sql", file=file, sql="select * from strings")])

    def test_they_are_left_out_where_that_is_asked_for(self) -> None:
        whole, without = self.all_answers(), self.all_answers("--no-values")
        for secret in ("secret-word", "47114711"):
            self.assertIn(secret, whole)
            self.assertNotIn(secret, without)
        for name in ("demo.User", "number", "0x1240"):
            self.assertIn(name, without)


class Kept(Case):
    def children(self, client: Client) -> typing.List[str]:
        return subprocess.run(["ps", "-o", "pid=", "--ppid", str(client.process.pid)],
                              capture_output=True, text=True, check=False).stdout.split()

    def test_no_more_files_are_open_than_were_told(self) -> None:
        files = [save(f"{number}.hprof", ring().bytes()) for number in range(5)]
        with Client(LOUPE, "--keep", "2") as client:
            for file in files:
                client.call("open", file=file)
                self.assertLessEqual(len(self.children(client)), 2)
            last = self.children(client)
            client.call("heap", file=files[4])
            client.call("heap", file=files[3])
            self.assertEqual(self.children(client), last)
            client.call("diff", before=files[3], after=files[4])
            self.assertEqual(len(self.children(client)), 2)
            client.call("heap", file=files[3])
            self.assertEqual(len(self.children(client)), 2)

    def test_they_end_with_the_server(self) -> None:
        with Client(LOUPE) as client:
            client.call("open", file=self.file)
            (child,) = self.children(client)
            client.process.kill()
            client.process.wait()
            for _ in range(600):
                if not is_running(child):
                    break
                time.sleep(0.1)
            self.assertFalse(is_running(child))

    @unittest.skipIf(b"ERROR: AddressSanitizer" in pathlib.Path(LOUPE).read_bytes(),
                     "sanitizers reserve more than any limit")
    def test_memory_has_a_limit_and_the_server_goes_on(self) -> None:
        file = save("large.hprof", activities(10, fat=8_000_000))
        with Client(LOUPE, "--keep", "1", "--memory", "1") as client:
            self.assertIn("memory", client.problem("heap", file=file).lower())
            client.request("ping")


class Verdicts(Case):
    def verdict(self, before: bytes, after: bytes, **arguments: typing.Any) -> Json:
        files = {"before": save("before", before), "after": save("after", after)}
        answer: Json = self.client.call("before_after", **files, **arguments)["answer"]
        self.assertEqual(answer["verdict"] == "pass",
                         all(check["result"] == "pass" for check in answer["reasons"]))
        return answer

    def failed(self, answer: Json) -> typing.List[str]:
        return [check["check"] for check in answer["reasons"] if check["result"] == "fail"]

    def test_what_is_gone_is_fixed(self) -> None:
        answer = self.verdict(activities(2), activities(0))
        self.assertEqual((answer["verdict"], answer["status"]), ("pass", "ok"))
        (gone,) = answer["gone"]
        self.assertEqual((gone["class"], gone["before"], gone["after"]), ("demo.Main", 2, 0))
        self.assertEqual((answer["remaining"], answer["more"]), ([], []))

    def test_what_is_still_there_is_not(self) -> None:
        answer = self.verdict(activities(2), activities(1))
        self.assertEqual(self.failed(answer), ["fixed"])
        self.assertEqual([(kind["before"], kind["after"]) for kind in answer["remaining"]], [(2, 1)])

    def test_more_of_them_or_new_ones_fail(self) -> None:
        self.assertEqual(self.failed(self.verdict(activities(1), activities(2))),
                         ["fixed", "no-more-leaks"])
        self.assertEqual(self.failed(self.verdict(activities(0), activities(1))), ["no-more-leaks"])

    def test_two_sound_heaps_pass(self) -> None:
        self.assertEqual(self.verdict(activities(0), activities(0))["verdict"], "pass")

    def test_the_leak_that_is_named_has_to_be_gone(self) -> None:
        name = verb("suspects", save("x", activities(1)))["suspects"][0]["fingerprint"]
        self.assertEqual(self.verdict(activities(1), activities(0), fingerprint=name)["verdict"], "pass")
        self.assertEqual(self.failed(self.verdict(activities(1), activities(1), fingerprint=name)),
                         ["fixed"])
        self.assertEqual(self.failed(self.verdict(activities(0), activities(0), fingerprint=name)),
                         ["fixed"])
        self.assertEqual(self.failed(self.verdict(activities(1), activities(0), fingerprint="x")),
                         ["fixed"])

    def test_growth_is_judged_where_it_has_a_bound(self) -> None:
        small, large = activities(0), activities(0, fat=5000)
        self.assertEqual(self.verdict(small, large)["growth"]["bytes"] > 5000, True)
        self.assertEqual(self.verdict(small, large)["verdict"], "pass")
        self.assertEqual(self.failed(self.verdict(small, large, max_growth=4000)), ["growth"])
        self.assertEqual(self.verdict(small, large, max_growth=9000)["verdict"], "pass")
        self.assertEqual(self.verdict(large, small, max_growth=0)["verdict"], "pass")
        self.assertLess(self.verdict(large, small)["growth"]["bytes"], -4999)

    def test_what_was_not_read_in_full_does_not_pass(self) -> None:
        answer = self.verdict(activities(1), activities(0)[:-30])
        self.assertIn("complete", self.failed(answer))
        self.assertEqual(answer["status"], "incomplete")

    def test_a_file_that_is_none_is_a_problem(self) -> None:
        self.assertIn("unknown file format", self.client.problem("before_after", before=self.file,
                                                          after=save("text", b"hello\n")))


@unittest.skipUnless(RING, "there is no compiler for programs in Objective-C with blocks")
class Native(Case):
    def heap(self, name: str, *words: str) -> str:
        """A snapshot of a program with a ring, or without when it gets a word."""
        with subprocess.Popen([RING, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdout
            while process.stdout.readline() != b"ready\n":
                pass
            file = str(FOLDER / name)
            taken = subprocess.run([LOUPE, "snapshot", str(process.pid), file], check=False,
                                   capture_output=True)
            if GDB and name == "core":
                subprocess.run([GDB, "-nx", "-p", str(process.pid), "-batch", "-ex",
                                f"generate-core-file {file}"], capture_output=True, check=False)
            process.kill()
        if taken.returncode not in (0, 2):
            self.skipTest(taken.stderr.decode())
        return file

    def test_leaks_lead_to_their_ring(self) -> None:
        file = self.heap("ring.loupe")
        content = self.client.call("leaks", file=file)
        self.assertEqual(content["answer"], verb("leaks", file))
        (leak,) = content["answer"]["leaks"]
        self.assertEqual(leak["kind"], "cycle")
        (step,) = content["next"]
        self.assertEqual((step["tool"], step["arguments"]["object"]), ("cycles", leak["head"]))
        answer = self.client.call("cycles", **step["arguments"])["answer"]
        self.assertEqual([knot["verdict"] for knot in answer["knots"]], ["leaked"])
        self.assertTrue(answer["objects"])

    def test_a_fix_is_told_from_none(self) -> None:
        with_ring, without = self.heap("ring.loupe"), self.heap("sound.loupe", "sound")
        answer = self.client.call("before_after", before=with_ring, after=without)["answer"]
        self.assertEqual((answer["verdict"], len(answer["gone"])), ("pass", 1))
        answer = self.client.call("before_after", before=without, after=with_ring)["answer"]
        self.assertEqual(answer["verdict"], "fail")
        self.assertEqual([kind["kind"] for kind in answer["more"]], ["cycle"])

    def test_a_patch_is_proposed_and_nothing_written(self) -> None:
        """As the line prints it; a fix is a number and a letter, and no option of the line."""
        file = self.heap("ring.loupe")
        source = FOLDER / "source"
        source.mkdir(exist_ok=True)
        (source / "other.m").write_text("@interface Other\n@end\n")
        said = self.client.call("propose_patch", file=file, source=str(source))["answer"]
        self.assertEqual(said["choices"], json.loads(subprocess.check_output([LOUPE, "fix", file, "--json"]))["choices"])
        self.assertTrue(said["choices"])
        content = self.client.result("propose_patch", file=file, source=str(source), fix="1a")
        self.assertTrue(content["isError"])  # its class is not in that folder
        for fix in ("--apply", "1a ", "a1", "", "1", "1234567a", 3):
            self.assertTrue(self.client.problem("propose_patch", file=file, source=str(source), fix=fix))
        self.assertIn("needs the argument source", self.client.problem("propose_patch", file=file))
        self.assertEqual(["other.m"], os.listdir(source))

    @unittest.skipUnless(GDB, "no gdb, which writes the core")
    def test_a_core_is_asked_itself_about_an_object(self) -> None:
        file = self.heap("core")
        (leak,) = self.client.call("leaks", file=file)["answer"]["leaks"]
        answer = self.client.call("cycles", file=file, object=leak["head"])["answer"]
        self.assertEqual(answer["query"], "retain-cycles")
        self.assertEqual(answer["knots"], verb("cycles", file, leak["head"])["knots"])
        with Client(LOUPE, "--no-values") as client:
            self.assertIn("--no-values", client.problem("cycles", file=file, object=leak["head"]))

    def test_java_and_native_are_not_compared(self) -> None:
        file = self.heap("ring.loupe")
        content = self.client.result("before_after", before=self.file, after=file)
        self.assertIn("same kind", json.dumps(content))
        self.assertTrue(content["isError"])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        FOLDER = pathlib.Path(name)
        unittest.main(argv=sys.argv[:1])
