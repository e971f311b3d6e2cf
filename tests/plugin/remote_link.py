"""A link between lldb and lldb-server that lists what lldb asks for, and may do something at it."""
import os
import re
import socket
import subprocess
import threading

REQUEST = re.compile(rb"\$([^#]*)#..")


def is_memory_read(request):
    return re.match(r"[mx][0-9a-f]+,", request) is not None


class RemoteLink:
    """Serves one connection; `requests` are those seen so far, without what frames them.

    on_request, called with each of them, holds it back until it returns. server_port is 0 when the
    server did not start.
    """

    def __init__(self, server, program, on_request=lambda request: None):
        self.requests = []
        self._on_request = on_request
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self._server, self.server_port = _start_server(server, program)
        threading.Thread(target=self._serve, args=(listener,), daemon=True).start()

    def close(self):
        self._server.terminate()
        self._server.wait()

    def _serve(self, listener):
        debugger, _ = listener.accept()
        server = socket.create_connection(("127.0.0.1", self.server_port))
        threading.Thread(target=_copy, args=(server, debugger), daemon=True).start()
        pending = b""
        while data := debugger.recv(1 << 16):
            pending += data
            end = 0
            for match in REQUEST.finditer(pending):
                request = match[1].decode("latin-1")
                self.requests.append(request)
                self._on_request(request)
                end = match.end()
            pending = pending[end:]
            server.sendall(data)


def _copy(source, destination):
    try:
        while data := source.recv(1 << 16):
            destination.sendall(data)
    except OSError:
        pass  # one of them has ended


def _start_server(server, program):
    """lldb-server with the program, not yet started, and the port that it listens at."""
    read_end, write_end = os.pipe()
    process = subprocess.Popen(
        [server, "gdbserver", "--pipe", str(write_end), "127.0.0.1:0", "--", *program],
        pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        port = int(pipe.read().strip(b"\0") or 0)
    return process, port
