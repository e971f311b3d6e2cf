"""Processor time of tests, the dearest first: what they take themselves, with all that they start.

usage: costs.py TREE [CTEST OPTION...]      costs.py build -LE slow -R '^lldb'

One after the other, so that a busy machine makes them slower but hardly dearer. Ends with 1 if one failed.
"""
import json
import os
import subprocess
import sys
import time


def main(tree, options):
    listed = subprocess.run(["ctest", "--test-dir", tree, "--show-only=json-v1", *options], check=True,
                            capture_output=True, text=True).stdout
    costs = []
    for test in json.loads(listed)["tests"]:
        costs.append(cost(test))
        print("%8.2f s of %7.2f s  %s%s" % costs[-1], flush=True)
    costs.sort(reverse=True)
    print("\nthe dearest:")
    for one in costs[:40]:
        print("%8.2f s of %7.2f s  %s%s" % one)
    print(f"{sum(one[0] for one in costs):8.2f} s of processor time in {len(costs)} tests")
    return any(one[3] for one in costs)


def cost(test):
    """Seconds of processor time and of the clock, the name, and whether it failed."""
    settings = {setting["name"]: setting["value"] for setting in test["properties"]}
    environment = {**os.environ, **dict(line.split("=", 1) for line in settings.get("ENVIRONMENT", []))}
    begun = time.monotonic()
    before = os.times()
    done = subprocess.run(test["command"], env=environment, cwd=settings.get("WORKING_DIRECTORY"), check=False,
                          capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    after = os.times()
    passed = done.returncode in (0, settings.get("SKIP_RETURN_CODE", 0)) or "PASS_REGULAR_EXPRESSION" in settings
    taken = (after.children_user - before.children_user) + (after.children_system - before.children_system)
    return taken, time.monotonic() - begun, test["name"], "" if passed else "  FAILED"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
