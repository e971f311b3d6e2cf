"""docs/protocol.md and docs/protocol_heaps.md name every key, reason and kind that an answer can contain.

usage: protocol_is_documented.py PROJECT_FOLDER
"""
import pathlib
import re
import sys
from typing import Dict, Iterator, Tuple

KEY = re.compile(r'(?:loupe_json_(?:key|put_\w+)|write_\w+)\(\s*(?:\w+->)?json,\s*"([a-z_]+)"')
TEXT = re.compile(r'\[LOUPE_(?:DETAIL|EDGE|CAPTURE|EVIDENCE|QUERY|BYREF|LAYOUT)_\w+\] = "([^"]+)"')

TWO_TEXTS = re.compile(r'\[LOUPE_FINDING_\w+\] =\s*\{"([^"]+)",\s*"([^"]+)"\}')


def said(folder: pathlib.Path) -> Iterator[Tuple[str, pathlib.Path]]:
    """What the sources put into answers, and where."""
    for path in sorted([*folder.glob("core/**/*.c"), *folder.glob("helper/**/*.c")]):
        source = path.read_text()
        for pattern in (KEY, TEXT):
            for match in pattern.finditer(source):
                yield match[1], path
        for match in TWO_TEXTS.finditer(source):
            yield from ((text, path) for text in match.groups())


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    pages = "".join((folder / "docs" / name).read_text() for name in ("protocol.md", "protocol_heaps.md"))
    page = re.sub(r"^```.*?^```$", "", pages, flags=re.M | re.S)
    words = set(re.findall(r'`([^`]+)`', page))
    documented = words | {name for word in words for name in re.findall(r'"([^"]+)"', word)}
    missing: Dict[str, pathlib.Path] = {
        name: path for name, path in said(folder) if name not in documented}
    for name, path in missing.items():
        print(f'docs/protocol.md does not say what "{name}" is ({path.name})')
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
