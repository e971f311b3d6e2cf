"""The protocol of `loupe serve`: what is agreed upon, and everything that a client should not send.

usage: test_messages.py LOUPE [RING [GDB]]
"""
import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from client import Client
from drawn_dump import ring
from share import share_of

LOUPE = sys.argv[1]
FOLDER = pathlib.Path()
PARSE, REQUEST, METHOD, PARAMS = -32700, -32600, -32601, -32602


class Agreeing(unittest.TestCase):
    def test_each_version_is_spoken_and_the_newest_is_offered_for_others(self) -> None:
        for asked, got in (("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"),
                           ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"),
                           ("1999-01-01", "2025-11-25")):
            with Client(LOUPE, version=asked) as client:
                self.assertEqual(client.hello["protocolVersion"], got)
                self.assertEqual(client.hello["serverInfo"]["name"], "loupe")
                self.assertEqual(client.hello["capabilities"], {"tools": {"listChanged": False}})

    def test_older_versions_see_only_what_they_know(self) -> None:
        file = str(FOLDER / "ring.hprof")
        for version, annotations, structured in (("2024-11-05", False, False),
                                                 ("2025-03-26", True, False),
                                                 ("2025-06-18", True, True),
                                                 ("2025-11-25", True, True)):
            with Client(LOUPE, version=version) as client:
                for tool in client.request("tools/list")["tools"]:
                    self.assertEqual("annotations" in tool, annotations)
                    self.assertEqual("outputSchema" in tool, structured)
                result = client.result("open", file=file)
                self.assertEqual("structuredContent" in result, structured)
                self.assertEqual(json.loads(result["content"][0]["text"])["answer"]["query"], "heap")

    def test_nothing_but_pings_before_that(self) -> None:
        with Client(LOUPE, version=None) as client:
            self.assertEqual(client.request("ping"), {})
            self.assertEqual(client.refused("tools/list")[0], REQUEST)
            self.assertEqual(client.refused("initialize")[0], PARAMS)

    def test_notifications_are_not_answered(self) -> None:
        with Client(LOUPE) as client:
            client.send(method="notifications/roots/list_changed")
            client.send(method="tools/list")
            client.send(id=7, result={})
            client.send(id=8, error={"code": 1, "message": ""})
            self.assertTrue(client.is_silent())

    def test_methods_of_what_it_does_not_offer_do_not_exist(self) -> None:
        with Client(LOUPE) as client:
            for method in ("resources/list", "prompts/list", "logging/setLevel", "", "x\u001b[31m"):
                self.assertEqual(client.refused(method)[0], METHOD)
            self.assertEqual(client.refused("tools/list", cursor="x")[0], PARAMS)

    def test_the_end_of_the_input_is_the_end(self) -> None:
        with Client(LOUPE) as client:
            self.assertEqual(client.end(), (0, b"", b""))

    def test_the_last_line_needs_no_end(self) -> None:
        with Client(LOUPE) as client:
            client.send_bytes(b'{"jsonrpc":"2.0","id":5,"method":"ping"}')
            status, out, _ = client.end()
            self.assertEqual((status, json.loads(out)), (0, {"jsonrpc": "2.0", "id": 5, "result": {}}))

    def test_a_client_that_is_gone_ends_it(self) -> None:
        with Client(LOUPE) as client:
            assert client.process.stdout
            client.process.stdout.close()
            client.send(id=1, method="ping")
            with contextlib.suppress(BrokenPipeError):  # it may be gone by now
                client.send(id=2, method="ping")
            self.assertEqual(client.process.wait(60), 2)


