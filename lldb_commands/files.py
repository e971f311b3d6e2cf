"""Text files that people name: read whole, written whole, an error says which. Imports no lldb."""
from __future__ import annotations

from typing import List

from .errors import LoupeError


def lines(path: str, what: str) -> List[str]:
    """The lines of a file; what it is to the reader ("the baseline") goes into the message."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read().splitlines()
    except OSError as error:
        raise LoupeError(f"cannot read {what} {path}: {error.strerror}") from None
    except ValueError:
        raise LoupeError(f"cannot read {what} {path}: it is not UTF-8 text") from None


def write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text if text.endswith("\n") else text + "\n")
    except OSError as error:
        raise LoupeError(f"cannot write {path}: {error.strerror}") from None
