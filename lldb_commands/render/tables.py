"""The reports of block-layout, ivar-layout and strong-refs. Imports no lldb."""
from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Tuple

from ..names.captures import byref_variables
from ..names.prototypes import readable
from ..printable import escaped
from . import allocated, nonowning
from .cycles import not_followed, without_names
from .fields import member_rows
from .style import Style
from .words import (Json, block_place, class_name, columns, edge_kind, edge_path, listed, place,
                    plural, thing_in_full, thing_name)

Row = Tuple[str, ...]
_LAYOUT_BYTES = 24  # shown of a layout string
_LAYOUT_RUNS = 16  # and of the words that it names

# ---- block-layout ----


def block_layout(answer: Json, style: Style, verbose: bool = False) -> str:
    """One table in which every byte of the block has its row, then the conflicts."""
    block: Json = answer.get("block") or {}
    lines = _block_heading(block, style)
    rows: List[Row] = [("offset", "size", "name", "type", "holds", "value", "evidence")]
    rows += _header_rows(block, int(answer.get("pointer_size") or 8))
    rows += _capture_rows(answer, style, verbose)
    table = columns(rows)
    too_wide = style.width and max(map(len, table)) + 2 > style.width
    if too_wide:
        table = columns([row[:-1] for row in rows])
    lines += ["", "  " + style.faint(table[0])] + ["  " + line for line in table[1:]]
    lines += _accounting(answer, style)
    lines += _evidence_lines(rows[1:]) if too_wide else []
    lines += _flags_line(block)
    lines += _layout_line(answer)
    lines += _symbol_lines(answer, verbose)
    lines += _ownership_line(block)
    lines += _probe_line(answer.get("probe"), "captures", "Dispose probe", "its helper releases")
    lines += _conflict_lines(answer, style)
    return "\n".join(lines + without_names(answer) + not_followed(answer))


def _block_heading(block: Json, style: Style) -> List[str]:
    storage = {"heap": "on the heap", "stack": "on the stack", "global": "global",
               None: "of unknown storage"}.get(block.get("storage"), str(block.get("storage")))
    words = [style.name(f"Block {block.get('address')}") + f" {storage}"]
    if block.get("size") is not None:
        words.append(f"{block['size']} bytes")
    if block.get("storage") == "heap" and block.get("retain_count") is not None:
        words.append(plural(int(block["retain_count"]), "reference") + " to it")
    prototype = block.get("prototype") or block.get("signature") or "a block"
    where = block_place(block)
    return [", ".join(words), f"{prototype} {style.place(where)}".rstrip()]


def _header_rows(block: Json, word: int) -> List[Row]:
    invoke: Json = block.get("invoke") or {}
    return [
        ("+0", str(word), "isa", "class", "", _text(block.get("isa")), ""),
        (f"+{word}", "4", "flags", "int", "", _text(block.get("flags")), ""),
        (f"+{word + 4}", "4", "reserved", "int", "", _text(block.get("reserved")), ""),
        (f"+{word + 8}", str(word), "invoke", "code", "", _text(invoke.get("address")), ""),
        (f"+{2 * word + 8}", str(word), "descriptor", "data", "", _text(block.get("descriptor")),
         ""),
    ]


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _capture_rows(answer: Json, style: Style, verbose: bool) -> List[Row]:
    rows: List[Row] = []
    for capture in answer.get("captures") or []:
        rows.append(_capture_row(capture, verbose))
        for item in byref_variables(capture):
            row = list(_capture_row(item, verbose))
            row[0] = f"  {style.nested}{row[0]}"
            rows.append(tuple(row))
    return rows


def _capture_row(capture: Json, verbose: bool) -> Row:
    kind = str(capture.get("kind") or "unknown")
    return (f"+{capture.get('offset')}", str(capture.get("size")),
            str(capture.get("name") or ""), str(capture.get("type") or ""), kind,
            value_of(capture, verbose), ", ".join(capture.get("evidence") or []))


def _symbol(text: str) -> str:
    """Descriptor names have a byte 1 in place of @."""
    return text.replace(escaped("\x01"), "@")


def value_of(slot: Json, verbose: bool = False) -> str:
    """nil; 0x1f00 PhotoCell; what stands in the slot, for anything else."""
    value = slot.get("value")
    if slot.get("shown") is not None:
        return f"{slot['shown']} ({value})" if verbose and value else str(slot["shown"])
    if value is None:
        return ""
    if str(value) == "0x0" and slot.get("kind") != "data":
        return "nil"
    return f"{value} {_what_is_there(slot)}".rstrip()


def _what_is_there(slot: Json) -> str:
    """PhotoCell; block at PhotoCell.m:42; nothing where that is not known."""
    where = place(slot.get("invoke") or {})
    if where:
        return f"block at {where}"
    return "block" if "Block__" in str(slot.get("class")) else class_name(slot)


