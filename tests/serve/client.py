"""A client of `loupe serve`: one server, asked line by line, each answer checked for its form."""
import json
import os
import pathlib
import select
import subprocess
import typing

Json = typing.Dict[str, typing.Any]


class Client:
    """with Client(loupe, "--keep", "2") as client: client.call("open", file=path)"""

    def __init__(self, loupe: str, *options: str, version: typing.Optional[str] = "2025-11-25",
                 cwd: typing.Optional[pathlib.Path] = None) -> None:
        self.process = subprocess.Popen([loupe, "serve", *options], stdin=subprocess.PIPE, cwd=cwd,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.next_id = 0
        self.pending = b""
        if version:
            self.hello = self.request("initialize", protocolVersion=version, capabilities={},
                                      clientInfo={"name": "test", "version": "0"})
            self.send(method="notifications/initialized")

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    # ---- Lines ----

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **members: typing.Any) -> None:
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **members}).encode() + b"\n")

    def line(self, seconds: float = 60) -> bytes:
        assert self.process.stdout
        while b"\n" not in self.pending:
            ready = select.select([self.process.stdout], [], [], seconds)[0]
            assert ready, f"no answer in {seconds} seconds"
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            assert data, f"the server ended: {self.process.wait()}"
            self.pending += data
        line, self.pending = self.pending.split(b"\n", 1)
        return line

    def message(self, seconds: float = 60) -> Json:
        line = self.line(seconds)
        assert all(0x20 <= byte < 0x7f for byte in line), line
        message: Json = json.loads(line)
        assert message["jsonrpc"] == "2.0" and "id" in message, message
        assert ("result" in message) != ("error" in message), message
        return message

    def is_silent(self, seconds: float = 0.3) -> bool:
        assert self.process.stdout
        return not self.pending and not select.select([self.process.stdout], [], [], seconds)[0]

    def end(self) -> typing.Tuple[int, bytes, bytes]:
        """Exit status, and what was said until the end."""
        out, err = self.process.communicate(timeout=1800)
        return self.process.returncode, self.pending + out, err

    # ---- Requests ----

    def post(self, method: str, **params: typing.Any) -> int:
        self.next_id += 1
        self.send(id=self.next_id, method=method, params=params)
        return self.next_id

    def ask(self, method: str, **params: typing.Any) -> Json:
        number = self.post(method, **params)
        message = self.message()
        assert message["id"] == number, message
        return message

    def request(self, method: str, **params: typing.Any) -> Json:
        message = self.ask(method, **params)
        assert "result" in message, message
        result: Json = message["result"]
        return result

    def refused(self, method: str, **params: typing.Any) -> typing.Tuple[int, str]:
        error = self.ask(method, **params)["error"]
        return error["code"], error["message"]

    # ---- Tools ----

    def result(self, tool: str, **arguments: typing.Any) -> Json:
        return self.request("tools/call", name=tool, arguments=arguments)

    def call(self, tool: str, **arguments: typing.Any) -> Json:
        """The structured content of an answer, which is the text too."""
        result = self.result(tool, **arguments)
        assert not result["isError"], result
        content: Json = result["structuredContent"]
        assert result["content"] == [{"type": "text", "text": result["content"][0]["text"]}]
        assert json.loads(result["content"][0]["text"]) == content
        return content

    def problem(self, tool: str, **arguments: typing.Any) -> str:
        """What a tool says that could not answer."""
        result = self.result(tool, **arguments)
        assert result["isError"], result
        if "structuredContent" in result:
            return str(result["structuredContent"]["answer"]["error"]["message"])
        return str(result["content"][0]["text"])