class Nonsense(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(LOUPE)
        self.addCleanup(self.client.__exit__)

    def error_of(self, data: bytes) -> int:
        self.client.send_bytes(data + b"\n")
        message = self.client.message()
        self.assertIsNone(message["id"])
        code: int = message["error"]["code"]
        return code

    def test_what_is_no_json(self) -> None:
        for data in (b"{", b"}", b"nul", b'{"a":}', b'{"a" 1}', b"[1,]", b'"\x01"', b'"\\x"', b"01",
                     b"1.", b"-", b"1e", b"0x10", b"+1", b'{"a":1}{', b"\xff\xfe", b'"a', b'"\\u12"'):
            self.assertEqual(self.error_of(data), PARSE, data)
        self.client.request("ping")

    def test_json_that_is_no_message(self) -> None:
        for text in ("1", "null", '"x"', "{}", '{"jsonrpc":"1.0","method":"ping"}',
                     '{"jsonrpc":"2.0","id":null,"method":"ping"}',
                     '{"jsonrpc":"2.0","id":{},"method":"ping"}'):
            self.assertEqual(self.error_of(text.encode()), REQUEST, text)
        self.client.send_bytes(b'{"jsonrpc":"2.0","id":4,"method":1}\n')
        self.assertEqual(self.client.message()["id"], 4)
        self.client.send_bytes(b'{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}\n')
        self.assertEqual(self.client.message()["error"]["code"], REQUEST)

    def test_blank_lines_are_nothing(self) -> None:
        self.client.send_bytes(b"\n  \r\n\t\n")
        self.assertTrue(self.client.is_silent())

    def test_ids_come_back_as_they_were(self) -> None:
        for text in ('1', '-7', '1.5e3', '"x"', '"\\u0000\\ud83d\\ude00"', '12345678901234567890'):
            self.client.send_bytes(b'{"jsonrpc":"2.0","id":%s,"method":"ping"}\n' % text.encode())
            line = self.client.line().decode()
            self.assertEqual(json.loads(line)["id"], json.loads(text))

    def test_nesting_has_an_end(self) -> None:
        for depth in (65, 5000, 400000):
            self.assertEqual(self.error_of(b"[" * depth), PARSE)
            self.assertEqual(self.error_of(b'{"a":' * depth), PARSE)

    def test_a_line_without_an_end_takes_no_memory(self) -> None:
        piece = b'{"a":"' + b"x" * (1 << 16)
        for _ in range(1024):
            self.client.send_bytes(piece)
        with open(f"/proc/{self.client.process.pid}/status", encoding="ascii") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        sanitized = b"ERROR: AddressSanitizer" in pathlib.Path(LOUPE).read_bytes()
        self.assertLess(peak, (1 << 20) if sanitized else (32 << 10))
        self.assertEqual(self.error_of(b""), PARSE)
        self.client.request("ping")

    def test_lines_in_pieces_and_several_at_once(self) -> None:
        line = b'{"jsonrpc":"2.0","id":"a","method":"ping"}\n'
        for at in range(len(line)):
            self.client.send_bytes(line[at:at + 1])
        self.client.message()
        self.client.send_bytes(line * 200)
        for _ in range(200):
            self.assertEqual(self.client.message()["result"], {})

    def test_batches_of_the_version_that_has_them(self) -> None:
        batch = [{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "method": "x"},
                 {"jsonrpc": "2.0", "id": 2, "method": "y"}, 3]
        self.assertEqual(self.error_of(json.dumps(batch).encode()), REQUEST)
        with Client(LOUPE, version="2025-03-26") as client:
            client.send_bytes(json.dumps(batch).encode() + b"\n")
            answers = json.loads(client.line())
            self.assertEqual([answer["id"] for answer in answers], [1, 2, None])
            client.send_bytes(b'[{"jsonrpc":"2.0","method":"x"}]\n')
            self.assertTrue(client.is_silent())
            client.send_bytes(b"[]\n")
            self.assertEqual(client.message()["error"]["code"], REQUEST)

    def test_any_damage_of_any_message_is_answered_or_passed_over(self) -> None:
        chance = random.Random(5)
        call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "find", "arguments": {"file": str(FOLDER / "ring.hprof"), "class": "demo.Node",
                                          "limit": 3, "subclasses": True}}}).encode()
        for _ in share_of(range(600)):
            data = bytearray(call)
            for _ in range(chance.randrange(1, 4)):
                at = chance.randrange(len(data))
                data[at:at + chance.randrange(3)] = bytes(
                    chance.randrange(256) for _ in range(chance.randrange(3)))
            self.client.send_bytes(bytes(data).replace(b"\n", b" ") + b"\n")
            self.client.send_bytes(b'{"jsonrpc":"2.0","id":"end","method":"ping"}\n')
            while self.client.message()["id"] != "end":
                pass


