"""What debug info knows of the blocks and ivars of a snapshot, in a file for the tool (cli/heaps/names.h)."""
from __future__ import annotations

import os
import re
from typing import Iterator

from ..names.block_debug_info import BlockDebugInfo, BlockInfo
from ..names.ivar_lines import text_of_module
from ..session.context import Context
from . import tool

_UNFIT = re.compile(r"[\t\r\n\0]")


def write(snapshot: str, context: Context) -> str:
    """The path of the file, beside the snapshot's. Names that there is no time for are left out."""
    known = BlockDebugInfo(context)
    path = f"{os.path.splitext(snapshot)[0]}.names"
    functions = [line for line in tool.run(["functions", snapshot], context).text.splitlines()
                 if line.startswith("0x")]
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        for function in functions:
            if context.is_late():
                break
            file.writelines(_lines(function, known.at(int(function, 16))))
        for module in context.target.module_iter():
            if not context.is_late():
                file.write(f"{text_of_module(module, context)}\n")
    return path


def _lines(function: str, info: BlockInfo) -> Iterator[str]:
    name = info.function if info.invoke is not None else ""
    yield f"block\t{function}\t{info.line}\t{plain(name)}\t{plain(info.file)}\n"
    for variable in info.variables:
        yield f"capture\t{function}\t{variable.offset}\t{plain(variable.path)}\n"


def plain(text: str) -> str:
    """As a word of the file."""
    return _UNFIT.sub(" ", text)
