"""From an answer to what is printed or written: the one place that knows the output options."""
from __future__ import annotations

import os
from typing import Any, Dict, Mapping, Tuple

from ..errors import LoupeError
from ..protocol import Answer
from ..render import fields, places
from ..render.style import Style
from ..render.width import fit
from ..text import files
from ..text.printable import json_of, printable, printable_answer
from . import answers, pictures
from .rings import shorten

_TABLES = ("block-layout", "ivar-layout")  # which folding would break
# Forms, which are the options that name their files too, and what each is called.
PICTURES = {"dot": "graph", "html": "HTML page"}


def as_text(answer: Answer, style: Style, asked: str, verbose: bool) -> str:
    """The report. Renderers see only text that is printable, so that none needs a thought of it."""
    answer = printable_answer(answer, style.unicode)
    places.name_files(answer, verbose, os.getcwd())
    for ivar in (ivar for level in answer.get("levels") or [] for ivar in level.get("ivars") or []):
        ivar["rows"] = fields.member_rows(ivar, verbose)
    text = answers.report(answer, asked, answers.Look(style.unicode, style.color, verbose, style.width))
    text = text if answer.get("query") in _TABLES else fit(text, style)
    return places.with_links(text, answer) if style.links else text


def as_json(answer: Mapping[str, object]) -> str:
    """One line of ASCII, as the protocol has it."""
    return json_of(answer, separators=(",", ":"))


def deliver(answer: Answer, style: Style, asked: str, options: Dict[str, Any]) -> str:
    """Writes the files that were asked for; returns what goes to the console."""
    verbose = bool(options.get("verbose"))
    picture = ""
    asked = printable(asked, style.unicode)
    if options.get("json") or options.get("format") or any(map(options.get, PICTURES)):
        answers.add_words(answer)
    for form in PICTURES:
        if options.get(form):
            title = _title(printable_answer(answer), asked)
            pictures.write(answer, title, form, options[form], verbose)
            picture += f"\n{PICTURES[form]} written to {options[form]}"
    if picture:
        shorten(answer, options.get("max_rings") or 1)  # a picture has room for more
    if options.get("format"):
        return _for_machines(answer, _title(printable_answer(answer), asked), options) + picture
    if options.get("output"):
        in_file, first_lines = _for_file(answer, style, asked, options)
        files.write(options["output"], in_file)
        return f"{first_lines}\nwritten to {options['output']}{picture}"
    if options.get("json"):
        return as_json(answer)
    return as_text(answer, style, asked, verbose) + picture


def failed(query: str, error: LoupeError, text: str, options: Dict[str, Any]) -> str:
    """A failure for those who read files and JSON; returns what goes to the console beside the
    error. No older answer stays in a file that this one was to be written to, and no picture."""
    answer = error.answer or {
        "loupe": 1, "query": query, "engine": None, "status": "error", "abi": None,
        "pointer_size": None,
        "error": {"code": error.code, "message": str(error), "address": None, "detail": error.detail}}
    shown = as_json(answer) if options.get("json") else ""
    if options.get("format") and options.get("output"):
        return _for_machines(answer, f"error: {text}", options)
    if options.get("output"):
        files.write(options["output"], shown or f"error: {text}")
    for form in PICTURES:
        if options.get(form):
            files.remove(options[form])  # a picture of a failure would look like an answer
    return "" if options.get("output") else shown


def _for_machines(answer: Answer, title: str, options: Dict[str, Any]) -> str:
    """A report for CI: in a file, or what goes to the console."""
    if not options.get("output"):
        return pictures.report(answer, options, options.get("program") or "").rstrip("\n")
    pictures.write_report(answer, options, options.get("program") or "")
    return f"{title}\nwritten to {options['output']}"


def _for_file(answer: Answer, style: Style, asked: str, options: Dict[str, Any]) -> Tuple[str, str]:
    plain = Style(unicode=style.unicode)
    text = as_text(answer, plain, asked, bool(options.get("verbose")))
    first_lines = _title(printable_answer(answer, style.unicode), asked) \
        if answer.get("query") == "retain-cycles" else text.split("\n", maxsplit=1)[0]
    return (as_json(answer) if options.get("json") else text), first_lines


def _title(answer: Answer, asked: str) -> str:
    return answers.headline(answer, asked)
