"""What answers consist of, for the checker of types: the parts that docs/protocol.md names, under the names that it
has for them. Answers stay plain dictionaries; a key that is not listed here is a mistake. Imports no lldb.

Any field may be missing, since engines, versions and questions differ: whoever reads one says what holds without it.
"""
from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict

# Keys that are words of Python.
_OfClass = TypedDict("_OfClass", {"class": str}, total=False)
_OfSomeClass = TypedDict("_OfSomeClass", {"class": Optional[str]}, total=False)
_FromTo = TypedDict("_FromTo", {"from": str, "to": str, "lambda": "Place"}, total=False)
_With = TypedDict("_With", {"with": "List[Edge]"}, total=False)
_In = TypedDict("_In", {"in": "Edge"}, total=False)

# ---- Places and stacks ----


class Place(TypedDict, total=False):
    """Where something was written. shown_file: as the report calls it (render/places.py)."""
    file: Optional[str]
    line: Optional[int]
    shown_file: str


class Invoke(Place, total=False):
    """The function of a block; place and between: of one without a name."""
    address: str
    symbol: Optional[str]
    function: Optional[str]
    place: Optional[str]
    between: List[str]


class Frame(_OfClass, Place, total=False):
    """Of a thread, or of a stack that was recorded. runtime: it is in the library of the runtime."""
    address: str
    interrupted: bool
    image: Optional[str]
    symbol: Optional[str]
    offset: Optional[int]
    name: Optional[str]
    function: Optional[str]
    module: Optional[str]
    foreign: bool
    runtime: bool


class Stack(TypedDict, total=False):
    frames: List[Frame]
    whole: bool


class Thread(TypedDict, total=False):
    number: int
    id: int
    name: Optional[str]
    asks: bool
    registers: str
    end: str
    frames: List[Frame]


class Image(TypedDict, total=False):
    file: Optional[str]
    start: str
    end: str
    build_id: Optional[str]


# ---- What all answers have ----


class Error(TypedDict, total=False):
    code: str
    message: str
    address: Optional[str]
    detail: Optional[str]


class Omission(TypedDict, total=False):
    """Something that was not followed."""
    reason: str
    count: Optional[int]
    example: Optional[str]
    code: str
    is_offset: bool
    lost: bool


class Member(_OfClass, Omission, total=False):
    """One that is unread: section 5."""
    name: Optional[str]
    type: Optional[str]
    kind: str
    offset: Optional[int]
    arc: Optional[bool]
    guessed: bool
    objects: List[str]
    holders: List[str]
    left: int
    why: str


class Shape(_OfClass, total=False):
    """What a survey tells of a class, which stands there by its address: where objects have references."""
    slots: List[int]


class Stats(TypedDict, total=False):
    objects: Optional[int]
    others: int
    edges: Optional[int]
    reads: int
    bytes: int
    ms: Optional[int]
    waited_ms: Optional[int]
    walk_ms: Optional[int]
    paused_ms: int


class Freed(_OfSomeClass, total=False):
    certain: bool
    why: str


class PartOf(TypedDict, total=False):
    """What memory is part of, that is no object itself."""
    root: Root


class Described(_OfClass, total=False):
    """An object by its address. variable, variable_type: of the storage of a __block variable."""
    address: str
    kind: str
    size: int
    retain_count: Optional[int]
    value: str
    freed: Freed
    allocated: Optional[int]
    framework: bool
    invoke: Invoke
    prototype: str
    signature: Optional[str]
    variable: str
    variable_type: str
    part_of: PartOf


class Edge(_FromTo, total=False):
    """A reference."""
    kind: str
    name: Optional[str]
    path: str
    offset: Optional[int]
    slot: Optional[str]
    ownership: str
    shared: bool
    assumption: str
    doubt: str
    manual: bool
    declared_by: str
    declared: Place
    evidence: str
    key: str


class Dangling(_FromTo, _OfClass, total=False):
    """References to freed objects that are alike, and one of them."""
    kind: str
    path: str
    ownership: str
    was: Optional[str]
    why: str
    count: int
    declared: Place
    object: Described


