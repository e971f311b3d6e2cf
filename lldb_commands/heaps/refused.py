"""Why there is no snapshot of a stop. Imports no lldb."""
from __future__ import annotations


from ..errors import NOT_LOADED_YET
from ..protocol import Error

_BY_CODE = {
    "timeout": "the time was up before all of the heap was read: allow more with --timeout",
    "no-runtime": "no Objective-C runtime that is known is in this process: if it is not loaded yet, "
                  + NOT_LOADED_YET,
}


def in_words(error: Error, path: str) -> str:
    """No object was named, so nothing of an address; and nobody asked for the file at path."""
    what = _BY_CODE.get(str(error.get("code")))
    message = str(error.get("message") or "the snapshot of this stop could not be made")
    return what or message.replace(path, "its file")