class Meanwhile(unittest.TestCase):
    """What comes while a question is being answered: by a process that stands still."""

    def setUp(self) -> None:
        self.client = Client(LOUPE)
        self.addCleanup(self.client.__exit__)
        self.file = str(FOLDER / "ring.hprof")
        self.client.call("open", file=self.file)
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.client.process.pid)],
                                  capture_output=True, text=True, check=False).stdout.split()
        self.assertEqual(len(children), 1, children)
        self.child = int(children[0])

    def ask(self, **arguments: object) -> int:
        os.kill(self.child, signal.SIGSTOP)
        return self.client.post("tools/call", name="heap", arguments={"file": self.file, **arguments})

    def test_a_ping_is_answered_and_a_request_waits(self) -> None:
        first = self.ask()
        ping = self.client.post("ping")
        self.assertEqual(self.client.message()["id"], ping)
        tools = self.client.post("tools/list")
        last = self.client.post("ping")
        self.assertTrue(self.client.is_silent())
        os.kill(self.child, signal.SIGCONT)
        self.assertEqual([self.client.message()["id"] for _ in range(3)], [first, tools, last])

    def test_a_call_that_is_taken_back_has_no_answer(self) -> None:
        first = self.ask()
        self.client.post("ping")
        self.client.message()
        self.client.send(method="notifications/cancelled", params={"requestId": first})
        self.client.request("ping")
        self.assertFalse(pathlib.Path(f"/proc/{self.child}").exists())
        self.assertEqual(self.client.call("heap", file=self.file)["answer"]["status"], "ok")

    def test_what_stood_behind_the_call_already_is_seen_too(self) -> None:
        call = {"jsonrpc": "2.0", "id": "c", "method": "tools/call",
                "params": {"name": "heap", "arguments": {"file": self.file}}}
        back = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "c"}}
        self.client.send_bytes(f"{json.dumps(call)}\n{json.dumps(back)}\n".encode())
        self.client.request("ping")

    def test_another_calls_cancellation_is_nothing(self) -> None:
        first = self.ask()
        self.client.send(method="notifications/cancelled", params={"requestId": str(first)})
        self.client.send(method="notifications/cancelled")
        self.client.send_bytes(b"x" * (3 << 20) + b"\n")
        self.assertEqual(self.client.message()["error"]["code"], PARSE)
        os.kill(self.child, signal.SIGCONT)
        self.assertEqual(self.client.message()["id"], first)

    def test_a_process_that_ends_is_told_and_replaced(self) -> None:
        first = self.ask()
        os.kill(self.child, signal.SIGSEGV)
        os.kill(self.child, signal.SIGCONT)
        answer = self.client.message()
        self.assertEqual(answer["id"], first)
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("the process that reads this file", answer["result"]["content"][0]["text"])
        self.client.call("open", file=self.file)

    def test_one_that_does_not_end_in_time_is_ended(self) -> None:
        self.ask(timeout=1)
        answer = self.client.message(120)
        self.assertIn("longer than its timeout", answer["result"]["content"][0]["text"])
        self.client.call("open", file=self.file)

    def test_the_time_of_one_question_does_not_end_the_next(self) -> None:
        self.client.call("heap", file=self.file, timeout=6)  # enough also where others are busy
        time.sleep(6.2)
        self.assertEqual(self.client.call("heap", file=self.file)["answer"]["status"], "ok")

    def test_the_end_of_the_input_waits_for_the_answer(self) -> None:
        self.ask()
        assert self.client.process.stdin
        self.client.process.stdin.close()
        self.client.process.stdin = None
        os.kill(self.child, signal.SIGCONT)
        self.assertFalse(self.client.message()["result"]["isError"])
        self.assertEqual(self.client.process.wait(60), 0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        FOLDER = pathlib.Path(name)
        (FOLDER / "ring.hprof").write_bytes(ring().bytes())
        unittest.main(argv=sys.argv[:1])