class EdgeWithReason(_OfClass, total=False):
    """One that owns nothing, or that leads to what was freed; of weak loops with the way back."""
    edge: Edge
    reason: str
    count: int
    way: List[Edge]
    freed: Freed


# ---- Retain cycles ----


class Ring(TypedDict, total=False):
    fingerprint: str
    older_fingerprint: str
    length: int
    shortest: bool
    certain: bool
    edges: List[Edge]
    edges_left_out: int


class FixSubject(_In, total=False):
    """A reference that a fix changes, and how; the ivar that has the collection which it is in."""
    do: str
    edge: Edge


class Fix(_With, total=False):
    do: str
    subjects: List[FixSubject]
    reach: str
    conditions: List[str]
    rank: int
    text: str
    edge: Edge
    reason: str
    breaks: str
    everywhere: Optional[str]
    frees: Optional[bool]
    kept_by: Optional[str]
    against: List[str]
    enough: bool
    together: bool
    parallel: int


class Pattern(TypedDict, total=False):
    """A known mistake. fingerprint and verdict: of the knot that it is one of."""
    id: str
    name: str
    why: str
    fingerprint: Optional[str]
    verdict: Optional[str]


class Knot(TypedDict, total=False):
    """Objects that all keep each other alive."""
    fingerprint: str
    older_fingerprint: str
    objects: int
    edges: int
    contains_seed: bool
    certain: bool
    degree: str
    severity: str
    verdict: Optional[str]
    verdict_reason: Optional[str]
    verdict_example: Optional[str]
    counts: Dict[str, Optional[int]]
    held_by: List[Edge]
    rings: List[Ring]
    all_rings: bool
    together_are_enough: bool
    fixes: List[Fix]
    fixes_left_out: int
    pattern: Pattern
    count: int
    hidden_rings: int
    told: bool  # for another object at this stop (shown_before.py)


class Filtered(TypedDict, total=False):
    filter: str
    edges: int
    reason: str


class Filters(TypedDict, total=False):
    file: str
    count: int
    hidden: int
    refused: str


class Baseline(TypedDict, total=False):
    hidden_rings: int
    hidden_knots: int
    hidden_possible: int
    knots_not_compared: int
    not_met: int


class BaselineWritten(TypedDict, total=False):
    file: str
    rings: int


class WeakRings(TypedDict, total=False):
    found: int
    sorts_found: int
    all: bool
    sorts: List[EdgeWithReason]


# ---- Who holds it ----


class Root(TypedDict, total=False):
    """where and may_be_stale: added by the commands, which know names by debug info, too."""
    kind: str
    number: int
    slot: Optional[str]
    to: str
    image: str
    thread: int
    thread_id: int
    register: str
    holder: str
    name: Optional[str]
    where: str
    may_be_stale: bool


class Holder(TypedDict, total=False):
    edge: Edge
    root: Optional[Root]
    way_length: int
    way: List[Edge]
    ring: Optional[str]
    unexplained: Optional[int]
    lost: bool


class NotScanned(TypedDict, total=False):
    """Where roots may be that were not found."""
    what: str
    image: str
    thread: int
    bytes: int


class Verdict(TypedDict, total=False):
    kind: str
    reason: str


# ---- Layouts ----


class Slot(_OfSomeClass, total=False):
    """A captured variable, an ivar, or a field of one; size: in reports the text of a run's."""
    offset: Optional[int]
    size: Any
    name: Optional[str]
    type: Optional[str]
    value: Optional[str]
    shown: Optional[str]
    invoke: Invoke


class Capture(Slot, total=False):
    kind: str
    evidence: List[str]
    byref: Optional[Byref]


class Byref(TypedDict, total=False):
    """The storage of a captured __block variable."""
    address: str
    flags: str
    kind: str
    size: int
    storage: str
    retain_count: Optional[int]
    variable_offset: int
    variable: Optional[Capture]
    variables: List[Capture]


class Ivar(Slot, total=False):
    """rows: what a report shows of the fields (render/fields.py)."""
    path: str
    written_type: Optional[str]
    ownership: str
    declared: Place
    count: Optional[int]
    values: Optional[List[str]]
    bit_offset: int
    bit_width: int
    fields: List[Ivar]
    fields_left_out: int
    rows: List[Ivar]


