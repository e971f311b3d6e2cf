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
    chosen = {test["name"] for test in json.loads(listed)["tests"]}
    words = set()
    # Of a program that is not there yet, the list has no command: the files that it is made of do.
    for file in pathlib.Path(tree).rglob("CTestTestfile.cmake"):
        for line in file.read_text(encoding="utf-8").splitlines():
            named = re.match(r"(?:add_test|set_tests_properties)\((?:\[=*\[)?\"?([^\s\]\"]+)", line)
            if named and named[1] in chosen:
                words.update(word for text in re.findall(r'"([^"]*)"', line) for word in re.split("[=:;]", text))
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