def _accounting(answer: Json, style: Style) -> List[str]:
    block: Json = answer.get("block") or {}
    size = block.get("size")
    if size is None:
        return []
    word = int(answer.get("pointer_size") or 8)
    header = 3 * word + 8
    spans = sorted((int(capture.get("offset") or 0), int(capture.get("size") or 0))
                   for capture in answer.get("captures") or [])
    end, gaps = header, []
    for offset, length in spans:
        if offset > end:
            gaps.append(f"+{end} to +{offset}")
        end = max(end, offset + length)
    if end < int(size):
        gaps.append(f"+{end} to +{size}")
    if gaps:
        return [style.bad(f"  Not described: bytes {listed(gaps)}")]
    return [style.faint(f"  {size} bytes, all described")]


def _evidence_lines(rows: Sequence[Row]) -> List[str]:
    """The last column of a table that is too wide for it."""
    slots: Dict[str, List[str]] = {}
    for row in rows:
        if row[-1]:
            slots.setdefault(row[-1], []).append(row[2] or row[0].strip())
    return [f"Known from {evidence}: {listed(names)}" for evidence, names in slots.items()]


def _flags_line(block: Json) -> List[str]:
    names: List[str] = block.get("flag_names") or []
    return [f"Flags: {' '.join(names)}"] if names else []


def _layout_line(answer: Json) -> List[str]:
    layout: Json = answer.get("layout") or {}
    if not layout.get("encoding"):
        return ["Layout: the block carries none"]
    ops = ", ".join(f"{op.get('count')} {op.get('op')}" for op in layout.get("ops") or [])
    return [f"Layout {layout['encoding']}: {ops or 'no objects'}"]


def _symbol_lines(answer: Json, verbose: bool) -> List[str]:
    """The symbols behind the evidence."""
    symbol: Json = answer.get("symbol") or {}
    invoke: Json = (answer.get("block") or {}).get("invoke") or {}
    lines = []
    if symbol.get("name"):
        lines.append(f"Symbol: {_symbol(str(symbol['name']))}"
                     + ("" if symbol.get("used", True) else ", which could not be used"))
    if verbose and invoke.get("symbol"):
        lines.append(f"Invoke: {invoke['symbol']}")
    return lines


def _ownership_line(block: Json) -> List[str]:
    if block.get("owns_captures") is False:
        return ["It owns none of them: it has no copy and dispose helpers of its own"
                if block.get("storage") != "stack" else
                "It is on the stack: the function that made it owns what it captured"]
    return []


def _probe_line(probe: Optional[Json], items: str, name: str, doing: str) -> List[str]:
    """What the probe saw, or why it was not made; nothing if nobody asked for it."""
    if probe is None:
        return []
    if probe.get("skipped") is not None:
        return [f"{name}: not made, {probe['skipped']}"]
    doubt = "" if probe.get("weak_tested") else "; weak slots could not be told now"
    return [f"{name}: {doing} {len(probe.get(items) or [])} of them{doubt}"]


def _conflict_lines(answer: Json, style: Style) -> List[str]:
    return [style.bad(f"Conflict at +{conflict.get('offset')}: ") + _conflict(conflict)
            for conflict in answer.get("conflicts") or []]


def _conflict(conflict: Json) -> str:
    kept, other = conflict.get("kept"), conflict.get("discarded")
    return (f"{conflict.get('kept_by')} says {kept}, {conflict.get('discarded_by')} says {other}; "
            f"taken as {kept}")


# ---- ivar-layout ----


def ivar_layout(answer: Json, style: Style, verbose: bool = False) -> str:
    """Each class of the hierarchy with its ivars, most derived first."""
    top: Json = answer.get("class") or {}
    levels: List[Json] = answer.get("levels") or []
    chain = " : ".join(str(level.get("class")) for level in levels) or str(top.get("name"))
    memory = {True: "ARC", False: "manual retain/release", None: "ARC or not: unknown"}
    lines = [f"{style.name(chain)}, {top.get('instance_size')} bytes, "
             f"{memory.get(top.get('arc'), 'ARC or not: unknown')}"]
    for level in levels:
        lines += [""] + _level(level, answer, style, verbose)
    conflicts = _conflict_lines(answer, style)
    lines += [""] + conflicts if conflicts else []
    return "\n".join(lines + not_followed(answer))