class Conflict(TypedDict, total=False):
    """Where evidence disagrees."""
    offset: Optional[int]
    kept: str
    discarded: Optional[str]
    kept_by: str
    discarded_by: str


class ProbedIvar(TypedDict, total=False):
    offset: int
    ownership: str


class ProbedLevel(_OfClass, total=False):
    skipped: Optional[str]
    weak_tested: Optional[bool]
    cached: bool
    ivars: Optional[List[ProbedIvar]]


class ProbedCapture(TypedDict, total=False):
    offset: int
    kind: str


class Probe(TypedDict, total=False):
    """What the dispose probe says: section 13."""
    skipped: Optional[str]
    weak_tested: bool
    cached: bool
    captures: Optional[List[ProbedCapture]]
    levels: List[ProbedLevel]


class Level(_OfClass, total=False):
    """The ivars that one class declares."""
    instance_start: int
    instance_size: int
    strong_layout: Optional[str]
    weak_layout: Optional[str]
    ivars: List[Ivar]
    probe: ProbedLevel


class ClassAsked(TypedDict, total=False):
    name: str
    address: str
    superclass: Optional[str]
    instance_size: int
    arc: bool


class Block(Described, total=False):
    storage: str
    isa: str
    flags: str
    flag_names: List[str]
    reserved: int
    descriptor: str
    generic_helpers: Optional[str]
    owns_captures: bool


class Unnamed(TypedDict, total=False):
    module: Optional[str]
    blocks: int
    what: str


# ---- Functions, histories, trees ----


class Neighbour(TypedDict, total=False):
    code: str
    method: str


class Method(TypedDict, total=False):
    address: str
    method: str
    others: int
    before: Optional[Neighbour]
    behind: Optional[Neighbour]


class Named(TypedDict, total=False):
    """instances: the class's; itself: a method of the class."""
    instances: Optional[Neighbour]
    itself: Optional[Neighbour]
    nameless: int


class Event(TypedDict, total=False):
    """Of an object's count; stack: by its number, where the recorder saw it. named: frames have names."""
    kind: str
    change: int
    stack: int
    frames: List[Frame]
    named: bool


class Record(TypedDict, total=False):
    """What is known of one object's count (history.py, recorded_history.py)."""
    subject: str
    address: str
    since: str
    before: Optional[int]
    now: Optional[int]
    ended: str
    events: List[Event]
    problems: List[str]


class EventGroup(TypedDict, total=False):
    """Events of one kind from one stack."""
    kind: str
    count: int
    change: int
    without_release: int
    events: List[int]
    stack: int
    frame: Optional[int]


class CountHistory(TypedDict, total=False):
    object: str
    name: str
    since: str
    before: Optional[int]
    now: Optional[int]
    ended: Optional[str]
    groups: List[EventGroup]
    problems: List[str]


class Node(TypedDict, total=False):
    """Of a tree (trees.py)."""
    depth: int
    edge: Edge
    last: bool
    again: bool


# ---- Answers ----


class _Common(TypedDict, total=False):
    loupe: int
    query: str
    engine: Optional[str]
    status: str
    abi: Optional[str]
    pointer_size: Optional[int]
    error: Error
    not_followed: List[Omission]
    unread: List[Member]
    shapes: List[Shape]
    stats: Stats
    program: str
    recorded: Dict[str, Any]
    stacks: Dict[str, Stack]
    freed_slots: List[EdgeWithReason]
    freed: Freed
    dangling: Optional[List[Dangling]]
    dangling_found: int
    dangling_reason: str
    unnamed: List[Unnamed]


class Envelope(_Common, total=False):
    """What all have."""
    objects: Dict[str, Described]


class SnapshotCounts(TypedDict, total=False):
    objects: int
    references: int
    roots: int
    bytes: int
    raw_blocks: int


class _Cycles(TypedDict, total=False):
    """retain-cycles, and cycles of whole heaps"""
    seed: Optional[str]
    weak_references: bool
    knots_found: int
    possible_found: int
    knots: List[Knot]
    hidden: List[Filtered]
    filters: Filters
    weak_rings: WeakRings
    baseline: Baseline
    baseline_written: BaselineWritten
    words_missing: str
    snapshot: SnapshotCounts
    heap_searched: bool


