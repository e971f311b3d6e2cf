"""How a report looks on one terminal: Unicode or ASCII, coloured or plain. Imports no lldb."""
from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Mapping


@dataclass(frozen=True)
class Style:
    unicode: bool = True
    color: bool = False
    width: int = 0  # columns of the terminal; 0 folds nothing

    # ---- Glyphs ----

    @property
    def ring_top(self) -> str:
        return "╭─▶ " if self.unicode else ".-> "

    @property
    def ring_side(self) -> str:
        return "│   " if self.unicode else "|   "

    @property
    def ring_bottom(self) -> str:
        return "╰── " if self.unicode else "'-- "

    @property
    def ring_gap(self) -> str:
        return "⋮   " if self.unicode else ":   "

    @property
    def arrow(self) -> str:
        return "→" if self.unicode else "->"

    @property
    def nested(self) -> str:
        return "└ " if self.unicode else "` "

    @property
    def bullet(self) -> str:
        return "•" if self.unicode else "*"

    # ---- Colours, by meaning ----

    def bad(self, text: str) -> str:
        return self._paint("1;31", text)

    def good(self, text: str) -> str:
        return self._paint("32", text)

    def name(self, text: str) -> str:
        return self._paint("1", text)

    def place(self, text: str) -> str:
        return self._paint("36", text)

    def faint(self, text: str) -> str:
        return self._paint("2", text)

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and text else text


PLAIN = Style()


def for_terminal(use_color: bool, environment: Mapping[str, str], columns: int = 0) -> Style:
    """The style for lldb's terminal, or for a pipe or a window of Xcode (columns is 0 then).

    use_color is what lldb itself was set to.

    LOUPE_GLYPHS=ascii or unicode decides the glyphs; else the locale does, and a Mac has them.
    """
    wanted = environment.get("LOUPE_GLYPHS", "").lower()
    locale = (environment.get("LC_ALL") or environment.get("LC_CTYPE")
              or environment.get("LANG") or "").upper()
    utf8 = "UTF-8" in locale or "UTF8" in locale or (not locale and sys.platform == "darwin")
    colored = (use_color and columns > 0 and environment.get("TERM", "dumb") != "dumb"
               and not environment.get("NO_COLOR"))
    return Style(wanted == "unicode" or (wanted != "ascii" and utf8), colored, columns)


def from_environment(use_color: bool, columns: int) -> Style:
    """columns is what lldb was told; it says nothing where the output is no terminal."""
    return for_terminal(use_color, os.environ, columns if os.isatty(1) else 0)
