"""Heap dumps that are drawn byte by byte: every form that there is, and every way to be damaged.

usage: test_drawn.py LOUPE
"""
import gzip
import json
import os
import pathlib
import random
import resource
import struct
import subprocess
import sys
import tempfile
import typing
import unittest

import zstd
from drawn_dump import BYTE, CHAR, INT, LONG, OBJECT, Class, Dump, ring, with_java_basics

LOUPE = ""
HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path()
PACKERS = [gzip.compress, *([zstd.compress] if "LOUPE_HAS_ZSTD" in os.environ and zstd.compress else [])]
Answer = typing.Dict[str, typing.Any]
FORMS = [(8, "1.0.2", True), (4, "1.0.2", True), (8, "1.0.1", False), (4, "1.0.1", False),
         (4, "1.0.3", True)]
LOST = "heap segment left at a record"


def run(*words: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([LOUPE, *words], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=1800, check=False)


def save(data: bytes, name: str = "drawn.hprof") -> str:
    path = FOLDER / name
    path.write_bytes(data)
    return str(path)


def ask(verb: str, file: str, *words: str) -> Answer:
    """The exit status says whether the answer is complete, too."""
    done = run(verb, file, *words, "--json")
    answer: Answer = json.loads(done.stdout)
    assert done.returncode == {"ok": 0, "incomplete": 2}[answer["status"]], (verb, words, done)
    return answer


def answer_of(words: typing.List[str], file: str) -> Answer:
    return ask(words[0], file, *words[1:])


def counts(answer: Answer) -> typing.Dict[str, int]:
    return {entry["class"]: entry["count"] for entry in answer["classes"]}


def reasons(answer: Answer) -> typing.Dict[str, int]:
    return {entry["reason"]: entry["count"] for entry in answer["not_followed"]}


def path_of(file: str, address: int) -> Answer:
    paths = ask("path", file, hex(address))["paths"]
    assert len(paths) == 1, paths
    found: Answer = paths[0]
    return found


def steps(path: Answer) -> typing.List[str]:
    return [edge["path"] for edge in path["edges"]]


class Forms(unittest.TestCase):
    """The same heap, in each form that dumps have."""

    def test_objects_classes_and_links_are_the_same_in_every_form(self) -> None:
        for form in FORMS:
            answer = ask("heap", save(ring(*form).bytes()), "--limit", "0")
            self.assertEqual((answer["status"], counts(answer)["demo.Node"]), ("ok", 4), form)
            self.assertEqual(counts(answer)["java.lang.Object[]"], 1)
            self.assertEqual(counts(answer)["byte[]"], 1)
            self.assertEqual(answer["snapshot"]["roots"], 5)

    def test_fields_elements_and_statics_are_named(self) -> None:
        for form in FORMS:
            file = save(ring(*form).bytes())
            self.assertEqual(steps(path_of(file, 0x1020)), ["cache", "[2]"], form)
            self.assertEqual(steps(path_of(file, 0x1040)), ["cache", "[2]", "next"], form)

    def test_what_only_a_weak_reference_leads_to_is_garbage(self) -> None:
        for form in FORMS:
            objects = ask("find", save(ring(*form).bytes()), "demo.Node")["objects"]
            reachable = {entry["address"]: entry["reachable"] for entry in objects}
            self.assertEqual(reachable, {"0x1000": True, "0x1020": True, "0x1040": True,
                                         "0x1080": False}, form)

    def test_a_thread_is_named_with_the_frame_that_holds(self) -> None:
        for form in FORMS:
            root = path_of(save(ring(*form).bytes()), 0x1400)["root"]
            self.assertEqual((root["kind"], root["thread"]), ("local variable", "main"), form)
            self.assertEqual(root["frame"], {"class": "demo.Main", "method": "main",
                                             "source": "Main.java", "line": 34})

    def test_frames_are_counted_within_their_thread(self) -> None:
        dump = ring()
        serial = dump.load_class(0x7f0000, "demo/Other")
        dump.frame(0x601, "wait", "Other.java", serial, 56)
        dump.frame(0x602, "work", "Other.java", serial, 78)
        dump.trace(9, 2, [0x601, 0x602])
        dump.array(Class(0x700400, "[Ljava/lang/Object;", [], None), 0x4000, [])
        dump.array(Class(0x700400, "[Ljava/lang/Object;", [], None), 0x4100, [])
        dump.root(0x4000, 0x08, 2, 9)
        dump.root(0x4100, 0x03, 2, 1)
        file = save(dump.bytes())
        self.assertEqual(path_of(file, 0x4100)["root"]["frame"],
                         {"class": "demo.Other", "method": "work", "source": "Other.java",
                          "line": 78})
        shown = run("path", file, "0x4100").stdout.decode()
        self.assertIn("in demo.Other.work(Other.java:78)", shown)

    def test_strings_are_shown_by_value(self) -> None:
        objects = ask("find", save(ring().bytes()), "java.lang.String")["objects"]
        self.assertEqual([entry["value"] for entry in objects], ['"main"'])

    def test_threads_have_stacks_with_locals(self) -> None:
        for form in FORMS:
            file = save(ring(*form).bytes())
            thread, = ask("threads", file)["threads"]
            self.assertEqual(("main", False, "0x1300"),
                             (thread["name"], thread["out_of_memory"], thread["object"]["address"]))
            self.assertEqual([("run", 12, ["0x1000"]), ("main", 34, ["0x1400"])],
                             [(frame["method"], frame["line"],
                               [local["object"]["address"] for local in frame["locals"]])
                              for frame in thread["frames"]])
        shown = run("threads", file).stdout.decode()
        self.assertIn('Thread "main" 0x1300: its variables keep ', shown)
        self.assertRegex(shown, r"at demo.Main.run\(Main.java:12\)\n +demo.Node 0x1000, keeps ")

    def test_thread_that_ran_out_of_memory_comes_first(self) -> None:
        dump = ring()
        error = dump.load_class(0x7f0000, "java/lang/OutOfMemoryError")
        dump.frame(0x601, "<init>", "OutOfMemoryError.java", error, 48)
        dump.trace(9, 2, [0x601])
        dump.instance(Class(0x700500, "java/lang/Thread", [("name", OBJECT)], None), 0x5000, [0])
        dump.root(0x5000, 0x08, 2, 9)
        first, second = ask("threads", save(dump.bytes()))["threads"]
        self.assertTrue(first["out_of_memory"] and first["serial"] == 2)
        self.assertEqual((second["name"], second["out_of_memory"]), ("main", False))

    def test_elements_of_large_arrays_are_exported_at_their_places(self) -> None:
        dump = Dump()
        array = with_java_basics(dump)["Object[]"]
        node = dump.add_class("demo/Node")
        dump.array(array, 0x2000, [0, *(0x100000 + 16 * (i % 4) for i in range(200000))])
        for i in range(4):
            dump.instance(node, 0x100000 + 16 * i, [])
        dump.root(0x2000)
        folder = FOLDER / "large.csv"
        self.assertEqual(run("snapshot", save(dump.bytes()), str(folder)).returncode, 0)
        rows = (folder / "edges.csv").read_text().splitlines()
        self.assertEqual(sum('"[' in row for row in rows), 200000)
        self.assertTrue(any(row.endswith('"[200000]"') for row in rows))

    def text_of(self, dump: Dump, string: Class, array: int, *more: int) -> str:
        dump.instance(string, 0x3000, [array, *more])
        dump.root(0x3000)
        found: str = ask("show", save(dump.bytes()), "0x3000")["object"]["value"]
        return found

    def test_strings_of_java_8_are_arrays_of_char(self) -> None:
        dump = Dump()
        string = dump.add_class("java/lang/String", [("value", OBJECT), ("hash", INT)])
        dump.primitives(CHAR, 0x3100, [0x16, 0x416, 0xd83d, 0xde00])
        self.assertEqual(self.text_of(dump, string, 0x3100, 0), '"\x16\u0416\U0001f600"')

    def test_strings_of_java_7_are_parts_of_arrays(self) -> None:
        dump = Dump()
        string = dump.add_class("java/lang/String", [("value", OBJECT), ("offset", INT),
                                                     ("count", INT)])
        dump.primitives(CHAR, 0x3100, [ord(letter) for letter in "a string"])
        self.assertEqual(self.text_of(dump, string, 0x3100, 2, 3), '"str"')

    def test_wide_strings_stand_as_in_the_machine_since_java_9(self) -> None:
        for order, shifts in (("little", (0, 8)), ("big", (8, 0)), ("little", None)):
            dump = Dump()
            string = with_java_basics(dump)["String"]
            if shifts:
                dump.add_class("java/lang/StringUTF16",
                               statics=[("MAX_LENGTH", LONG, 5), ("HI_BYTE_SHIFT", INT, shifts[0]),
                                        ("LO_BYTE_SHIFT", INT, shifts[1])])
            units = b"".join(unit.to_bytes(2, typing.cast(typing.Any, order))
                             for unit in (0x41, 0x416, 0xd83d, 0xde00, 0xd83d))
            dump.primitives(BYTE, 0x3100, [(byte + 128) % 256 - 128 for byte in units])
            self.assertEqual(self.text_of(dump, string, 0x3100, 1), '"A\u0416\U0001f600\ufffd"')
            saved = str(FOLDER / "wide.loupe")
            self.assertEqual(run("snapshot", str(FOLDER / "drawn.hprof"), saved).returncode, 0)
            self.assertEqual(ask("show", saved, "0x3000")["object"]["value"],
                             '"A\u0416\U0001f600\ufffd"', order)

    def test_collections_that_lead_back_to_themselves_end(self) -> None:
        dump = Dump()
        basics = with_java_basics(dump)
        mapped = dump.add_class("java/util/HashMap", [("table", OBJECT), ("size", INT)])
        node = dump.add_class("java/util/HashMap$Node", [("key", OBJECT), ("value", OBJECT),
                                                         ("next", OBJECT)])
        linked = dump.add_class("java/util/LinkedList", [("first", OBJECT), ("size", INT)])
        links = dump.add_class("java/util/LinkedList$Node", [("item", OBJECT), ("next", OBJECT)])
        tree = dump.add_class("java/util/TreeMap", [("root", OBJECT), ("size", INT)])
        entry = dump.add_class("java/util/TreeMap$Entry", [("key", OBJECT), ("value", OBJECT),
                                                           ("left", OBJECT), ("right", OBJECT)])
        kept = dump.add_class("java/util/HashSet", [("map", OBJECT)])
        dump.instance(mapped, 0x4000, [0x4100, 3])
        dump.array(basics["Object[]"], 0x4100, [0, 0x4200])
        dump.instance(node, 0x4200, [0x4000, 0x4000, 0x4200])
        dump.instance(linked, 0x4300, [0x4400, -1])
        dump.instance(links, 0x4400, [0x4400, 0x4500])
        dump.instance(links, 0x4500, [0x4500, 0x4400])
        dump.instance(tree, 0x4600, [0x4700, 1 << 30])
        dump.instance(entry, 0x4700, [0x4000, 0x4000, 0x4700, 0x4700])
        dump.instance(kept, 0x4800, [0x4800])
        dump.root(0x4000)
        file = save(dump.bytes())
        for address in (0x4000, 0x4300, 0x4600, 0x4800):
            answer = ask("show", file, hex(address))
            self.assertLessEqual(answer["item_count"], answer["snapshot"]["objects"] + 1)
            self.assertIn(answer["collection"], ("map", "list", "set"))

    def test_collections_of_android(self) -> None:
        dump = Dump(4, "1.0.3")
        basics = with_java_basics(dump)
        array = dump.add_class("android/util/ArrayMap", [("mArray", OBJECT), ("mSize", INT)])
        sparse = dump.add_class("android/util/SparseArray", [("mKeys", OBJECT), ("mValues", OBJECT),
                                                             ("mSize", INT)])
        item = dump.add_class("demo/Item")
        for address in (0x5000, 0x5010, 0x5020):
            dump.instance(item, address, [])
        dump.instance(array, 0x5100, [0x5110, 1])
        dump.array(basics["Object[]"], 0x5110, [0x5000, 0x5010, 0x5020, 0])  # the last one is unused
        dump.instance(sparse, 0x5200, [0x5210, 0x5220, 2])
        dump.primitives(INT, 0x5210, [-7, 9, 11])
        dump.array(basics["Object[]"], 0x5220, [0x5000, 0x5010, 0x5020])
        dump.root(0x5100)
        file = save(dump.bytes())
        self.assertEqual([("0x5000", "0x5010")],
                         [(item["key"]["object"]["address"], item["object"]["address"])
                          for item in ask("show", file, "0x5100")["items"]])
        self.assertEqual([(-7, "0x5000"), (9, "0x5010")],
                         [(item["key"]["value"], item["object"]["address"])
                          for item in ask("show", file, "0x5200")["items"]])

    def test_packed_whole_and_in_blocks(self) -> None:
        data = ring().bytes()
        want = ask("heap", save(data))
        for compress in PACKERS:
            blocks = b"".join(compress(data[start:start + 300]) for start in range(0, len(data), 300))
            for packed in (compress(data), blocks):
                self.assertEqual(ask("heap", save(packed, "packed")), want)

    def test_packed_and_damaged(self) -> None:
        data = ring().bytes()
        damaged = "packed data that are damaged, or end too early"
        for compress in PACKERS:
            packed = b"".join(compress(data[start:start + 300]) for start in range(0, len(data), 300))
            for file in (packed + b"junk", packed + packed[:-5], packed + packed[:2], packed[:-1]):
                answer = ask("heap", save(file, "packed"))
                self.assertEqual(answer["status"], "incomplete")
                self.assertEqual(reasons(answer)[damaged], 1)
            self.assertEqual(ask("heap", save(packed + bytes(3000), "packed"))["status"], "ok")
            self.assertEqual(run("heap", save(packed[:4] + bytes(99), "packed")).returncode, 2)
        packed = gzip.compress(data)
        for file in (packed[:-8] + b"\1" + packed[-7:], packed[:-3]):
            answer = ask("heap", save(file, "packed"))
            self.assertEqual((answer["status"], counts(answer)["demo.Node"]), ("incomplete", 4))

    def test_packed_and_cut_off(self) -> None:
        packed = gzip.compress(ring().bytes())
        answer = ask("heap", save(packed[:len(packed) * 3 // 4], "packed.gz"))
        self.assertEqual(answer["status"], "incomplete")

    def test_one_of_several_dumps(self) -> None:
        first, second = ring(), ring()
        second.instance(Class(0x700800, "demo/Node", [("next", OBJECT), ("number", INT)], None),
                        0x5000, [0, 1])
        file = save(first.bytes() + second.body())
        choices: typing.List[typing.Tuple[typing.List[str], int]] = [
            (["--dump", "1"], 4), (["--dump", "2"], 5), ([], 5)]
        for words, nodes in choices:
            answer = ask("heap", file, *words)
            self.assertEqual(counts(answer)["demo.Node"], nodes, words)
            self.assertEqual(reasons(answer)["other dump in the same file"], 1)
            self.assertEqual(answer["status"], "ok")
        self.assertEqual(run("heap", file, "--dump", "3").returncode, 2)

    def test_ids_that_are_odd_serial_or_far_apart(self) -> None:
        for first, step in ((1, 2), (1, 1), (1 << 45, 1 << 45), (0xfffffffffff00000, 3)):
            def place(number: int) -> int:
                return first + step * number

            dump = Dump()
            basics = with_java_basics(dump)
            for number in range(200):
                dump.array(basics["Object[]"], place(number), [place((number + 1) % 200)])
            dump.root(place(0))
            file = save(dump.bytes())
            answer = ask("heap", file)
            self.assertEqual((answer["status"], counts(answer)["java.lang.Object[]"]), ("ok", 200))
            self.assertEqual(path_of(file, first + 150 * step)["length"], 150)

    def test_android_roots_heaps_and_arrays_without_data(self) -> None:
        dump = Dump(4, "1.0.3")
        basics = with_java_basics(dump)
        for number, tag in enumerate((0x89, 0x8a, 0x8b, 0x8c, 0x8d)):
            dump.heap_info(65, "app")
            dump.array(basics["Object[]"], 0x71 + 2 * number, [])
            dump.root(0x71 + 2 * number, tag)
        dump.array(basics["Object[]"], 0x91, [])
        dump.root(0x91, 0x90)  # "unreachable" is no root
        dump.root(0x71, 0x8e, 1, 0)
        dump.raw(b"\xc3" + dump.id(0xa1) + struct.pack(">IIB", 0, 7, INT))
        answer = ask("heap", save(dump.bytes()))
        self.assertEqual((answer["status"], answer["snapshot"]["roots"]), ("ok", 6))
        self.assertEqual(counts(answer)["int[]"], 1)
        found = ask("find", save(dump.bytes()), "java.lang.Object[[]]")["objects"]
        self.assertEqual(found, [])
        found = ask("find", save(dump.bytes()), "java.lang.Object[]")["objects"]
        self.assertEqual([entry["address"] for entry in found if not entry["reachable"]], ["0x91"])

    def android_heaps(self, twice: int = -1) -> str:
        """Node 0 and 1 are in the app's heap, 2 in that of zygote, 3 in none: a segment begins. An
        object that is there twice stands where `twice` says."""
        dump = Dump(4, "1.0.3", segments=False)
        node = dump.add_class("demo.Node", [("next", OBJECT)], size=16)
        dump.heap_info(90, "zygote")
        for number, heap in enumerate(((65, "app"), (65, "app"), (90, "zygote"))):
            if number == twice:
                dump.instance(node, node.id, [0])
            dump.heap_info(*heap)
            dump.instance(node, 0x1000 + 0x10 * number, [0x1010 + 0x10 * number])
        dump.root(0x1000)
        alone = Dump(4, "1.0.3", segments=False)
        alone.instance(node, 0x1030, [0])
        heap = [dump.record(0x1c, b"".join(part)) for part in (dump.heap, alone.heap)]
        return save(dump.header() + dump.outside + b"".join(heap) + dump.record(0x2c, b""))

    def test_heaps_of_android_are_kept_for_each_object(self) -> None:
        for twice in range(-1, 3):
            file = self.android_heaps(twice)
            found = ask("find", file, "demo.Node")["objects"]
            heaps = {entry["address"]: entry["heap"] for entry in found}
            self.assertEqual(heaps, {"0x1000": "app", "0x1010": "app", "0x1020": "zygote",
                                     "0x1030": None}, twice)
            objects = path_of(file, 0x1030)["objects"]
            self.assertEqual([entry["heap"] for entry in objects], ["app", "app", "zygote", None])

    def test_heaps_of_android_are_counted_and_saved(self) -> None:
        dump, saved = self.android_heaps(), str(FOLDER / "heaps.loupe")
        self.assertEqual(run("snapshot", dump, saved).returncode, 0)
        for file in (dump, saved):
            heaps = {entry["name"]: (entry["count"], entry["size"])
                     for entry in ask("heap", file)["heaps"]}
            self.assertEqual((heaps["app"], heaps["zygote"]), ((2, 32), (1, 16)))
            self.assertEqual(heaps[None][0], 2)  # an instance, and the class
            self.assertIn("app: 2 objects, 32 bytes", run("heap", file).stdout.decode())
            self.assertIn("0x1020 in zygote", run("path", file, "0x1030").stdout.decode())
        self.assertEqual(ask("heap", save(ring().bytes()))["heaps"], [])

    def test_instances_before_their_class(self) -> None:
        dump = ring()
        dump.heap = dump.heap[9:] + dump.heap[:9]
        self.assertEqual(steps(path_of(save(dump.bytes()), 0x1040)), ["cache", "[2]", "next"])

    def test_fields_of_superclasses_come_behind_those_of_the_class(self) -> None:
        dump = Dump()
        above = dump.add_class("a/Above", [("low", INT), ("held", OBJECT)])
        below = dump.add_class("a/Below", [("held", OBJECT)], superclass=above)
        dump.instance(below, 0x1000, [0x1010, 4, 0x1020])
        dump.instance(above, 0x1010, [1, 0])
        dump.instance(above, 0x1020, [2, 0])
        dump.root(0x1000)
        for address, declared in ((0x1010, "a.Below"), (0x1020, "a.Above")):
            edge = path_of(save(dump.bytes()), address)["edges"][0]
            self.assertEqual(edge["path"], "held")
            self.assertIn(declared, json.dumps(edge))


class Snapshots(unittest.TestCase):
    def test_a_saved_snapshot_answers_as_the_dump_does_and_is_written_the_same_again(self) -> None:
        for form in FORMS:
            dump = save(ring(*form).bytes())
            first, second = str(FOLDER / "first.loupe"), str(FOLDER / "second.loupe")
            self.assertEqual(run("snapshot", dump, first).returncode, 0)
            self.assertEqual(run("snapshot", first, second).returncode, 0)
            self.assertEqual(pathlib.Path(first).read_bytes(), pathlib.Path(second).read_bytes())
            for words in (["heap"], ["find", "*"], ["path", "0x1040"], ["retained"]):
                self.assertEqual(answer_of(words, first), answer_of(words, dump))

    def section(self, data: bytes, number: int) -> typing.Tuple[int, int]:
        """Where a section begins in the file of a snapshot, and its bytes."""
        count, = struct.unpack_from("<I", data, 12)
        table = [struct.unpack_from("<IIQQQ", data, 32 + 40 * i) for i in range(count)]
        return next((offset, size) for section, _, offset, _, size in table if section == number)

    def test_a_file_of_version_1_answers_as_ever(self) -> None:
        """It was written before columns were packed."""
        dump, old = save(ring().bytes()), str(HERE / "version_1.loupe")
        again = str(FOLDER / "again.loupe")
        self.assertEqual(run("snapshot", old, again).returncode, 0)
        for words in (["heap"], ["find", "*"], ["path", "0x1040"], ["retained"], ["show", "0x1040"],
                      ["sql", "select * from fields"]):
            self.assertEqual(answer_of(words, old), answer_of(words, dump), words)
            self.assertEqual(answer_of(words, again), answer_of(words, dump), words)

    def test_a_file_of_a_newer_version_is_refused_in_a_sentence(self) -> None:
        saved = FOLDER / "newer.loupe"
        run("snapshot", save(ring().bytes()), str(saved))
        data = bytearray(saved.read_bytes())
        self.assertEqual(data[8], 2)
        data[8] = 3
        saved.write_bytes(data)
        done = run("heap", str(saved))
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b": this snapshot cannot be read: it is of another version than 1 or 2: ", done.stderr)

    def test_a_saved_snapshot_is_smaller_than_its_dump(self) -> None:
        dump, saved = save(tangled()), FOLDER / "tangled.loupe"
        self.assertEqual(run("snapshot", dump, str(saved)).returncode, 0)
        self.assertLessEqual(saved.stat().st_size, 0.8 * pathlib.Path(dump).stat().st_size)
        for words in (["find", "N", "-n", "0"], ["show", "0x10030"], ["retained", "-n", "0"],
                      ["sql", "select count(*), sum(size), sum(retained) from objects"],
                      ["sql", "select sum(value) from fields where name = 'number'"]):
            self.assertEqual(answer_of(words, str(saved)), answer_of(words, dump), words)

    def test_stored_paths_that_are_none_are_searched_anew(self) -> None:
        saved = str(FOLDER / "paths.loupe")
        run("snapshot", save(ring().bytes()), saved)
        data, want = pathlib.Path(saved).read_bytes(), path_of(saved, 0x1040)
        start, size = self.section(data, 28)
        levels, level_bytes = self.section(data, 29)
        self.assertLess(max(data[start:start + size]), 0x80)  # each number in one byte
        for value in (b"\0", b"\x01", b"\x0e", b"\x7f"):
            for place in range(size):
                wrong = data[:start + place] + value + data[start + place + 1:]
                pathlib.Path(saved).write_bytes(wrong)
                self.assertEqual(steps(path_of(saved, 0x1040)), steps(want))
        circle = data[:levels] + b"\0" * level_bytes + data[levels + level_bytes:]
        pathlib.Path(saved).write_bytes(circle)
        self.assertEqual(path_of(saved, 0x1040), want)

    def test_stored_paths_hold_for_the_rules_that_they_were_found_by(self) -> None:
        saved, rules = str(FOLDER / "paths.loupe"), FOLDER / "paths.rules"
        run("snapshot", save(ring().bytes()), saved)
        rules.write_text("weak demo.Main.cache\n")
        path, = ask("path", saved, "0x1020", "--exclude", str(rules))["paths"]
        self.assertEqual(path["root"]["kind"], "local variable")
        self.assertEqual(steps(path_of(saved, 0x1020)), ["cache", "[2]"])

    def test_a_file_that_is_cut_off_is_refused(self) -> None:
        whole = str(FOLDER / "whole.loupe")
        run("snapshot", save(ring().bytes()), whole)
        data = pathlib.Path(whole).read_bytes()
        for size in range(0, len(data), 61):
            done = run("heap", save(data[:size], "cut.loupe"))
            self.assertEqual((done.returncode, done.stdout), (2, b""), size)
            self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_nothing_is_left_of_a_snapshot_that_cannot_be_written(self) -> None:
        dump = save(ring().bytes())
        self.assertEqual(run("snapshot", dump, "/nonexistent/x.loupe").returncode, 2)
        self.assertEqual(run("snapshot", dump, str(FOLDER / "x.zip")).returncode, 2)
        self.assertFalse((FOLDER / "x.zip").exists())


def large() -> bytes:
    """A hundred thousand objects in a ring."""
    dump, count = Dump(), 100000
    node = dump.add_class("N", [("next", OBJECT)])
    dump.root(0x1000)
    dump.root(0x1010)
    for number in range(count):
        dump.instance(node, 0x1000 + 16 * number, [0x1000 + 16 * ((number + 1) % count)])
    return dump.bytes()


def tangled() -> bytes:
    """Twenty thousand objects with links anywhere and near by, and numbers."""
    chance, dump, count = random.Random(8), Dump(), 20000
    with_java_basics(dump)
    node = dump.add_class("N", [("near", OBJECT), ("far", OBJECT), ("none", OBJECT), ("number", INT), ("long", LONG)])
    dump.root(0x10000)
    for number in range(count):
        near, far = min(number + 1 + chance.randrange(9), count - 1), chance.randrange(count)
        dump.instance(node, 0x10000 + 48 * number, [0x10000 + 48 * near, 0x10000 + 48 * far, 0, number, chance.randrange(99)])
    return dump.bytes()


def small() -> Dump:
    dump = Dump(4)
    node = dump.add_class("Node", [("next", OBJECT)], statics=[("last", OBJECT, 0x10)])
    dump.instance(node, 0x10, [0x20])
    dump.instance(node, 0x20, [0x10])
    dump.primitives(INT, 0x30, [1])
    dump.root(0x10, 0x01, 5)
    return dump


class Damage(unittest.TestCase):
    def test_cut_off_at_every_byte(self) -> None:
        data = small().bytes()
        for size in range(len(data)):
            done = run("heap", save(data[:size]), "--json")
            answer = json.loads(done.stdout)
            if size < 31:
                self.assertEqual((done.returncode, answer["status"]), (2, "error"), size)
            elif size < len(data):
                self.assertEqual(done.returncode, 2 * (answer["status"] != "ok"), size)
                self.assertLessEqual(answer["snapshot"]["objects"], 4)
                if size > 31 + len(small().outside):
                    self.assertEqual(answer["status"], "incomplete", size)

    def test_an_unknown_tag_ends_its_segment_and_no_other(self) -> None:
        for place in range(len(small().heap)):
            dump = small()
            dump.heap[place] = b"\x77" + dump.heap[place][1:]
            answer = ask("heap", save(dump.bytes()))
            self.assertEqual(answer["status"], "incomplete", place)
            self.assertEqual(reasons(answer)[f"{LOST} of an unknown kind"], 1)
            if place >= len(dump.heap) // 2:
                self.assertEqual(counts(answer)["Node"], 1 if place == 2 else 1 + (place > 2))

    def test_a_length_that_lies(self) -> None:
        # What says how long a record is, by its place in the record.
        for index, at, of in ((1, 13, 4), (2, 13, 4), (3, 9, 4)):
            for length in (0xffffffff, 0x7fffffff, 1_000_000_000):
                dump = small()
                record = dump.heap[index]
                dump.heap[index] = record[:at] + struct.pack(">I", length) + record[at + of:]
                answer = ask("heap", save(dump.bytes()))
                self.assertEqual(answer["status"], "incomplete")
                self.assertEqual(reasons(answer)[f"{LOST} that does not end in it"], 1)

    def test_a_billion_elements_that_are_not_there(self) -> None:
        dump = small()
        dump.raw(b"\x22" + dump.id(0x40) + bytes(4) + struct.pack(">I", 10 ** 9) +
                 dump.id(0x700100))
        answer = ask("heap", save(dump.bytes()))
        self.assertEqual((answer["status"], counts(answer)["Node"]), ("incomplete", 2))

    def test_an_array_of_primitives_of_a_type_that_there_is_not(self) -> None:
        for tag, kind in ((0x23, OBJECT), (0x23, 3), (0x23, 200), (0xc3, OBJECT), (0xc3, 12)):
            dump = small()
            place = 31 + len(dump.outside) + 9 + len(b"".join(dump.heap[:2])) + 9
            place += len(dump.heap[2])
            dump.heap[3] = bytes([tag]) + dump.id(0x30) + bytes(4) + struct.pack(">IB", 0, kind)
            answer = ask("heap", save(dump.bytes()))
            self.assertEqual((answer["status"], counts(answer)["Node"]), ("incomplete", 2))
            lost = [entry for entry in answer["not_followed"] if entry["reason"].startswith(LOST)]
            self.assertEqual([entry["example"] for entry in lost], [hex(place)], (tag, kind))

    def test_a_record_of_an_unknown_kind_is_passed_over(self) -> None:
        dump = small()
        dump.outside += dump.record(0x6e, b"what?")
        answer = ask("heap", save(dump.bytes()))
        self.assertEqual((answer["status"], counts(answer)["Node"]), ("incomplete", 2))
        self.assertEqual(reasons(answer)["record of an unknown kind"], 1)

    def test_without_roots_classes_are_taken_for_them(self) -> None:
        dump = small()
        del dump.heap[-1]
        answer = ask("heap", save(dump.bytes()))
        self.assertEqual(answer["status"], "incomplete")
        self.assertEqual(answer["snapshot"]["roots"], 1)
        self.assertIn("dump without roots: its classes were taken for roots", reasons(answer))

    def test_an_object_that_is_there_twice_counts_once(self) -> None:
        dump = small()
        dump.heap.insert(3, dump.heap[1])
        answer = ask("heap", save(dump.bytes()))
        self.assertEqual((answer["status"], counts(answer)["Node"]), ("incomplete", 2))
        self.assertEqual(reasons(answer)["object that is there already"], 1)
        self.assertEqual(steps(path_of(save(dump.bytes()), 0x20)), ["next"])

    def test_superclasses_in_a_circle(self) -> None:
        dump = Dump()
        first = Class(0x700200, "a/Second", [], None)
        second = dump.add_class("a/First", [("x", OBJECT)], superclass=first)
        dump.add_class("a/Second", [("y", OBJECT)], superclass=second)
        dump.instance(second, 0x10, [0x10])
        answer = ask("heap", save(dump.bytes()))
        self.assertEqual((answer["status"], counts(answer)["a.First"]), ("incomplete", 1))

    def test_an_instance_of_a_class_that_is_not_described(self) -> None:
        dump = small()
        dump.instance(Class(0x999, "Gone", [("a", OBJECT)], None), 0x50, [0x10])
        answer = ask("heap", save(dump.bytes()))
        self.assertEqual(answer["status"], "incomplete")
        self.assertEqual(counts(answer)["class 0x999 without a name"], 1)

    def test_names_of_a_dump_never_reach_a_terminal_as_they_are(self) -> None:
        dump = small()
        evil = dump.add_class("evil\x1b]0;title\x07\x9b31m\n")
        dump.instance(evil, 0x60, [])
        for words in (["heap"], ["find", "*evil*"], ["path", "0x60"], ["retained"]):
            done = run(words[0], save(dump.bytes()), *words[1:])
            for byte in done.stdout + done.stderr:
                self.assertTrue(byte == 10 or 32 <= byte < 127, (words, done.stdout))


class Large(unittest.TestCase):
    def test_a_dump_of_more_than_four_gigabytes_whose_length_has_no_room(self) -> None:
        dump = Dump(segments=False)
        node = dump.add_class("Node", [("next", OBJECT)])
        dump.root(0x10)
        begin = b"".join(dump.heap)
        dump.heap = []
        dump.instance(node, 0x10, [0x20])
        dump.instance(node, 0x20, [0x30])
        end = b"".join(dump.heap)
        length = 2 ** 31 + 12345  # of each of two arrays, all zeros
        size = len(begin) + len(end) + 2 * (18 + length)
        file = str(FOLDER / "large.hprof")
        with open(file, "wb") as made:
            made.write(dump.header() + dump.outside)
            made.write(struct.pack(">BII", 0x0c, 0, size % 2 ** 32) + begin)
            for address in (0x30, 0x40):
                made.write(b"\x23" + dump.id(address) + bytes(4) + struct.pack(">IB", length, 8))
                made.seek(length, 1)  # a hole, where the file system has them
            made.write(end)
        try:
            answer = ask("heap", file)
            self.assertEqual((answer["status"], counts(answer)["Node"]), ("ok", 2))
            sizes = {entry["class"]: entry["size"] for entry in answer["classes"]}
            self.assertGreater(sizes["byte[]"], 2 ** 32)
            self.assertEqual(steps(path_of(file, 0x30)), ["next", "next"])
        finally:
            pathlib.Path(file).unlink()


class Timeouts(unittest.TestCase):
    """A time limit that is over before anything begins."""

    AT_ONCE = ["--timeout", "0.000001"]

    def setUp(self) -> None:
        self.saved = str(FOLDER / "timeouts.loupe")
        run("snapshot", save(large()), self.saved)

    def test_a_question_that_is_ended_has_an_incomplete_answer(self) -> None:
        verbs = [["path", "0x1000", "--count-as", "mat"], ["path", "0x1000", "-n", "3"],
                 ["path", "--to-class", "N", "--count-as", "mat"], ["cycles"], ["suspects"],
                 ["heap", "--count-as", "mat"],
                 ["find", "*", "--count-as", "mat"], ["retained", "--count-as", "mat"]]
        for verb, *words in verbs:
            answer = ask(verb, self.saved, *words, *self.AT_ONCE)
            self.assertEqual(answer["status"], "incomplete", verb)
            self.assertEqual(reasons(answer), {"question that was ended by --timeout": 1}, verb)
            self.assertNotIn("paths", answer)
            text = run(verb, self.saved, *words, *self.AT_ONCE)
            self.assertEqual(text.returncode, 2)
            self.assertTrue(text.stdout.startswith(b"incomplete: "), text.stdout)

    def test_a_difference_that_is_ended(self) -> None:
        done = run("diff", self.saved, self.saved, "--json", *self.AT_ONCE)
        self.assertEqual((json.loads(done.stdout)["status"], done.returncode), ("incomplete", 2))

    def test_a_dump_that_is_not_read_to_its_end_is_an_error(self) -> None:
        done = run("heap", save(large()), "--json", *self.AT_ONCE)
        answer = json.loads(done.stdout)
        self.assertEqual((answer["status"], answer["error"]["code"]), ("error", "timeout"))
        self.assertEqual(done.returncode, 2)

    def test_a_snapshot_that_is_ended_leaves_no_file(self) -> None:
        out = FOLDER / "ended.loupe"
        self.assertEqual(run("snapshot", self.saved, str(out), *self.AT_ONCE).returncode, 2)
        self.assertEqual(list(FOLDER.glob("ended.loupe*")), [])

    def test_time_enough_changes_nothing(self) -> None:
        self.assertEqual(ask("cycles", self.saved, "--timeout", "60.5"), ask("cycles", self.saved))
        for wrong in ("-1", "x", "1e9", "nan", "0x", ""):
            self.assertEqual(run("heap", self.saved, "--timeout", wrong).returncode, 2, wrong)


class Lines(unittest.TestCase):
    def refuse(self, *words: str) -> str:
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (2, b"", 1))
        return done.stderr.decode()

    def test_what_is_no_dump_is_refused_in_one_line(self) -> None:
        for data in (b"", b"x", b"JAVA PROFILE 1.0.9\0" + bytes(12), b"\x7fELF" + bytes(60),
                     b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 3, 0), b"\x1f\x8b\x08" * 9):
            self.refuse("heap", save(data, "other"))
        self.refuse("heap", str(FOLDER))
        self.refuse("heap", str(FOLDER / "none"))

    def test_n_is_said_once_in_the_help_of_each_verb(self) -> None:
        for verb, option in (("path", "--paths"), ("retained", "--limit"), ("find", "--limit")):
            text = run(verb, "--help").stdout.decode()
            self.assertEqual(text.count("-n, "), 1)
            self.assertIn(f"-n, {option} N", text)

    def test_the_table_of_verbs_has_every_key_of_an_answer(self) -> None:
        always = {"loupe", "query", "engine", "status", "abi", "pointer_size", "snapshot",
                  "allocators", "not_followed"}
        known = {verb["name"]: {*verb["keys"], *always} for verb in
                 json.loads(run("verbs", "--json").stdout)["verbs"]}
        file = save(ring().bytes())
        for words in (["heap"], ["find", "demo.*"], ["path", "0x1020"], ["retained"],
                      ["retained", "0x1020"], ["suspects"], ["cycles"]):
            self.assertLessEqual(set(answer_of([words[0], *words[1:]], file)), known[words[0]], words)
        self.assertLessEqual(set(ask("diff", file, file)), known["diff"])

    def test_the_tab_key_offers_classes_that_a_shell_may_read(self) -> None:
        dump = Dump(8)
        for number, name in enumerate(("demo.Good", "demo.Go$Inner", "demo.$(reboot)", "demo.`x`",
                                       "demo.a b", "demo.\n:files")):
            dump.instance(dump.add_class(name, []), 0x1000 + number * 16, [])
        file = save(dump.bytes())
        for words in (["find", file, "demo."], ["heap", file, "--class", "demo."],
                      ["path", file, "--to-class=demo."]):
            done = run("completion", "offers", *words)
            self.assertEqual((0, b""), (done.returncode, done.stderr))
            self.assertEqual({"demo.Good", "demo.Go$Inner"},
                             {line.split("\t")[0].replace("--to-class=", "")
                              for line in done.stdout.decode().splitlines()}, words)

    def test_lines_that_make_no_sense(self) -> None:
        file = save(small().bytes())
        self.assertIn("missing PATTERN (usage: loupe find FILE PATTERN)", self.refuse("find", file))
        self.refuse("heap")
        self.refuse("heap", file, "--bogus")
        self.refuse("heap", file, "--sort", "colour")
        self.refuse("heap", file, "--limit", "many")
        self.refuse("heap", file, file)
        self.refuse("path", file, "Node")
        self.refuse("path", file, "0x999999")
        self.assertIn("--class needs a value", self.refuse("heap", file, "--class", ""))
        self.assertIn("--append goes with --format",
                      self.refuse("leaks", file, "--append", "-o", str(FOLDER / "answer")))

    def test_an_error_is_an_answer_too(self) -> None:
        done = run("heap", str(FOLDER / "none"), "--json")
        answer = json.loads(done.stdout)
        self.assertEqual((done.returncode, answer["status"], answer["error"]["code"]),
                         (2, "error", "usage"))

    @unittest.skipIf(sys.platform == "darwin", "macOS limits no address space")
    def test_a_file_that_the_address_space_has_no_room_for(self) -> None:
        """Nothing is wrong with the file, nor with the question."""
        def limit() -> None:
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            resource.setrlimit(resource.RLIMIT_AS, (2 ** 31, hard))

        file = FOLDER / "vast"
        with open(file, "wb") as made:  # a hole, where the file system has them
            made.write(b"JAVA PROFILE 1.0.2\0")
            made.truncate(2 ** 32)
        try:
            done = subprocess.run([LOUPE, "heap", str(file), "--json"], capture_output=True, text=True,
                                  preexec_fn=limit, timeout=1800, check=False)
        finally:
            file.unlink()
        error = json.loads(done.stdout)["error"]
        self.assertEqual((2, "internal"), (done.returncode, error["code"]))
        self.assertIn("there is no room for it in the address space", error["message"])

    def test_an_answer_can_be_written_into_a_file(self) -> None:
        file, out = save(small().bytes()), FOLDER / "answer"
        self.assertEqual(run("heap", file, "-o", str(out)).stdout, b"")
        self.assertEqual(out.read_bytes(), run("heap", file).stdout)
        done = run("heap", file, "-o", str(FOLDER / "none" / "answer"))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"answer cannot be written: No such file or directory", done.stderr)


