"""Pictures and reports for machines: made of an answer by the command-line tool, which has the one
writer of each. Imports no lldb.
"""
from __future__ import annotations

import subprocess
from typing import Any, Dict, List, Mapping

from ..engines import libraries
from ..errors import LoupeError, tool_ended
from ..text import files
from ..text.printable import json_of, printable


_PATIENCE = 60.0  # seconds, for the largest answers


def write(answer: Mapping[str, object], title: str, form: str, path: str, verbose: bool = False) -> None:
    """Writes a picture of an answer to a file; form: html or dot. Without a title it says its own."""
    files.write(path, drawn(answer, ["--format", form, *(["--title", title] if title else []),
                                     *(["--verbose"] if verbose else [])]))


def report(answer: Mapping[str, object], options: Dict[str, Any], program: str) -> str:
    """A report for CI in the --format of the options. What has no line is shown at --anchor, where that
    is given; program: of the target, for formats in which nothing may be without a file."""
    return drawn({**answer, "program": program}, _report_words(options))


def write_report(answer: Mapping[str, object], options: Dict[str, Any], program: str) -> None:
    """Writes one to --output, or with --append puts it behind those that the file has."""
    path = options["output"]
    if options.get("append"):
        drawn({**answer, "program": program}, [*_report_words(options), "--output", path, "--append"])
    else:
        files.write(path, report(answer, options, program))


def _report_words(options: Dict[str, Any]) -> List[str]:
    anchor = options.get("anchor")
    return ["--format", options["format"], *(["--anchor", anchor] if anchor else [])]


def drawn(answer: Mapping[str, object], options: List[str]) -> str:
    """What the tool makes of an answer."""
    return tool(json_of(answer).encode(), options, _PATIENCE).decode()


def tool(answer: bytes, options: List[str], patience: float) -> bytes:
    """What `loupe draw` writes about one."""
    try:
        done = subprocess.run([_tool(), "draw", "-", *options], input=answer,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=patience,
                              check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise LoupeError(f"nothing written: the command-line tool cannot run: {error}") from None
    if done.returncode:
        complaint = printable(done.stderr.decode(errors="replace").strip())
        raise LoupeError(f"nothing written: {tool_ended(complaint, done.returncode)}")
    return done.stdout


def _tool() -> str:
    path = libraries.find("tool")
    if path is not None:
        return path
    refused = libraries.refused("tool")
    raise LoupeError("nothing written: " + (refused[0] if refused else
                     "the command-line tool `loupe` is not there: build it, or set LOUPE_TOOL to its path"))
