#!/usr/bin/env python3
"""Makes a site of static pages from docs/: build.py ROOT OUT [--sources URL].

The order of pages is that of docs/index.md. Links to files that are no pages lead below URL, where
the project's sources can be browsed; without one they are plain text. Needs python3-markdown.
"""
from __future__ import annotations

import argparse
import html
import pathlib
import re
import shutil
import sys
from typing import List, Tuple

import markdown
from markdown.extensions.toc import TocExtension

import links

_HERE = pathlib.Path(__file__).resolve().parent
_TITLE = re.compile(r"^# (.+)$", re.M)
_HREF = re.compile(r'<a href="(?!https?:|mailto:|#)([^"#]*)(#[^"]*)?">(.*?)</a>', re.S)
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<nav aria-label="Pages">
{navigation}
</nav>
<main>
{body}
</main>
</body>
</html>
"""


def title_of(page: pathlib.Path) -> str:
    found = _TITLE.search(page.read_text(encoding="utf-8"))
    return found[1].replace("`", "") if found else page.stem


def sections(index: pathlib.Path) -> List[Tuple[str, List[str]]]:
    """The headings of the index with the pages below each, each page once."""
    found: List[Tuple[str, List[str]]] = []
    seen = {"index.md"}
    for line in index.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            found.append((line[3:], []))
        for name in re.findall(r"\]\(([\w.-]+\.md)\)", line):
            if name not in seen and found:
                seen.add(name)
                found[-1][1].append(name)
    return found


def navigation(docs: pathlib.Path, current: str) -> str:
    lines = ['<p><a href="index.html">Loupe</a></p>']
    for heading, names in sections(docs / "index.md"):
        lines.append(f"<p>{html.escape(heading)}</p>\n<ul>")
        for name in names:
            here = ' aria-current="page"' if name == current else ""
            lines.append(f'<li><a href="{name[:-3]}.html"{here}>'
                         f"{html.escape(title_of(docs / name))}</a></li>")
        lines.append("</ul>")
    return "\n".join(lines)


def rendered(page: pathlib.Path, root: pathlib.Path, sources: str) -> str:
    text = page.read_text(encoding="utf-8")
    body = markdown.markdown(text, extensions=[
        "tables", "fenced_code", "sane_lists",
        TocExtension(slugify=lambda heading, _separator: links.anchor(heading))])

    def led(match: "re.Match[str]") -> str:
        target, place, shown = match[1], match[2] or "", match[3]
        path = (page.parent / target).resolve()
        if path.parent == page.parent.resolve() and path.suffix == ".md":
            return f'<a href="{path.stem}.html{place}">{shown}</a>'
        if not sources:
            return shown
        return f'<a href="{html.escape(sources)}/{path.relative_to(root.resolve())}">{shown}</a>'

    return _HREF.sub(led, body)


def build(root: pathlib.Path, out: pathlib.Path, sources: str) -> int:
    docs = root / "docs"
    out.mkdir(parents=True, exist_ok=True)
    named = {"index.md", *(name for _, names in sections(docs / "index.md") for name in names)}
    missing = sorted(page.name for page in docs.glob("*.md") if page.name not in named)
    dead = [*links.problems(root), *(f"docs/index.md does not lead to {name}" for name in missing)]
    for page in sorted(docs.glob("*.md")):
        text = _PAGE.format(title=html.escape(title_of(page)), body=rendered(page, root, sources),
                            navigation=navigation(docs, page.name))
        (out / f"{page.stem}.html").write_text(text, encoding="utf-8")
    shutil.copy(_HERE / "style.css", out / "style.css")
    shutil.copytree(docs / "pictures", out / "pictures", dirs_exist_ok=True)
    for problem in dead:
        print(problem, file=sys.stderr)
    print(f"{len(list(out.glob('*.html')))} pages in {out}")
    return 1 if dead else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--sources", default="", help="where the project's files can be browsed")
    chosen = parser.parse_args()
    return build(chosen.root, chosen.out, chosen.sources.rstrip("/"))


if __name__ == "__main__":
    sys.exit(main())
