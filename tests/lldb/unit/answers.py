"""Answers as docs/protocol.md has them, written by hand, with the names that the front end adds."""
from typing import Any, Dict, List, Optional

Json = Dict[str, Any]


def envelope(query: str, **rest: Any) -> Json:
    return {"loupe": 1, "query": query, "engine": "memory", "status": "ok", "abi": "apple",
            "pointer_size": 8, **rest}


def thing(name: str, framework: bool = False) -> Json:
    return {"class": name, "kind": "object", "size": 32, "retain_count": 1,
            "framework": framework}


def block(line: int, function: str, file: str = "/src/PhotoViewController.m") -> Json:
    return {"class": "__NSMallocBlock__", "kind": "block", "size": 40, "retain_count": 1,
            "prototype": "void (^)(UIImage *image)",
            "invoke": {"address": "0x1000", "symbol": f"__9{function}_block_invoke", "file": file,
                       "line": line, "function": function}}


def edge(source: str, target: str, kind: str, path: Optional[str], offset: int = 8,
         ownership: str = "strong") -> Json:
    return {"from": source, "to": target, "kind": kind, "name": path, "path": path,
            "offset": offset, "slot": hex(int(source, 16) + offset), "ownership": ownership}


def ring(*edges: Json) -> Json:
    return {"fingerprint": "f00d", "length": len(edges), "edges": list(edges)}


def knot(rings: List[Json], verdict: str = "leaked", objects: int = 0, edges: int = 0,
         seed: bool = True, fixes: Optional[List[Json]] = None, **rest: Any) -> Json:
    length = rings[0]["length"]
    return {"fingerprint": "beef", "objects": objects or length, "edges": edges or length,
            "contains_seed": seed, "certain": True, "verdict": verdict, "rings": rings,
            "fixes": fixes or [], **rest}


def fix(broken: Json, breaks: str = "knot", only_holder: bool = False, do: str = "make-weak",
        about: Optional[Json] = None, **rest: Any) -> Json:
    """about: the reference that the change is about, where that is another than what is broken."""
    frees = rest.pop("frees", breaks == "knot" or None)
    subjects = [{"do": do, "edge": each} for each in [about or broken, *(rest.get("with") or [])]]
    return {"do": do, "subjects": subjects, "edge": broken, "reason": "", "breaks": breaks,
            "everywhere": None, "frees": frees, "enough": frees is True, "kept_by": None,
            "against": ["only-holder"] if only_holder else [], "parallel": 0, "with": [], **rest}


def cycles(objects: Json, knots: List[Json], **rest: Any) -> Json:
    return envelope("retain-cycles", seed="0x1f00", objects=objects, knots=knots,
                    **{"not_followed": [], "hidden": [],
                       "stats": {"objects": 14, "edges": 21, "reads": 40, "bytes": 65536,
                                 "ms": 3}, **rest})


def self_in_block() -> Json:
    """A view controller keeps a block that captured self: the leak that everyone writes."""
    stored = edge("0x1f00", "0x2f00", "ivar", "_completion")
    captured = edge("0x2f00", "0x1f00", "capture", "self", 32)
    objects = {"0x1f00": thing("PhotoViewController"),
               "0x2f00": block(42, "-[PhotoViewController viewDidLoad]")}
    return cycles(objects, [knot([ring(stored, captured)],
                                 fixes=[fix(captured, do="capture-weakly"),
                                        fix(stored, do="set-to-nil")])])