def _level(level: Json, answer: Json, style: Style, verbose: bool) -> List[str]:
    start, end = level.get("instance_start"), level.get("instance_size")
    lines = [f"{style.name(str(level.get('class')))}, bytes {start} to {end}"]
    for which in ("strong", "weak"):
        encoding = level.get(f"{which}_layout")
        if encoding:
            lines.append(f"  {which} layout {_layout_bytes(str(encoding), verbose)}: "
                         f"{layout_in_words(str(encoding), verbose)}")
    ivars: List[Json] = level.get("ivars") or []
    if not ivars:
        return lines + ["  no ivars"]
    rows: List[Row] = [("offset", "size", "name", "type", "ownership", "value")]
    for ivar in ivars:
        rows.append(_ivar_row(ivar, answer, ""))
        for field in member_rows(ivar, verbose):
            rows.append(_ivar_row(field, answer, "  " + style.nested))
    if all(not row[-1] for row in rows[1:]):
        rows = [row[:-1] for row in rows]
    table = columns(rows)
    lines += ["  " + style.faint(table[0])] + ["  " + line for line in table[1:]]
    probe = _probe_line(level.get("probe"), "ivars", "probe", ".cxx_destruct destroys")
    return lines + ["  " + line for line in probe]


def _ivar_row(ivar: Json, answer: Json, indent: str) -> Row:
    ownership = str(ivar.get("ownership") or "unknown")
    value = ivar.get("value")
    is_object = ownership != "none"
    text = str(ivar["shown"]) if ivar.get("shown") is not None else "" if value is None else \
        "nil" if value == "0x0" and is_object else f"{value} {_what_is_there(ivar)}".rstrip()
    offset = ivar.get("offset")
    place = f"+{offset}" if offset is not None else "+?" if ivar.get("size") else ""
    return (f"{indent}{place}", str(ivar.get("size")),
            str(ivar.get("path") or ivar.get("name") or ""), readable(str(ivar.get("type") or "")),
            ownership, text)


def _layout_bytes(encoding: str, verbose: bool) -> str:
    """Of a long layout, as large arrays have, the first bytes."""
    layout = encoding.split()
    if verbose or len(layout) <= _LAYOUT_BYTES:
        return encoding
    return f"{' '.join(layout[:_LAYOUT_BYTES])} and {len(layout) - _LAYOUT_BYTES} more bytes"


def layout_in_words(encoding: str, verbose: bool = True) -> str:
    """01 21 11: each byte skips words (high half), then takes words (low half)."""
    runs: List[Tuple[int, int]] = []
    position = 0
    for byte in encoding.split():
        try:
            skip, take = int(byte, 16) >> 4, int(byte, 16) & 15
        except ValueError:
            return "not readable"
        position += skip
        if take and runs and runs[-1][1] == position:
            runs[-1] = (runs[-1][0], position + take)
        elif take:
            runs.append((position, position + take))
        position += take
    taken = sum(end - start for start, end in runs)
    shown = [text for start, end in runs for text in
             ([f"{start} to {end - 1}"] if end - start > 2 else map(str, range(start, end)))]
    if not verbose and len(shown) > _LAYOUT_RUNS:
        shown[_LAYOUT_RUNS:] = [f"{len(shown) - _LAYOUT_RUNS} more places"]
    return f"word{'s' if taken > 1 else ''} {listed(shown)}" if taken else "no words"


# ---- strong-refs ----


def strong_refs(answer: Json, style: Style, asked: str = "", verbose: bool = False) -> str:
    """What one object keeps alive, a line each."""
    edges: List[Json] = answer.get("edges") or []
    holder = answer.get("object")
    address = holder.get("address") if isinstance(holder, dict) else holder
    subject = thing_name(address, answer)
    subject = f"{asked} ({subject})" if asked else subject
    held = len({edge.get("to") for edge in edges})
    if not edges:
        return "\n".join([f"{subject} holds nothing strongly"]
                         + nonowning.known_outgoing(answer, style)
                         + nonowning.outgoing(answer, style)
                         + not_followed(answer))
    several = "" if held == len(edges) else f", by {plural(len(edges), 'reference')}"
    known = any(edge.get("ownership") != "assumed" for edge in edges)
    lines = [style.name(subject) + (f" holds {plural(held, 'object')} strongly{several}" if known
                                    else f" may hold {plural(held, 'object')}{several}")]
    names = columns([(edge_path(edge), edge_kind(edge), style.arrow) for edge in edges])
    for edge, name in zip(edges, names):
        slot = f"  slot {edge['slot']}" if verbose and edge.get("slot") else ""
        target = thing_in_full(edge.get("to"), answer, style)
        lines.append(f"  {name} {target}{style.faint(slot)}")
    things = [str(address), *(str(edge.get("to")) for edge in edges)]
    return "\n".join(lines + nonowning.known_outgoing(answer, style)
                     + nonowning.outgoing(answer, style)
                     + allocated.allocations(things, answer, style, verbose)
                     + not_followed(answer) + allocated.remarks(answer))