class _References(TypedDict, total=False):
    """strong-refs; incoming-refs has those that own nothing, too"""
    object: str
    edges: List[Edge]
    not_owned: List[EdgeWithReason]
    not_owned_found: int
    not_counted: List[EdgeWithReason]
    not_counted_found: int


class _Incoming(TypedDict, total=False):
    """incoming-refs"""
    verdict: Verdict
    search: Dict[str, Any]
    counts: Dict[str, Any]
    extent: str
    extent_reason: str
    keeps: Dict[str, int]
    holders_found: int
    holders: List[Holder]
    memory_found: int
    memory: List[Holder]
    roots: List[Root]
    roots_walked: int
    bytes_scanned: int
    not_scanned: List[NotScanned]
    not_walked: List[str]


_Class = TypedDict("_Class", {"class": ClassAsked}, total=False)


class _Layouts(_Class, total=False):
    """block-layout and ivar-layout"""
    block: Block
    layout: Dict[str, Any]
    symbol: Dict[str, Any]
    captures: List[Capture]
    levels: List[Level]
    probe: Probe
    conflicts: List[Conflict]


class _Functions(TypedDict, total=False):
    """backtraces and methods"""
    misses_threads: bool
    threads: List[Thread]
    images: List[Image]
    methods: List[Method]
    named: Named


class _History(TypedDict, total=False):
    """history: of the recorder about one object, or, with histories, of the command about several"""
    allocated: Optional[int]
    events: List[Event]
    more_events: int
    events_left_out: int
    events_unread: int
    histories: List[CountHistory]


class _Tree(TypedDict, total=False):
    """What was made of many answers (trees.py)"""
    incoming: bool
    nodes: List[Node]
    left: int


class Answer(Envelope, _Cycles, _References, _Incoming, _Layouts, _Functions, _History, _Tree, total=False):
    """To whichever question about a target: `query` says which, and what else there can be."""


class SummarisedCycle(TypedDict, total=False):
    fingerprint: str
    verdict: Optional[str]
    count: int
    certain: bool
    asked: str
    path: str


class Problem(TypedDict, total=False):
    asked: str
    status: str
    reason: str


class _Counted(TypedDict, total=False):
    questions: int
    with_cycles: int
    incomplete: int
    failed: int
    retain_cycles: int
    problems: List[Problem]


class Session(_Counted, total=False):
    """What a session of lldb was told; cycles: by fingerprint."""
    cycles: Dict[str, SummarisedCycle]


class SummaryAnswer(Envelope, _Counted, total=False):
    cycles: List[SummarisedCycle]


# ---- Whole heaps ----


class HeapObject(Described, total=False):
    retained: Optional[int]
    reachable: bool


class Path(TypedDict, total=False):
    root: Root
    length: int
    fingerprint: str
    objects: List[HeapObject]
    edges: List[Edge]


class Leak(_OfClass, total=False):
    kind: str
    degree: str
    fingerprint: str
    count: int
    objects: int
    bytes: int
    missing_releases: int
    examples: List[str]
    ring: Optional[Ring]
    knot: Optional[Knot]


class Suspect(_OfClass, total=False):
    kind: str
    reason: Optional[str]
    fingerprint: str
    count: int
    retained: int
    addresses: List[str]
    path: Path


class ClassRow(_OfClass, total=False):
    """How many of a class there are, or became."""
    count: int
    size: int
    retained: int
    new: int
    gone: int
    still: int
    size_delta: int
    reused: int
    maybe_reused: int


class HeapAnswer(_Common, _Cycles, total=False):
    """Of the tool, about a whole heap; objects, leaked and other fields differ between verbs."""
    objects: Any
    found: int
    leaked: Any
    leaks: List[Leak]
    paths: List[Path]
    suspects: List[Suspect]
    roots: List[Root]
    dominators: List[HeapObject]
    dominated: List[HeapObject]
    classes: List[ClassRow]
    new_knots: List[str]
