"""Adds names to an answer: captured variables, where blocks were written, association keys.

Works in place and only adds: the answer keeps the schema of the protocol. What debug info could not
name is listed under "unnamed". Names are looked up only for what the answer mentions, never for all
that was walked.
"""
from __future__ import annotations

import re
import struct
from typing import Any, Dict, List, Optional, Union

import lldb

from ..protocol import Answer, Block, Byref, Capture, Described, Edge, Ivar
from ..render.words import plural
from ..session.context import Context
from .block_debug_info import (BlockDebugInfo, BlockInfo, Variable, byref_variable, leaves,
                               type_name)
from .captures import byref_variables, named_captures
from .class_symbols import symbols_of_class
from .ivar_lines import SYSTEM_PATHS, IvarLines
from .member_names import MemberNames, is_numbered

_LONGEST_VALUE = 40
_MOST_ELEMENTS = 1 << 16  # of one array whose numbers are read
# Type encodings of numbers, as struct has them.
_NUMBERS = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "q": "q", "Q": "Q",
            "f": "f", "d": "d", "B": "?"}
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_NAMED_HERE = ("capture", "association", "byref")
_MANY = "objects and references"


def add_names(answer: Answer, context: Context) -> None:
    """Adds what debug info and symbols tell about everything the answer mentions."""
    names = _Names(answer, context)
    if answer.get("query") == "block-layout":
        names.name_block_layout()
    if answer.get("query") == "ivar-layout":
        names.show_ivars()
    names.name_objects()
    names.name_edges()
    names.list_unnamed()


