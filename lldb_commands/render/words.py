"""Words for what is told without the library of answers/: counts, objects, references. Imports no lldb."""
from __future__ import annotations

import os
from typing import List, Optional, Sequence

from ..protocol import Answer, Described, Edge, Envelope, Place


# Concrete classes of Foundations by the names that programs use.
_PUBLIC_NAMES = {
    "__NSArray0": "NSArray", "__NSArrayI": "NSArray", "__NSArrayM": "NSMutableArray",
    "__NSSingleObjectArrayI": "NSArray", "__NSFrozenArrayM": "NSArray",
    "__NSDictionary0": "NSDictionary", "__NSDictionaryI": "NSDictionary",
    "__NSDictionaryM": "NSMutableDictionary", "__NSFrozenDictionaryM": "NSDictionary",
    "__NSSingleEntryDictionaryI": "NSDictionary", "__NSSetI": "NSSet", "__NSSetM": "NSMutableSet",
    "__NSSingleObjectSetI": "NSSet", "__NSOrderedSetI": "NSOrderedSet",
    "__NSOrderedSetM": "NSMutableOrderedSet", "__NSCFTimer": "NSTimer",
    "NSConcreteMapTable": "NSMapTable", "NSConcreteHashTable": "NSHashTable",
    "NSConcretePointerArray": "NSPointerArray", "__NSCFString": "NSString",
    "__NSCFConstantString": "NSString", "NSTaggedPointerString": "NSString",
    "__NSCFNumber": "NSNumber",
    # GNUstep's
    "GSArray": "NSArray", "GSInlineArray": "NSArray", "GSMutableArray": "NSMutableArray",
    "GSDictionary": "NSDictionary", "GSMutableDictionary": "NSMutableDictionary",
    "GSCachedDictionary": "NSDictionary", "GSSet": "NSSet", "GSMutableSet": "NSMutableSet",
    "GSOrderedSet": "NSOrderedSet", "GSMutableOrderedSet": "NSMutableOrderedSet",
    "GSCString": "NSString", "GSCInlineString": "NSString", "GSUnicodeString": "NSString",
    "GSUInlineString": "NSString", "GSMutableString": "NSMutableString",
    "GSCBufferString": "NSString", "GSUnicodeBufferString": "NSString", "NSConstantString": "NSString",
    "GSFFIInvocation": "NSInvocation", "GSFFCallInvocation": "NSInvocation",
}
_OBSERVED = "NSKVONotifying_"


def class_name(thing: Described) -> str:
    """The class as it is in the source; empty if it is not known.

    Key-value observing puts a class of its own in its place.
    """
    name = str(thing.get("class") or "")
    name = name[len(_OBSERVED):] if name.startswith(_OBSERVED) else name
    return _PUBLIC_NAMES.get(name, name)


def plural(number: int, noun: str, nouns: str = "") -> str:
    """1 object, 2 objects."""
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"


# ---- References ----


def edge_path(edge: Edge) -> str:
    """The name a person would write, else where the reference stands."""
    if is_named(edge):
        return str(edge.get("path") or edge.get("name"))
    offset = edge.get("offset")
    return f"+{offset}" if offset is not None else str(edge.get("path") or "?")


def is_named(edge: Edge) -> bool:
    """Engines without debug info give "+0x20" for a captured variable."""
    path = edge.get("path") or edge.get("name")
    return bool(path) and not str(path).startswith("+")


# ---- Objects ----


def thing_at(address: Optional[str], answer: Envelope) -> Described:
    """What the answer says about an address; an empty object if it says nothing."""
    found: Described = (answer.get("objects") or {}).get(address or "") or {}
    return found


def thing_name(address: Optional[str], answer: Envelope) -> str:
    """PhotoCell 0x1f00; block 0x2f00; __block variable me 0x3f00."""
    if not address:
        return "nothing"
    thing = thing_at(address, answer)
    kind = thing.get("kind")
    if kind == "block":
        return f"block {address}"
    if kind == "byref":
        variable = thing.get("variable")
        return f"__block variable {variable + ' ' if variable else ''}{address}"
    if kind == "raw":
        return f"{_memory(thing)} {address}"
    if kind == "class":
        return f"class {class_name(thing) or '?'} {address}"
    return f"{class_name(thing) or 'object'} {address}"


def _memory(thing: Described) -> str:
    """non-object (64 bytes); what a collection keeps for itself."""
    name, size = str(thing.get("class") or ""), thing.get("size")
    if name.startswith("(") or not name:
        return f"non-object ({size} bytes)" if size is not None else "non-object"
    return name


def place(thing: Place) -> str:
    """PhotoCell.m:42, or nothing. How files are called is decided in places.py."""
    file, line = thing.get("file"), thing.get("line")
    if not file:
        return ""
    name = str(thing.get("shown_file") or os.path.basename(str(file)))
    return f"{name}:{line}" if line else name


def columns(rows: Sequence[Sequence[str]], gap: str = "  ") -> List[str]:
    """Rows as lines with aligned columns; the last column is not padded. Cells are unpainted."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths)]
        lines.append(gap.join(cells).rstrip())
    return lines
