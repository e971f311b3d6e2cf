"""The helper in every fixture says the same as Mach-O in the box and as ELF here: each answer, word for
word, but for addresses, times, bytes that nobody wrote, and what DIFFERS.

usage: test_same_answers.py OBSERVER_FOR_MAC FIXTURES_FOR_MAC OBSERVER FIXTURES [EMULATOR OPTION...] BOX
"""
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "helper"))
from fixtures_directly import run  # noqa: E402

# Fixtures whose answers are others, and why.
DIFFERS = {"cxx_ivar": "C++ of another library",
           "cxx_members": "C++ of another library"}
LINE = re.compile(r"(.+?) ([a-z-]+) (\{.*\})")


def main(mac_observer, mac_fixtures, observer, fixtures, *host):
    names = sorted(path.name for path in pathlib.Path(mac_fixtures).iterdir() if path.is_file())
    compared, differences = 0, []
    for name in names:
        on_mac = answers(run(f"{mac_fixtures}/{name}", mac_observer, host))
        here = answers(run(f"{fixtures}/{name}", observer, host[:-1]))
        found = [f"{name}: {text}" for text in differ(on_mac, here)]
        if name in DIFFERS:
            found = [] if found else [f"{name} does not differ any more"]
        else:
            compared += len(here)
        differences += found
    print("\n".join(differences) or f"{compared} answers of {len(set(names) - set(DIFFERS))} fixtures are the same")
    return 1 if differences or not compared else 0


def answers(finished):
    assert not finished.returncode, finished.stderr
    lines = [LINE.fullmatch(line) for line in finished.stdout.splitlines()]
    return {(line[1], line[2]): line[3] for line in lines if line}


def differ(on_mac, here):
    if set(on_mac) != set(here):
        yield f"asked there {sorted(on_mac)}, here {sorted(here)}"
        return
    for question in here:
        theirs, ours = (comparable(texts[question]) for texts in (on_mac, here))
        if theirs != ours:
            yield f"{question}: " + first_difference(theirs, ours)


def comparable(text):
    """The addresses that are left are numbered as they come."""
    addresses = {}

    def numbered(match):
        return addresses.setdefault(match[0], f"<{len(addresses)}>")

    kept = json.dumps(without_chance(json.loads(text)))
    return json.loads(re.sub(r"\b0x[0-9a-f]{6,}\b", numbered, kept))


def without_chance(value):
    """Without times and whether a probe was made before (addresses decide which one goes); behind plain
    data that is shorter than its place stands what nobody wrote; and only a Mac's compiler writes
    classes into signatures of blocks and, with their length, into names of descriptors."""
    if isinstance(value, list):
        return [without_chance(item) for item in value]
    if isinstance(value, str):
        return re.sub(r"_e\d+_[^_]*\x01.*|@\"\w+\"", "@", value)
    if not isinstance(value, dict):
        return value
    is_plain = value.get("kind") in ("data", "unknown")
    return {key: without_chance(item) for key, item in value.items()
            if key not in ("ms", "walk_ms", "cached") and not (is_plain and key == "value")}


def first_difference(theirs, ours, path=""):
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in [*ours, *theirs]:
            if theirs.get(key) != ours.get(key):
                return first_difference(theirs.get(key), ours.get(key), f"{path}.{key}")
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for number, (one, other) in enumerate(zip(theirs, ours)):
            if one != other:
                return first_difference(one, other, f"{path}[{number}]")
    return f"{path}: {json.dumps(theirs)[:200]} there, {json.dumps(ours)[:200]} here"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