class Difference(unittest.TestCase):
    """A second dump with a knot and a leak that the first has not."""

    def setUp(self) -> None:
        rules = FOLDER / "gone.rules"
        rules.write_text("leaking demo.Gone because it is\n")
        self.rules = ["--rules", str(rules)]
        dump = ring()
        gone = dump.add_class("demo/Gone", [("other", OBJECT)])
        for number in range(2):  # one knot, held by a reference to one of them
            dump.instance(gone, 0x5000 + 0x20 * number, [0x5020 - 0x20 * number])
        dump.root(0x5000, 0x01, 0xabc8)
        self.older, self.newer = save(ring().bytes(), "older.hprof"), save(dump.bytes(), "newer.hprof")

    def fingerprints(self, verb: str, field: str) -> typing.Set[str]:
        return {entry["fingerprint"] for entry in ask(verb, self.newer, *self.rules)[field]
                if entry.get("kind") != "share"}

    def test_new_leaks_and_knots_are_those_of_the_newer_one_only(self) -> None:
        answer = ask("diff", self.older, self.newer, *self.rules)
        old_knots = {entry["fingerprint"] for entry in ask("cycles", self.older)["knots"]}
        self.assertEqual(set(answer["new_leaks"]), self.fingerprints("suspects", "suspects"))
        self.assertEqual(len(answer["new_leaks"]), 1)
        self.assertEqual(len(old_knots), 1)
        self.assertEqual(set(answer["new_knots"]), self.fingerprints("cycles", "knots") - old_knots)
        self.assertEqual(len(answer["new_knots"]), 1)

    def test_as_many_new_as_gone_are_counted_and_shown_when_all_is(self) -> None:
        def dump(address: int, more: int) -> bytes:
            made = small()
            node = made.add_class("demo/Moved", [])
            made.instance(node, address, [])
            grown = made.add_class("demo/Grown", [])
            for number in range(more):
                made.instance(grown, 0x6000 + 0x20 * number, [])
            return made.bytes()
        files = [save(dump(0x5000, 1), "older.hprof"), save(dump(0x5100, 2), "newer.hprof")]
        text = run("diff", *files).stdout.decode()
        self.assertIn("demo.Grown", text)
        self.assertNotIn("demo.Moved", text)
        self.assertIn("1 class with as many new as gone, of the same size", text)
        self.assertRegex(run("diff", files[0], files[0]).stdout.decode(), r"\A\+0 bytes: \d+ still there\n")
        self.assertIn("demo.Moved", run("diff", *files, "--limit", "0").stdout.decode())
        moved = [row for row in ask("diff", *files)["classes"] if row["class"] == "demo.Moved"]
        self.assertEqual([(1, 1)], [(row["new"], row["gone"]) for row in moved])

    def test_what_went_is_not_new(self) -> None:
        answer = ask("diff", self.newer, self.older, *self.rules)
        self.assertEqual((answer["new_leaks"], answer["new_knots"]), ([], []))

    def test_text_names_them(self) -> None:
        text = run("diff", self.older, self.newer, *self.rules).stdout.decode()
        leak, = self.fingerprints("suspects", "suspects")
        self.assertRegex(text, r"1 new cause of suspects .*\n  " + leak +
                         r"  .*  demo\.Gone\n1 new distinct cycle .*\n  [0-9a-f]{16}  1 × demo\.Gone\n")
        self.assertNotIn("new shape", run("diff", self.older, self.older).stdout.decode())



