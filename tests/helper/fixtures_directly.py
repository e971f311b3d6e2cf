"""The helper inside every fixture: its answers by expect.json, the count of cycles by the report of
them, and the probes by the layouts.

usage: fixtures_directly.py OBSERVER FIXTURE_PROGRAMS FIXTURE_SOURCES [EMULATOR OPTION...] [BOX]
An emulator (qemu's) runs programs of another machine; a BOX (tests/box, by this name) those of a Mac,
where all fixtures have to be there.
Fixtures that were not built are passed over; with another runtime classes have other names, so
there nothing is compared with expect.json.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fixtures"))
import expectation  # noqa: E402

OWNED = {"strong", "block", "byref", "weak"}
UNKNOWN = 2 ** 32 - 1  # loupe_count_cycles() cannot tell


def run(program, observer, host):
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    if not host:
        environment["LD_PRELOAD"] = observer
        command = [program]
    elif os.path.basename(host[-1]) == "box":
        command = [*host, "--insert", observer, program]
    else:
        command = [host[0], "-E", f"LD_PRELOAD={observer}", *host[1:], program]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def answers(program, observer, host):
    finished = run(program, observer, host)
    found = {}
    for line in finished.stdout.splitlines():
        match = re.fullmatch(r"(.+?) ([a-z-]+) (\{.*\})", line)
        if match:
            found.setdefault(match[1], {})[match[2]] = json.loads(match[3])
    if finished.returncode:
        yield f"exits with {finished.returncode}: {finished.stderr.strip()}"
    return found


def probe_faults(layout, probe):
    """The probe and the descriptions of the block have to agree on what it owns."""
    if probe["skipped"]:
        return
    released = {item["offset"]: item["kind"] for item in probe["captures"]}
    described = {item["offset"]: item["kind"] for item in layout["captures"]
                 if item["kind"] in OWNED}
    # A block that ARC owns is released like any object.
    described = {offset: "strong" if kind == "block" and released.get(offset) == "strong" else kind
                 for offset, kind in described.items()}
    if released != described:
        yield f"the probe saw {released}, described are {described}"


def leaves(ivar):
    return ivar["fields"] or [{**ivar, "path": ivar["name"]}]


def ivar_faults(layout, probe):
    """So have .cxx_destruct and the ownership of ivars, where it is known."""
    for described, level in zip(layout["levels"], probe["levels"]):
        known = [leaf for ivar in described["ivars"] for leaf in leaves(ivar)]
        if level["skipped"] or any(leaf["ownership"] == "unknown" for leaf in known):
            continue
        kinds = {"strong", "weak"} if level["weak_tested"] else {"strong"}
        owned = {(leaf["offset"], leaf["path"]): leaf["ownership"]
                 for leaf in known if leaf["ownership"] in kinds}
        released = {(item["offset"], item["path"]): item["ownership"] for item in level["ivars"]}
        if released != owned:
            yield f"{level['class']}: the probe saw {released}, described are {owned}"


def count_faults(report, count):
    """The number alone is that of the report, or says that it cannot be told."""
    certain = sum(knot["certain"] for knot in report.get("knots", ()))
    wanted = certain if certain or report["status"] == "ok" else UNKNOWN
    if count != wanted or certain != report.get("knots_found", 0) - report.get("possible_found", 0):
        yield f"{count} cycles are counted, {wanted} reported ({report['status']})"


def faults(name, found, sources):
    expected = json.loads((sources / name / "expect.json").read_text())
    for expression, wanted in expected.items():
        asked = found.get(expression) or (expression == "seed" and found.get("node0"))
        if not asked or asked["retain-cycles"]["abi"] != "apple":
            continue
        for fault in expectation.faults(wanted, asked["retain-cycles"], asked["block-layout"],
                                        named=False):
            yield f"{expression}: {fault}"
    for expression, asked in found.items():
        for fault in count_faults(asked["retain-cycles"], asked["count-cycles"]["cycles"]):
            yield f"{expression}: {fault}"
        if asked["block-layout"]["status"] == "ok":
            yield from probe_faults(asked["block-layout"], asked["dispose-probe"])
        elif asked["ivar-layout"]["status"] == "ok":
            yield from ivar_faults(asked["ivar-layout"], asked["dispose-probe"])


def main():
    observer, programs, sources, *host = sys.argv[1:]
    programs, sources = pathlib.Path(programs), pathlib.Path(sources)
    names = sorted(path.parent.name for path in sources.glob("*/expect.json")
                   if (programs / path.parent.name).exists())
    total = blocks = probes = levels = 0
    wrong = []
    for name in names:
        found = {}

        def collect():
            found.update((yield from answers(programs / name, observer, host)))

        problems = list(collect()) + list(faults(name, found, sources))
        wrong += [f"{name}: {problem}" for problem in problems]
        total += len(found)
        blocks += sum(asked["block-layout"]["status"] == "ok" for asked in found.values())
        probes += sum(asked["dispose-probe"].get("skipped", "") is None for asked in found.values())
        levels += sum(level["skipped"] is None for asked in found.values()
                      for level in asked["dispose-probe"].get("levels", ()))
    print("\n".join(problem[:400] for problem in wrong))
    print(f"{len(names)} fixtures, {total} objects, {blocks} blocks, {probes} of them probed, "
          f"the ivars of {levels} classes")
    return 1 if wrong or not probes or not levels or total < len(names) else 0


if __name__ == "__main__":
    sys.exit(main())
