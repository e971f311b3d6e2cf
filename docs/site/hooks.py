"""What mkdocs asks about the pages: their order, which is that of docs/index.md, their anchors, and links
to files of the sources, which lead to where the project lives (LOUPE_HOMEPAGE) or are plain text.
"""
from __future__ import annotations

import os
import pathlib
import re
import sys
from typing import Any, Dict, List

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import links  # noqa: E402

_DOCS = pathlib.Path(__file__).resolve().parents[1]
_HOME = os.environ.get("LOUPE_HOMEPAGE", "").rstrip("/")
_OUTSIDE = re.compile(r"(!?)\[((?:[^\]\\]|\\.)*)\]\((\.\./[^)\s]*)\)")


def _navigation() -> List[Any]:
    """The headings of the index with the pages below each, each page once."""
    found: List[Any] = ["index.md"]
    seen = {"index.md"}
    for line in (_DOCS / "index.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            found.append({line[3:]: []})
        for name in re.findall(r"\]\(([\w.-]+\.md)\)", line):
            if name not in seen and len(found) > 1:
                seen.add(name)
                next(iter(found[-1].values())).append(name)
    missing = sorted(page.name for page in _DOCS.glob("*.md") if page.name not in seen)
    if missing:
        raise SystemExit(f"docs/index.md has no link to {', '.join(missing)}")
    return found


def on_config(config: Any) -> Any:
    config["nav"] = _navigation()
    config["mdx_configs"]["toc"] = {"permalink": True,
                                    "slugify": lambda heading, _separator: links.anchor(heading)}
    if _HOME:
        config["repo_url"] = _HOME
    return config


def on_files(files: Any, config: Any) -> Any:
    del config
    for file in [file for file in files if file.src_path.startswith("site/")]:
        files.remove(file)
    return files


def _led(match: "re.Match[str]") -> str:
    picture, shown, target = match[1], match[2], match[3]
    path = target.replace("../", "", 1)
    return f"{picture}[{shown}]({_HOME}/blob/HEAD/{path})" if _HOME else shown


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    del config, files
    page.title = page.title.replace("`", "")  # menus and tabs of browsers show it as it is
    return _OUTSIDE.sub(_led, markdown)
