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
    """Whether the knot has all rings that are expected, and no other.

    An engine shows parallel references as one ring, and names the others with its fixes.
    """
    edges = [(edge, _edge(edge, cycles["objects"])) for edge in _shown_edges(knot)]
    walks = [_walk([_parse(edge) for edge in ring], edges) for ring in expected["rings"]]
    count = expected.get("ring_count", len({frozenset(walk) for walk in walks}))
    return all(walks) and len(knot["rings"]) == count


def _shown_edges(knot):
    for ring in knot["rings"]:
        yield from ring["edges"]
    for fix in knot["fixes"]:
        yield from fix["with"]


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


def _walk(ring, edges):
    """The objects along edges that are as the ring expects them in turn; empty if there are none."""
    walks = [(edge["from"], edge["to"]) for edge, seen in edges if _same_edge(ring[0], seen)]
    for wanted in ring[1:]:
        walks = [(*walk, edge["to"]) for walk in walks for edge, seen in edges
                 if edge["from"] == walk[-1] and _same_edge(wanted, seen)]
    return next((walk for walk in walks if walk[0] == walk[-1]), ())


def _same_edge(expected, edge):
    if expected["class"] != edge["class"]:
        return False
    if expected["kind"]:
        return expected["kind"] in (edge["kind"], edge["path"])
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