class SoftReferences(unittest.TestCase):
    def test_a_reference_to_one_is_not_where_to_look_first(self) -> None:
        dump = Dump()
        basics = with_java_basics(dump)
        soft = dump.add_class("java/lang/ref/SoftReference", superclass=basics["Reference"])
        screen = dump.add_class("demo/Screen", superclass=basics["Object"])
        main = dump.add_class("demo/Main", statics=[("cache", OBJECT, 0x2000)],
                              superclass=basics["Object"])
        dump.array(basics["Object[]"], 0x2000, [0x2100])
        dump.instance(soft, 0x2100, [0x3000, 0])
        dump.instance(screen, 0x3000, [])
        dump.root(main.id, 0x05)
        rules = FOLDER / "screens.rules"
        rules.write_text("leaking demo.Screen because it is closed\nalive java.lang.Object[]\n")
        path, = ask("path", save(dump.bytes()), "0x3000", "--rules", str(rules))["paths"]
        self.assertEqual([edge["suspect"] for edge in path["edges"]], [False, True, True])
        self.assertEqual(path["first_suspect"], 2)  # the referent, and not [0]


class Shortened(unittest.TestCase):
    """Names that R8 or ProGuard made short, and their mapping file, which docs of R8 describe."""
    MAPPING = """# compiler: R8
# {"id":"com.android.tools.r8.mapping","version":"2.0"}
com.shop.Cart -> a.a:
    com.shop.Item[] items -> a
    int count -> b
    long total -> b
    13:17:void add(com.shop.Item):20:24 -> a
    18:18:void com.shop.Log.write():7:7 -> a
    18:18:void checkout():30 -> b
com.shop.Item -> a.b:
# {"id":"sourceFile","fileName":"Item.kt"}
    java.lang.String name -> a
"""

    def draw(self) -> str:
        dump = Dump()
        basics = with_java_basics(dump)
        cart = dump.add_class("a/a", [("a", OBJECT), ("b", INT)], superclass=basics["Object"])
        item = dump.add_class("a/b", [("a", OBJECT), ("c", INT)], superclass=basics["Object"])
        items = dump.add_class("[La/b;", superclass=basics["Object"])
        serial = dump.load_class(cart.id, "a/a")
        dump.frame(0x501, "b", "SourceFile", serial, 18)
        dump.frame(0x502, "a", "SourceFile", serial, 13)
        dump.trace(3, 1, [0x501, 0x502])
        dump.instance(cart, 0x5000, [0x5100, 7])
        dump.array(items, 0x5100, [0x5200, 0])
        dump.instance(item, 0x5200, [0, 9])
        dump.instance(basics["Thread"], 0x6000, [0])
        dump.root(0x6000, 0x08, 1, 3)
        dump.root(0x5000, 0x03, 1, 0)
        return save(dump.bytes())

    def mapping(self, text: str, name: str = "mapping.txt") -> str:
        (FOLDER / name).write_text(text)
        return str(FOLDER / name)

    def check(self, file: str, mapping: str) -> None:
        classes = {row["class"] for row in ask("heap", file, "--mapping", mapping)["classes"]}
        self.assertLessEqual({"com.shop.Cart", "com.shop.Item", "com.shop.Item[]"}, classes)
        path, = ask("path", file, "0x5200", "--mapping", mapping)["paths"]
        self.assertEqual([("items", "com.shop.Cart"), ("[0]", None)],
                         [(edge["path"], edge.get("declared_by")) for edge in path["edges"]])
        self.assertEqual(("com.shop.Cart", "checkout"),
                         (path["root"]["frame"]["class"], path["root"]["frame"]["method"]))
        fields = {field["name"]: field.get("value") for field in
                  ask("show", file, "0x5000", "--mapping", mapping)["fields"]}
        self.assertEqual(7, fields["b"])  # of int count and long total: nobody can tell
        self.assertEqual({"name", "c"}, {field["name"] for field in
                                         ask("show", file, "0x5200", "--mapping", mapping)["fields"]})

    def test_names_are_those_of_the_programmer(self) -> None:
        file = self.draw()
        self.check(file, self.mapping(self.MAPPING))
        self.check(file, self.mapping(self.MAPPING.replace("\n", "\r\n")))
        self.assertIn("a.a", {row["class"] for row in ask("heap", file)["classes"]})
        done = run("heap", file, "--mapping", self.mapping(self.MAPPING))
        self.assertIn(b"1 short name of fields or methods stands for several", done.stderr)

    def test_a_snapshot_has_them(self) -> None:
        saved = str(FOLDER / "named.loupe")
        self.assertEqual(0, run("snapshot", self.draw(), saved, "--mapping",
                                self.mapping(self.MAPPING)).returncode)
        self.assertIn("com.shop.Cart", {row["class"] for row in ask("heap", saved)["classes"]})

    def test_rules_go_by_them(self) -> None:
        rules = FOLDER / "shop.rules"
        rules.write_text("leaking com.shop.Item because it was sold\n")
        self.assertEqual(1, ask("suspects", self.draw(), "--rules", str(rules), "--mapping",
                                self.mapping(self.MAPPING))["found"])

    def test_what_is_no_mapping(self) -> None:
        file = self.draw()
        for text in ("", "hello", "    int a -> b\n", "a -> b\n", " -> :\n"):
            done = run("heap", file, "--mapping", self.mapping(text))
            self.assertEqual((2, 1), (done.returncode, done.stderr.count(b"\n")), done.stderr)
        self.assertEqual(2, run("heap", file, "--mapping", str(FOLDER / "nowhere")).returncode)
        done = run("heap", file, "--mapping", self.mapping("com.other.Thing -> z.z:\n"))
        self.assertEqual(0, done.returncode)
        self.assertIn(b"same build", done.stderr)

    def test_damaged_mappings(self) -> None:
        file, rng = self.draw(), random.Random(7)
        for _ in range(60):
            text = bytearray(self.MAPPING, "utf-8")
            for _ in range(rng.randrange(1, 6)):
                at = rng.randrange(len(text))
                text[at:at + rng.randrange(3)] = rng.choices(b" ->:().\n\0\xff[]a", k=rng.randrange(4))
            (FOLDER / "damaged.txt").write_bytes(text)
            self.assertIn(run("heap", file, "--mapping", str(FOLDER / "damaged.txt")).returncode, (0, 2))


