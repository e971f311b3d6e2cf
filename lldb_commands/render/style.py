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
    links: bool = False  # the terminal has them (OSC 8)

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
    def arrow(self) -> str:
        return "→" if self.unicode else "->"


PLAIN = Style()

_LINKING_VARIABLES = ("KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM")
_LINKING_PROGRAMS = ("iTerm.app", "vscode", "WezTerm", "ghostty", "Hyper", "Tabby", "rio", "zed")
_LINKING_TERMS = ("xterm-kitty", "alacritty", "foot", "xterm-ghostty", "wezterm", "contour")
_VTE_WITH_LINKS = 5000  # GNOME's terminal and its relatives, from 0.50 on


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
    return Style(wanted == "unicode" or (wanted != "ascii" and utf8), colored, columns,
                 columns > 0 and _has_links(environment))


def _has_links(environment: Mapping[str, str]) -> bool:
    """Whether the terminal says that it is one of those with links; others might show the code.
    LOUPE_LINKS=always or never decides."""
    wanted = environment.get("LOUPE_LINKS", "").lower()
    if wanted in ("always", "never"):
        return wanted == "always"
    term = environment.get("TERM", "dumb")
    if term == "dumb" or term.startswith(("screen", "tmux", "linux")):
        return False
    vte = environment.get("VTE_VERSION", "")
    return (any(environment.get(name) for name in _LINKING_VARIABLES)
            or environment.get("TERM_PROGRAM", "") in _LINKING_PROGRAMS
            or term.startswith(_LINKING_TERMS) or (vte.isdigit() and int(vte) >= _VTE_WITH_LINKS))


def from_environment(use_color: bool, columns: int) -> Style:
    """columns is what lldb was told; it says nothing where the output is no terminal."""
    return for_terminal(use_color, os.environ, columns if os.isatty(1) else 0)
