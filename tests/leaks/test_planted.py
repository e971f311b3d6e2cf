"""Leaks that a program planted and knows, told of it from outside.

usage: test_planted.py LOUPE CHECKER PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from waiting import snapshots_of

AMOUNTS = ("lost", "unowned", "timer")


def asked(loupe, verb, *words):
    return subprocess.run([loupe, verb, *words], capture_output=True, text=True, timeout=1800,
                          check=False).stdout


def told(loupe, *words):
    return asked(loupe, "leaks", *words)


def kept_by(leak, degree, key):
    """Words that own nothing may lead to some of a kind."""
    if degree == "timer" or leak["degree"] == "timer":
        return leak[key] if leak["degree"] == degree else 0
    return leak["unowned"][key] if degree == "unowned" else leak[key] - leak["unowned"][key]


def kept(leaks, *degrees):
    return {key: sum(kept_by(leak, degree, key) for leak in leaks for degree in degrees)
            for key in ("objects", "others", "bytes")}


def words(amount):
    """Objects, and apart from them memory without a class."""
    others, objects = amount["others"], amount["objects"] - amount["others"]
    told_objects = f"{objects} object{'s' * (objects != 1)}" if objects else ""
    kind = "other allocation" if objects else "allocation"
    told_others = f"{others} {kind}{'s' * (others != 1)}" if others else ""
    return ", ".join(filter(None, (told_objects, told_others)))


def check_totals(answer, shown, hidden, what):
    """Amounts are those of the entries that are shown, and of the others."""
    for degree in AMOUNTS:
        assert answer[degree] == kept(shown, degree), (what, degree, answer[degree])
    assert answer["leaked"] == kept(shown, "lost", "unowned"), (what, answer["leaked"])
    assert answer["found"] == sum(leak["count"] for leak in shown), (what, answer["found"])
    assert answer["not_shown"] == kept(hidden, *AMOUNTS), (what, answer["not_shown"])


def classes_of(leak, objects):
    """A ring is of each class that it goes through."""
    steps = leak["ring"]["edges"] if leak["ring"] else []
    return {leak["class"]} | {objects[step["from"]]["class"] for step in steps
                              if step["from"] in objects}


def check_filtered(loupe, snapshot, folder):
    answer = json.loads(told(loupe, "--json", snapshot))
    leaks = answer["leaks"]
    classes = [classes_of(leak, answer["objects"]) for leak in leaks]
    names = sorted(set().union(*classes) - {"(raw memory)"})
    assert any(name.startswith("block ") for name in names), names
    assert any(len(several) > 1 for several in classes), "no ring goes through several classes"
    for name in names:
        shown = [leak for leak, several in zip(leaks, classes) if name in several]
        hidden = [leak for leak, several in zip(leaks, classes) if name not in several]
        answer = json.loads(told(loupe, "--json", "--class", name, snapshot))
        assert len(answer["leaks"]) == len(shown), (name, answer["leaks"])
        check_totals(answer, shown, hidden, name)
        assert answer["hidden_by_class"] == len(hidden), answer["hidden_by_class"]
        text = told(loupe, "--class", name, snapshot)
        lost = kept(shown, "lost")
        head = text.partition("\n\n")[0]
        assert f"unreachable: {words(lost)}" in head or not lost["objects"], text
        assert f"Hidden by --class: {len(hidden)} distinct leak" in text, text
        assert f"Hidden in all: {words(kept(hidden, *AMOUNTS))}" in text, text
    baseline = folder / "known"
    told(loupe, "--write-baseline", str(baseline), snapshot)
    lines = baseline.read_text().splitlines(keepends=True)
    baseline.write_text("".join(lines[:3]))
    answer = json.loads(told(loupe, "--json", "--baseline", str(baseline), snapshot))
    marks = {leak["fingerprint"] for leak in answer["leaks"]}
    assert answer["hidden_by_baseline"], answer["hidden_by_baseline"]
    check_totals(answer, answer["leaks"],
                 [leak for leak in leaks if leak["fingerprint"] not in marks], "baseline")


def check_circles(loupe, snapshot):
    """Circles through memory are no knots of references, but `cycles` does not pass over them."""
    leaks = json.loads(told(loupe, "--json", snapshot))["leaks"]
    circles = sum(leak["count"] for leak in leaks if leak["kind"] == "cycle" and not leak.get("knot"))
    assert circles, leaks
    assert json.loads(asked(loupe, "cycles", "--json", snapshot))["memory_circles"] == circles
    text = asked(loupe, "cycles", snapshot)
    assert f"{circles} possible cycle" in text.splitlines()[1], text


def check_addresses_inside(loupe, snapshot):
    for leak in json.loads(told(loupe, "--json", snapshot))["leaks"]:
        start = leak["examples"][0]
        inside = hex(int(start, 16) + 8)
        for verb in ("path", "retained"):
            text = asked(loupe, verb, snapshot, start)
            assert text and asked(loupe, verb, snapshot, inside) == text, (verb, start, text)


def main():
    loupe, checker, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        truth = folder / "truth"
        snapshots, trouble = snapshots_of([program, truth], loupe, folder)
        if trouble:
            print(trouble)
            return 1
        check_filtered(loupe, snapshots[0], folder)
        check_circles(loupe, snapshots[0])
        check_addresses_inside(loupe, snapshots[0])
        return subprocess.run([checker, truth, *snapshots], timeout=1800, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
