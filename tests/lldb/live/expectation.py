"""Compares answers with the expect.json of a fixture, names included. See tests/README.md."""
import re

_EDGE = re.compile(r"(?P<class>[A-Za-z_]\w*)(?:\.(?P<member>[^+:]+)|(?P<index>\[\d+\]))?"
                   r"(?:\+(?P<offset>\d+))?(?::(?P<kind>[\w-]+))?")


def faults(expression, expected, cycles, block):
    """What is wrong, in sentences. block is the answer of block-layout, or None."""
    seed = cycles["objects"].get(cycles["seed"], {})
    if seed.get("class") != expected["class"]:
        yield f"{expression} is a {seed.get('class')}, not a {expected['class']}"
    if "knots" in expected:
        yield from _knot_faults(expected["knots"], cycles)
    if "captures" in expected and block is not None:
        yield from _capture_faults(expected, block)


# ---- Knots ----


def _knot_faults(expected, cycles):
    left = list(cycles["knots"])
    for knot in expected:
        match = next((found for found in left if _has_rings(knot, found, cycles)), None)
        if match is not None:
            left.remove(match)
            yield from _attribute_faults(knot, match)
        elif not knot.get("optional"):
            yield f"no knot with the rings {knot['rings']}"
    for knot in left:
        yield f"a knot that is not expected: {_rings(knot, cycles)}"


def _has_rings(expected, knot, cycles):
    wanted = [[_parse(edge) for edge in ring] for ring in expected["rings"]]
    found = _rings(knot, cycles)
    count = expected.get("ring_count", len(wanted))
    if len(found) < min(count, len(found)) or ("ring_count" not in expected
                                               and len(found) != len(wanted)):
        return False
    return all(any(_same_ring(ring, other) for other in found) for ring in wanted)


def _parse(text):
    match = _EDGE.fullmatch(text)
    assert match, text
    return {**match.groupdict(), "path": match["member"] or match["index"]}


def _rings(knot, cycles):
    return [[_edge(edge, cycles["objects"]) for edge in ring["edges"]] for ring in knot["rings"]]


def _edge(edge, objects):
    thing = objects[edge["from"]]
    name = "__block" if thing["kind"] == "byref" else thing["class"]
    return {"class": name, "path": edge["path"], "offset": edge["offset"], "kind": edge["kind"]}


def _same_ring(expected, found):
    return len(expected) == len(found) and any(
        all(_same_edge(want, edge) for want, edge in zip(expected, found[turn:] + found[:turn]))
        for turn in range(len(found)))


def _same_edge(expected, edge):
    if expected["class"] != edge["class"]:
        return False
    if expected["kind"]:
        return expected["kind"] == edge["kind"]
    if expected["offset"] and int(expected["offset"]) != edge["offset"]:
        return False
    return not expected["path"] or expected["path"] == edge["path"]


def _attribute_faults(expected, knot):
    length = len(expected["rings"][0])
    wanted = {"certain": expected.get("certain", True),
              "contains_seed": expected.get("contains_seed", True)}
    for key, default in (("objects", length), ("edges", length), ("verdict", None)):
        alone = len(expected["rings"]) == 1 and "ring_count" not in expected
        if key in expected or (default and alone):
            wanted[key] = expected.get(key, default)
    for key, value in wanted.items():
        if knot[key] != value:
            yield f"knot {expected['rings'][0]}: {key} is {knot[key]}, not {value}"


# ---- Captures ----


def _capture_faults(expected, block):
    found = [capture for capture in block["captures"]
             if capture["name"] is not None or capture["kind"] not in ("data", "unknown")]
    wanted = expected["captures"]
    if [item["offset"] for item in wanted] != [capture["offset"] for capture in found]:
        yield (f"captures at {[capture['offset'] for capture in found]}, "
               f"not at {[item['offset'] for item in wanted]}")
        return
    for item, capture in zip(wanted, found):
        for key in ("name", "kind"):
            if key in item and item[key] != capture[key]:
                yield f"capture +{item['offset']}: {key} is {capture[key]}, not {item[key]}"
        inside = (capture.get("byref") or {}).get("variable")
        if "variable" in item:
            kind = inside.get("kind") if isinstance(inside, dict) else None
            if kind != item["variable"]:
                yield f"__block {item.get('name')}: holds {kind}, not {item['variable']}"
    if "owns_captures" in expected and \
            block["block"]["owns_captures"] != expected["owns_captures"]:
        yield f"owns_captures is {block['block']['owns_captures']}"
