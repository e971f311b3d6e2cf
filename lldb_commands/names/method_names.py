"""Methods as a person writes them, from the symbols that GNU runtimes give them. Imports no lldb."""
from __future__ import annotations

import re

# _i_Downloader__start, _c_Downloader__shared, _i_Downloader__setURL_timeout_; between the two
# underscores stands the category, if there is one.
_GNU_METHOD = re.compile(r"_([ic])_([A-Za-z0-9]+)__(_*)(\w+)")


def as_method(symbol: str) -> str:
    """-[Downloader setURL:timeout:]; the symbol itself where it is no method's, or of a category.

    Underscores are colons in selectors that end with one: others take no arguments.
    """
    match = _GNU_METHOD.fullmatch(symbol)
    if match is None:
        return symbol
    kind, cls, private, name = match.groups()
    selector = private + (name.replace("_", ":") if name.endswith("_") else name)
    return f"{'-' if kind == 'i' else '+'}[{cls} {selector}]"