class Piped(unittest.TestCase):
    def heap(self, data, *options, **how):
        return subprocess.run([LOUPE, "heap", "-", "--json", *options], input=data, capture_output=True,
                              check=False, **how)

    def test_a_heap_comes_through_a_pipe(self) -> None:
        data = ring().bytes()
        want = ask("heap", save(data))
        for piped in (data, gzip.compress(data)):
            self.assertEqual(want, json.loads(self.heap(piped).stdout))
        with open(save(data), "rb") as file:
            done = subprocess.run([LOUPE, "heap", "-", "--json"], stdin=file, capture_output=True,
                                  check=False)
        self.assertEqual(want, json.loads(done.stdout))

    def test_what_is_no_heap_and_what_does_not_come(self) -> None:
        for data, said in ((b"", b"empty"), (b"hello", b"unknown file format")):
            done = self.heap(data)
            self.assertEqual((2, True), (done.returncode, said in done.stderr), done.stderr)
        done = self.heap(ring().bytes(), env={**os.environ, "TMPDIR": "/nonexistent"})
        self.assertEqual(2, done.returncode)
        self.assertIn(b"TMPDIR", done.stderr)
        read, write = os.pipe()
        done = subprocess.run([LOUPE, "heap", "-", "--timeout", "0.2"], stdin=read,
                              capture_output=True, check=False)
        os.close(write)
        os.close(read)
        self.assertEqual(2, done.returncode)
        self.assertIn(b"--timeout", done.stderr)


