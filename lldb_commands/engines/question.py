"""What is asked of an engine. Imports no lldb."""
from __future__ import annotations

from dataclasses import dataclass


LISTED = 20000  # objects with undescribed members that one answer names


@dataclass(frozen=True)
class Question:
    """What an engine is asked. 0 leaves a limit to the engine."""

    query: str
    address: int
    limit: int = 0
    max_rings: int = 0
    probe: bool = False
    in_action: bool = False
    file: str = ""  # of a snapshot
    arguments: str = ""  # what arguments.py made: letters, digits, spaces and a few signs

    @property
    def looks_for_roots(self) -> bool:
        """In all of the process, unless the arguments name some."""
        return self.query in ("incoming-refs", "snapshot")
