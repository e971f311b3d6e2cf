"""The rooms of the house, as ARCHITECTURE.md lists them."""
import pathlib
import re
from typing import Dict, List


def folders(source: pathlib.Path) -> Dict[str, str]:
    """The sentence of each folder, by its path, in the order of the page."""
    text = (source / "ARCHITECTURE.md").read_text(encoding="utf-8")
    return {path.rstrip("/"): sentence for path, sentence in re.findall(r"^\| `([^`]+)` \| (.+?) \|$", text, re.M)}


def folders_of_core(source: pathlib.Path) -> List[str]:
    """In the order in which they build on each other, without those inside of them."""
    return [path[len("core/"):] for path in folders(source) if re.fullmatch(r"core/\w+", path)]