class Loaders(unittest.TestCase):
    def test_classes_in_groups(self) -> None:
        """Of a group what its objects keep together counts once; all groups have all objects."""
        dump = Dump()
        basics = with_java_basics(dump)
        loader = dump.add_class("demo/Loader", superclass=basics["Object"])
        dump.instance(loader, 0x4000, [])
        outer = dump.add_class("com/shop/Cart", [("next", OBJECT)], superclass=basics["Object"],
                               loader=0x4000)
        inner = dump.add_class("com/shop/Cart$Item", [("next", OBJECT)], superclass=outer)
        other = dump.add_class("com/shop/tax/Rate", superclass=inner)
        bare = dump.add_class("Main", superclass=basics["Object"])
        dump.instance(outer, 0x5000, [0x5100])
        dump.instance(inner, 0x5100, [0x5200])
        dump.instance(other, 0x5200, [0])
        dump.instance(bare, 0x5300, [])
        dump.root(0x5000)
        file = save(dump.bytes())
        whole = {row["class"]: row for row in ask("heap", file)["classes"]}
        kept = whole["com.shop.Cart"]["retained"]
        answer = ask("heap", file, "--by", "package")
        rows = {row["group"]: row for row in answer["groups"]}
        self.assertEqual("package", answer["by"])
        self.assertEqual([(2, kept, 0), (1, whole["com.shop.tax.Rate"]["retained"], 0),
                          (1, 0, 1), (1, whole["demo.Loader"]["retained"], 0)],
                         [(rows[name]["count"], rows[name]["retained"], rows[name]["unreachable"])
                          for name in ("com.shop", "com.shop.tax", None, "demo")])
        for by in ("package", "loader", "superclass"):
            rows = {row["group"]: row for row in ask("heap", file, "--by", by)["groups"]}
            self.assertEqual(sum(row["size"] for row in whole.values()),
                             sum(row["size"] for row in rows.values()))
            if by == "loader":
                self.assertEqual(("0x4000", 1, 1), tuple(
                    rows["demo.Loader"][key] for key in ("loader", "classes", "count")))
            if by == "superclass":
                self.assertEqual(1, rows["com.shop.Cart"]["count"])
        self.assertIn("(no package)", run("heap", file, "--by", "package").stdout.decode())
        self.assertRegex(run("heap", file, "--by", "loader").stdout, b"demo.Loader 0x4000")
        self.assertEqual(["com.shop", "com.shop.tax"], sorted(
            row["group"] for row in
            ask("heap", file, "--by", "package", "--class", "com.*")["groups"]))
        self.assertEqual(2, run("heap", file, "--by", "colour").returncode)

    def test_classes_of_one_name_are_told_by_their_loader(self) -> None:
        dump = Dump()
        basics = with_java_basics(dump)
        loader = dump.add_class("demo/Loader", superclass=basics["Object"])
        for number in range(2):
            dump.instance(loader, 0x4000 + 0x100 * number, [])
            plugin = dump.add_class("demo/Plugin", superclass=basics["Object"],
                                    loader=0x4000 + 0x100 * number)
            dump.root(dump.instance(plugin, 0x5000 + 0x100 * number, []))
        file = save(dump.bytes())
        rows = [entry for entry in ask("heap", file)["classes"] if entry["class"] == "demo.Plugin"]
        self.assertEqual(sorted(row["loader"] for row in rows), ["0x4000", "0x4100"])
        self.assertEqual([row["count"] for row in rows], [1, 1])
        text = run("heap", file).stdout.decode()
        for address in ("0x4000", "0x4100"):
            self.assertEqual(text.count(f"demo.Plugin (loader demo.Loader {address})"), 1, text)
        self.assertNotIn("demo.Loader (", text)