class _Names:
    def __init__(self, answer: Answer, context: Context) -> None:
        self._answer = answer
        self._context = context
        self._blocks = BlockDebugInfo(context)
        self._members = MemberNames(context.target)
        self._lines = IvarLines(context)
        self._objects: Dict[str, Described] = answer.get("objects") or {}
        self._frameworks: Dict[str, Optional[bool]] = {}
        self._byrefs: Dict[str, List[Variable]] = {}  # by address: what its variable is made of
        self._without: Dict[str, int] = {}  # module -> blocks without debug info
        self._not_looked_at = 0  # objects and references, for want of time

    # ---- Objects ----

    def name_objects(self) -> None:
        for address, thing in self._objects.items():
            if thing.get("kind") == "block":
                if not self._is_late():
                    self._name_block(thing, self._info_at(address))
            elif thing.get("kind") in ("object", "class") and not self._is_late():
                self._mark_framework(thing)

    def _info_at(self, address: Any) -> BlockInfo:
        return self._blocks.of_block(int(str(address), 16))

    def _name_block(self, block: Described, info: BlockInfo) -> None:
        """Fills "invoke" and "prototype"; keeps what the engine knew."""
        invoke = block.setdefault("invoke", {})
        invoke["symbol"] = invoke.get("symbol") or info.symbol or None
        invoke["file"] = invoke.get("file") or info.file or None
        invoke["line"] = invoke.get("line") or info.line or None
        invoke["function"] = invoke.get("function") or info.function or None
        if info.prototype:
            block["prototype"] = info.prototype
        if not info.is_named:
            module = info.module or "an unknown module"
            self._without[module] = self._without.get(module, 0) + 1

    def _mark_framework(self, thing: Described) -> None:
        name = str(thing.get("class") or "")
        if name not in self._frameworks:
            self._frameworks[name] = self._is_framework(name)
        verdict = self._frameworks[name]
        if verdict is not None:
            thing["framework"] = verdict

    def _is_framework(self, name: str) -> Optional[bool]:
        """Whether the class comes with the system: its symbol's module says so. None: not found."""
        for match in symbols_of_class(name, self._context.target):
            return is_system_path(match.GetModule().GetFileSpec().fullpath or "")
        return None

    # ---- References ----

    def name_edges(self) -> None:
        answer = self._answer
        self._name_each(answer.get("edges") or [])
        for holder in [*(answer.get("holders") or []), *(answer.get("memory") or [])]:
            self._name_each([*(holder.get("way") or []), holder.get("edge") or {}])
        for item in answer.get("freed_slots") or []:
            self._name_each([item.get("edge") or {}])
        nonowning = [*(answer.get("not_owned") or []), *(answer.get("not_counted") or [])]
        for item in [*nonowning, *((answer.get("weak_rings") or {}).get("sorts") or [])]:
            self._name_each([item.get("edge") or {}, *(item.get("way") or [])])
        for knot in answer.get("knots") or []:
            for ring in knot.get("rings") or []:
                self._name_each(ring.get("edges") or [])
            for fix in knot.get("fixes") or []:
                self._name_each([fix.get("edge") or {}, *(fix.get("with") or []),
                                 *(subject["edge"] for subject in fix.get("subjects") or []),
                                 *(subject["in"] for subject in fix.get("subjects") or [] if "in" in subject)])
            self._name_each(knot.get("held_by") or [])

    def _is_late(self) -> bool:
        """Names are not worth waiting for any longer than was asked for."""
        late = self._not_looked_at > 0 or self._context.is_late()
        self._not_looked_at += late
        return late

    def _name_each(self, edges: List[Edge]) -> None:
        for edge in edges:
            if edge.get("kind") == "ivar" and not self._is_late():
                self._declare(edge)
            is_member = edge.get("kind") == "ivar" and is_numbered(str(edge.get("path")))
            if not (is_member or edge.get("kind") in _NAMED_HERE) or self._is_late():
                continue
            if is_member:
                holder = self._objects.get(str(edge.get("from"))) or {}
                edge["path"] = self._members.named(str(holder.get("class")), str(edge["path"]))
            if edge.get("kind") == "capture" and not edge.get("evidence"):
                self._name_capture(edge)
            elif edge.get("kind") == "association":
                self._name_association(edge)
        for edge in edges if not self._not_looked_at else []:
            if edge.get("kind") == "byref" and not edge.get("evidence"):
                self._name_byref(edge)

    def _declare(self, edge: Edge) -> None:
        """Where the ivar is declared, unless the engine knew it."""
        holder = self._objects.get(str(edge.get("from"))) or {}
        found = None if edge.get("declared") or not edge.get("name") else self._lines.declared(
            str(edge.get("declared_by") or holder.get("class")), str(edge["name"]))
        if found is not None:
            edge["declared"] = found

    def _name_capture(self, edge: Edge) -> None:
        offset = edge.get("offset")
        info = self._info_at(edge.get("from"))
        if info.literal is None or not isinstance(offset, int):
            return
        byref = byref_variable(info.literal, offset)
        if byref is not None:
            name, member = byref
            self._name_storage(str(edge.get("to")), name, member)
            edge["name"] = edge["path"] = name
            return
        found = variable_at(info.variables, offset)
        if found is not None:
            edge["name"], edge["path"] = base_name(found.path), found.path

    def _name_storage(self, address: str, name: str, member: lldb.SBTypeMember) -> None:
        """Remembers what the __block variable at address is called."""
        self._byrefs[address] = leaves(member.GetType(), name, member.GetOffsetInBytes())
        storage = self._objects.get(address)
        if storage is not None:
            storage["variable"] = name
            storage["variable_type"] = type_name(member.GetType())

    def _name_byref(self, edge: Edge) -> None:
        variables = self._byrefs.get(str(edge.get("from")), [])
        found = variable_at(variables, edge.get("offset"))
        if found is None and len(variables) == 1:
            found = variables[0]
        if found is not None:
            edge["name"], edge["path"] = base_name(found.path), found.path

    def _name_association(self, edge: Edge) -> None:
        """The key is an address; the symbol there is what a person wrote: &kHandlerKey."""
        text = str(edge.get("key") or edge.get("path") or edge.get("name") or "")
        match = _ADDRESS.search(text)
        if match is None:
            return
        address = self._context.target.ResolveLoadAddress(int(match.group(0), 16))
        symbol = address.GetSymbol()
        name = symbol.GetName()
        if symbol.IsValid() and name and symbol.GetStartAddress() == address:
            edge["name"] = name
            edge["path"] = text.replace(match.group(0), name)

    # ---- block-layout ----

    def name_block_layout(self) -> None:
        block: Block = self._answer.get("block") or {}
        if not block.get("address"):
            return
        info = self._info_at(block["address"])
        self._name_block(block, info)
        if info.literal is None:
            return
        captures = self._answer.get("captures") or []
        conflicts = self._answer.setdefault("conflicts", [])
        captures = self._answer["captures"] = named_captures(captures, info.variables, conflicts)
        self._show_values(captures, info.variables, int(block["address"], 16))
        for capture in captures:
            if "Block__" in str(capture.get("class")):
                self._name_held_block(capture)
            found = byref_variable(info.literal, int(capture.get("offset") or 0))
            if found is not None:
                self._name_captured_byref(capture, *found)

    def _name_captured_byref(self, capture: Capture, name: str, member: lldb.SBTypeMember) -> None:
        capture["name"], capture["type"] = name, f"__block {type_name(member.GetType())}"
        variables = leaves(member.GetType(), name, member.GetOffsetInBytes())
        byref: Byref = capture.get("byref") or {}
        inside = byref["variables"] = [
            row for item in byref_variables(capture)
            for row in _named_storage(item, variables, name, type_name(member.GetType()))]
        if byref.get("address"):
            self._show_values(inside, variables, int(byref["address"], 16))
        variable = byref.get("variable")
        if variable:
            byref["variable"] = next((item for item in inside
                                      if item.get("offset") == variable.get("offset")), variable)

    def _show_values(self, slots: List[Capture], variables: List[Variable], start: int) -> None:
        """Plain data as its type writes it, under "shown": 42, 0.5, YES."""
        for slot in slots:
            variable = variable_at(variables, slot.get("offset"))
            if variable is None or slot.get("kind") != "data":
                continue
            where = lldb.SBAddress(start + variable.offset, self._context.target)
            value = self._context.target.CreateValueFromAddress("slot", where, variable.sbtype)
            text = value.GetSummary() or value.GetValue()
            if value.GetError().Success() and text and len(text) <= _LONGEST_VALUE:
                slot["shown"] = text
            self._show_word(slot, start + variable.offset)

    def _show_word(self, slot: Capture, address: int) -> None:
        """What stands in a part of a run of data, of which the engine gives the whole."""
        size = slot.get("size")
        if slot.get("value") is None and size in (1, 2, 4, 8):
            error = lldb.SBError()
            data = self._context.process.ReadMemory(address, size, error)
            if error.Success() and data:
                slot["value"] = hex(int.from_bytes(data, "little"))

    def _name_held_block(self, slot: Union[Capture, Ivar]) -> None:
        """Where the block in a slot was written, under "invoke" as for blocks elsewhere."""
        info = self._info_at(slot["value"])
        if info.file:
            slot["invoke"] = {"symbol": info.symbol or None, "file": info.file, "line": info.line,
                              "function": info.function or None}

    # ---- ivar-layout ----

    def show_ivars(self) -> None:
        """Numbers and blocks of the asked object, by their encodings."""
        address = self._answer.get("object")
        for level in self._answer.get("levels") or []:
            for ivar in level.get("ivars") or []:
                found = None if ivar.get("declared") else self._lines.declared(
                    str(level.get("class")), str(ivar.get("name")))
                if found is not None:
                    ivar["declared"] = found
                for slot in ivar.get("fields") or []:
                    if is_numbered(str(slot.get("path"))):
                        slot["path"] = self._members.named(str(level.get("class")),
                                                           str(slot["path"]))
                for slot in [ivar, *(ivar.get("fields") or [])]:
                    if str(slot.get("type")).startswith("@?") and slot.get("value"):
                        self._name_held_block(slot)
                    offset = slot.get("offset")
                    if address and offset is not None and slot.get("bit_offset") is not None:
                        self._show_bits(slot, int(address, 16) + offset)
                    shape = _NUMBERS.get(str(slot.get("type")))
                    if address and shape and offset is not None:
                        self._show_number(slot, int(address, 16) + offset, shape)

    def _show_bits(self, slot: Ivar, address: int) -> None:
        """The value of a bit-field, unsigned: its encoding does not tell."""
        error = lldb.SBError()
        first, width = int(slot["bit_offset"]), int(slot["bit_width"])
        data = self._context.process.ReadMemory(address, (first + width + 7) // 8, error)
        if error.Success() and data:
            value = int.from_bytes(data, "little") >> first & (1 << width) - 1
            slot["shown"] = str(value)

    def _show_number(self, slot: Ivar, address: int, shape: str) -> None:
        """What stands there; of an array, the first elements, under "values"."""
        error = lldb.SBError()
        size = struct.calcsize(shape)
        count = min(int(slot.get("count") or 1), _MOST_ELEMENTS)
        if size != slot.get("size"):
            return
        data = self._context.process.ReadMemory(address, size * count, error)
        if not error.Success() or not data or len(data) != size * count:
            return
        values = [str(value) for value in struct.unpack(f"<{count}{shape}", data)]
        if slot.get("count"):
            slot["values"] = values
        else:
            slot["shown"] = values[0]

    # ---- What stayed without a name ----

    def list_unnamed(self) -> None:
        if self._without or self._not_looked_at:
            self._answer["unnamed"] = [
                {"module": module, "blocks": count,
                 "what": f"{'a block' if count == 1 else f'{count} blocks'} of {module}, "
                         "which has no debug info"}
                for module, count in self._without.items()]
        if self._not_looked_at:
            self._answer["unnamed"].append({
                "module": None, "blocks": 0,
                "what": f"{plural(self._not_looked_at, 'object or reference', _MANY)}, for want of "
                        "time: allow more with --timeout"})


def _named_storage(item: Capture, variables: List[Variable], name: str, kind: str) -> List[Capture]:
    """A part of a __block variable's storage by the variables that it is made of."""
    if item.get("kind") in ("data", "unknown"):
        rows = named_captures([item], variables, [])
        if rows != [item]:
            return rows
    part = variable_at(variables, item.get("offset"))
    row = item.copy()
    row.update({"name": part.path if part else name, "type": part.type if part else kind,
                "evidence": [*(item.get("evidence") or []), "debug-info"]})
    return [row]


def is_system_path(path: str) -> bool:
    """Whether a library at path comes with the system (or a simulator's runtime)."""
    return path.startswith(SYSTEM_PATHS) or "/RuntimeRoot/System/Library/" in path or \
        "/RuntimeRoot/usr/lib/" in path or ".simruntime/" in path


def base_name(path: str) -> str:
    """The variable of a path: st for st.a[1]."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def variable_at(variables: List[Variable], offset: Any) -> Optional[Variable]:
    for variable in variables:
        if variable.offset == offset:
            return variable
    return None
