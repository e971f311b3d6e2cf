"""Prints what is to be built for tests: the files of their command lines and environments that are made in the tree.

usage: programs_of.py TREE [CTEST OPTION...] | xargs ninja -C TREE
"""
import json
import pathlib
import re
import subprocess
import sys


def main(tree, options):
    listed = subprocess.run(["ctest", "--test-dir", tree, "--show-only=json-v1", *options], check=True,
                            capture_output=True, text=True).stdout
    words = set()
    for test in json.loads(listed)["tests"]:
        words.update(test.get("command", []))
        for setting in test["properties"]:
            if setting["name"] == "ENVIRONMENT":
                words.update(word for line in setting["value"] for word in re.split("[=:]", line))
    made = subprocess.run(["ninja", "-C", tree, "-t", "targets", "all"], check=True, capture_output=True, text=True).stdout
    made = {line.rpartition(":")[0] for line in made.splitlines()}
    folder = pathlib.Path(tree).resolve()
    inside = {str(pathlib.Path(word).relative_to(folder)) for word in words
              if pathlib.Path(word).is_absolute() and pathlib.Path(word).is_relative_to(folder)}
    print(*sorted(inside & made), sep="\n")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
