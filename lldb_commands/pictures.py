"""Pictures and reports for machines: made of an answer by the terminal tool, which has the one
writer of each. Imports no lldb.
"""
from __future__ import annotations

import json
import subprocess
from typing import Any, Dict, List

from . import files
from .engines import libraries
from .errors import LoupeError
from .printable import printable, without_surrogates
from .render.words import class_name

Json = Dict[str, Any]

_PATIENCE = 60.0  # seconds, for the largest answers
_SHORT_PATIENCE = 5.0


def write(answer: Json, title: str, form: str, path: str, verbose: bool = False) -> None:
    """Writes a picture of an answer to a file; form: html or dot. Without a title it says its own."""
    files.write(path, drawn(answer, ["--format", form, *(["--title", title] if title else []),
                                     *(["--verbose"] if verbose else [])]))


def report(answer: Json, form: str) -> str:
    """A report for CI; form: github, sarif or junit."""
    return drawn(answer, ["--format", form])


def write_report(answer: Json, form: str, path: str, append: bool) -> None:
    """Writes one, or puts it behind those that the file has."""
    if append:
        drawn(answer, ["--format", form, "--output", path, "--append"])
    else:
        files.write(path, report(answer, form))


def name_patterns(answer: Json) -> None:
    """Says of each knot which mistake that everybody makes it shows, where the tool knows one and
    is there. Nothing is missed without."""
    if not answer.get("knots"):
        return
    try:
        found = json.loads(drawn(answer, ["--format", "patterns"], _SHORT_PATIENCE))
    except (LoupeError, ValueError):
        return
    named = {(one["fingerprint"], one["verdict"]): one for one in found}
    for knot in answer["knots"]:
        pattern = named.get((knot.get("fingerprint"), knot.get("verdict")))
        if pattern is not None:
            knot["pattern"] = {key: pattern[key] for key in ("id", "name", "why")}


def drawn(answer: Json, options: List[str], patience: float = _PATIENCE) -> str:
    """What the tool makes of an answer."""
    told = json.dumps(without_surrogates(_as_in_the_source(answer)))
    try:
        done = subprocess.run([_tool(), "draw", "-", *options], input=told.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=patience,
                              check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise LoupeError(f"no picture: the terminal tool cannot run: {error}") from None
    if done.returncode:
        raise LoupeError("no picture: " + printable(done.stderr.decode(errors="replace").strip()
                                                    or f"the tool ended with {done.returncode}"))
    return done.stdout.decode()


def _tool() -> str:
    path = libraries.find("tool")
    if path is not None:
        return path
    refused = libraries.refused("tool")
    raise LoupeError("no picture: " + (refused[0] if refused else
                     "the terminal tool `loupe` is not there: build it, or set LOUPE_TOOL to its path"))


def _as_in_the_source(answer: Json) -> Json:
    """Classes by the names that programs use."""
    objects = answer.get("objects")
    if not isinstance(objects, dict):
        return answer
    return {**answer, "objects": {address: {**thing, "class": class_name(thing)}
                                  for address, thing in objects.items()}}
