"""The folders of the helper build on each other in one direction.

usage: folders.py HELPER_FOLDER
"""
import pathlib
import re
import sys

ORDER = ("kernel", "memory", "images", "threads", "probe")


def faults(helper):
    """Includes of a folder that comes later, and folders without a place in the order."""
    for place, folder in enumerate(ORDER):
        for path in sorted((helper / folder).glob("*.[ch]")):
            for included in re.findall(r'^#include "(\w+)/', path.read_text(), re.M):
                if included in ORDER[place + 1:]:
                    yield f"{path.relative_to(helper)} includes {included}/, which comes later"
    for folder in sorted(path.name for path in helper.iterdir() if path.is_dir()):
        if folder not in ORDER:
            yield f"helper/{folder} has no place in the order of folders"


def main():
    helper = pathlib.Path(sys.argv[1])
    found = list(faults(helper))
    print("\n".join(found))
    return 1 if found or not any((helper / folder).is_dir() for folder in ORDER) else 0


if __name__ == "__main__":
    sys.exit(main())
