#!/usr/bin/env python3
"""Finds links between the project's pages that lead nowhere, and pages that nothing leads to.

    links.py ROOT
"""
from __future__ import annotations

import pathlib
import re
import sys
from typing import Dict, Iterator, List, Set, Tuple

_FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
_CODE = re.compile(r"(`+).*?\1", re.S)
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.M)


def pages(root: pathlib.Path) -> List[pathlib.Path]:
    """All pages that people read: what stands beside sources counts, what is built does not."""
    return [path for path in sorted(root.rglob("*.md"))
            if not {"build", "node_modules", ".git"} & set(path.relative_to(root).parts)]


def anchor(heading: str) -> str:
    """As hosts of repositories make them: letters, digits, dashes."""
    text = re.sub(r"\]\([^)]*\)|[`*\[\]]", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(page: pathlib.Path) -> Set[str]:
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    return {anchor(match[1]) for match in _HEADING.finditer(text)}


def links(page: pathlib.Path) -> Iterator[Tuple[str, str]]:
    """Target and anchor of each link that leads to a file of the project."""
    text = _CODE.sub("", _FENCE.sub("", page.read_text(encoding="utf-8")))
    for match in _LINK.finditer(text):
        target, _, place = match[1].partition("#")
        if "://" not in match[1] and not match[1].startswith("mailto:"):
            yield target, place


def problems(root: pathlib.Path) -> Iterator[str]:
    known: Dict[pathlib.Path, Set[str]] = {page.resolve(): anchors(page) for page in pages(root)}
    reached: Set[pathlib.Path] = set()
    for page in pages(root):
        for target, place in links(page):
            leads_to = (page.parent / target).resolve() if target else page.resolve()
            reached.add(leads_to)
            name = f"{page.relative_to(root)}: {target}"
            if not leads_to.exists():
                yield f"{name} is not there"
            elif place and leads_to in known and place not in known[leads_to]:
                yield f"{name}#{place}: no such heading"
    for page in known:
        if page.parent == (root / "docs").resolve() and page not in reached and page.stem != "index":
            yield f"{page.relative_to(root.resolve())}: no page links to it"


def main() -> int:
    found = list(problems(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "no link leads nowhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
