"""What can be asked: the table of verbs/, as `loupe verbs --json` prints it, in verbs.json.

The file is made by `ninja -C build write_verbs`. LLDB waits for this at each start, so nothing that
is slow to import is imported, not even typing.
"""
from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List

    Json = Dict[str, Any]


def _read() -> List[Json]:
    path = os.path.join(os.path.dirname(__file__), "verbs.json")
    with open(path, encoding="utf-8") as file:
        table: List[Json] = json.load(file)["verbs"]
    return table


TABLE: List[Json] = _read()
OF_LLDB: List[Json] = [verb for verb in TABLE if verb["lldb"]]
_BY_COMMAND = {verb["lldb"]["command"]: verb for verb in OF_LLDB}


def of_command(name: str) -> Json:
    """The verb of a command of LLDB: "loupe leaks"."""
    return _BY_COMMAND[name]