class Layout(typing.NamedTuple):
    """How a virtual machine lays out objects; real ones of the rest are in test_flavours.py."""
    reference: int
    header: int
    array: int  # before elements of up to 4 bytes
    wide_array: int
    alignment: int = 8
    pads_levels: bool = False

    def align(self, size: int) -> int:
        return -(-size // self.alignment) * self.alignment

    def instance(self, *levels: typing.List[int]) -> int:
        size = self.header
        for kinds in levels:
            own = sum(self.reference if kind == OBJECT else BYTES[kind] for kind in kinds)
            size += -(-own // self.reference) * self.reference if self.pads_levels else own
        return self.align(size)

    def elements(self, kind: int, count: int) -> int:
        each = self.reference if kind == OBJECT else BYTES[kind]
        return self.align((self.wide_array if each == 8 else self.array) + each * count)


BYTES = {BYTE: 1, INT: 4, LONG: 8}
LAYOUTS = {
    "JDK 8 and 11": Layout(4, 12, 16, 16, pads_levels=True),
    "JDK 8 and 11 with wide classes": Layout(4, 16, 24, 24, pads_levels=True),
    "JDK 6 to 14 without compressed references": Layout(8, 16, 24, 24, pads_levels=True),
    "JDK 15 to 22": Layout(4, 12, 16, 16),
    "JDK 15 to 22 without compressed references": Layout(8, 12, 16, 16),
    "JDK 15 to 22 with wide classes": Layout(4, 16, 24, 24),
    "JDK 15 to 22 with wide classes and references": Layout(8, 16, 24, 24),
    "JDK 23 with wide classes": Layout(4, 16, 20, 24),
    "JDK 23 with wide classes and references": Layout(8, 16, 20, 24),
    "JDK 25 with compact headers": Layout(4, 8, 12, 16),
    "JDK 25 with compact headers and wide references": Layout(8, 8, 12, 16),
    "aligned to 16": Layout(4, 12, 16, 16, alignment=16),
    "aligned to 32, wide": Layout(8, 16, 24, 24, alignment=32, pads_levels=True),
}


class Sizes(unittest.TestCase):
    """Of heaps drawn without a gap, as the sources of HotSpot lay them out, by version and options."""

    def test_each_layout_is_told_from_places(self) -> None:
        for name, layout in LAYOUTS.items():
            with self.subTest(layout=name):
                dump, want = self.draw(layout)
                found = ask("find", save(dump.bytes()), "*", "--limit", "0")["objects"]
                got = {int(entry["address"], 16): entry["size"] for entry in found
                       if int(entry["address"], 16) in want}
                self.assertEqual(got, want)

    def draw(self, layout: Layout) -> typing.Tuple[Dump, typing.Dict[int, int]]:
        dump, want, at = Dump(), {}, 0x10000000
        basics = with_java_basics(dump)
        levels = [[BYTE], [BYTE, LONG], [INT, OBJECT, BYTE]]
        classes, above = [], basics["Object"]
        for number, kinds in enumerate(levels):
            above = dump.add_class(f"demo/Level{number}", superclass=above, fields=[
                (f"field{i}", kind) for i, kind in enumerate(kinds)])
            classes.append(above)
        for number in range(900):
            shape, count = number % 6, number % 7
            if shape < 3:
                values = [0] * len(classes[shape].all_fields())
                dump.instance(classes[shape], at, values)
                size = layout.instance(*levels[:shape + 1])
            elif shape == 3:
                dump.array(basics["Object[]"], at, [0] * count)
                size = layout.elements(OBJECT, count)
            else:
                kind = BYTE if shape == 4 else LONG
                dump.primitives(kind, at, [0] * count)
                size = layout.elements(kind, count)
            want[at] = size
            at += size
        dump.root(0x10000000)
        return dump, want


if __name__ == "__main__":
    LOUPE = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as made:
        FOLDER = pathlib.Path(made)
        unittest.main()
