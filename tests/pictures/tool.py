"""Draws answers with the built tool, whose path is in LOUPE."""
import json
import os
import pathlib
import subprocess
import sys
from typing import Any, Dict

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lldb" / "unit"))

Json = Dict[str, Any]


def run(*words: str, given: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([os.environ["LOUPE"], *words], input=given, capture_output=True,
                          timeout=1800, check=False)


def drawn(answer: Json, form: str, *options: str) -> str:
    """What `loupe draw` makes of an answer."""
    done = run("draw", "-", "--format", form, *options, given=json.dumps(answer).encode())
    assert (done.returncode, done.stderr) == (0, b""), done
    return done.stdout.decode()


def data_of(page: str) -> Json:
    """What a page holds for its program."""
    start = page.index('id="data">') + len('id="data">')
    return json.loads(page[start:page.index("</script>", start)])
