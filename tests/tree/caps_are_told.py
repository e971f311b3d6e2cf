"""Every loop that ends on a count of ours says so in the answer, or needs not: each is listed here
with what tells. A loop that is new fails the test until somebody has thought about that.

A new one is added to TOLD with a phrase that says what tells.

usage: caps_are_told.py PROJECT_FOLDER
"""
import pathlib
import re
import sys
from typing import Iterator, Set, Tuple

FOLDERS = {"core": ".c", "answers": ".c", "helper": ".c", "readers": ".c", "stacks": ".c", "plugin": ".cpp", "cli": ".c", "pictures": ".c", "watch": ".c", "lldb_commands": ".py"}
CONSTANT = r"\b_?[A-Z][A-Z0-9_]*[A-Z0-9]\b"
COMPARED = re.compile(rf"[<>]=?\s*({CONSTANT})|range\(({CONSTANT})\)")
HEADS = {".py": re.compile(r"^\s*(?:for|while)\b[^:]*(?:\([^)]*\)[^:]*)*:", re.M)}
HEAD_OF_C = re.compile(r"\b(?:for|while)\s*\(")
# Sizes of arrays of ours: the loop visits all of it.
WHOLE = re.compile(r"(_COUNT|WORDS|RANKS|STRIPES|CELLS|SLOTS_OF|PAGES_PER_\w+|PIECES_PER_\w+|AHEAD)$")
# Where, the bound: what tells that it was reached, or why nothing is lost.
TOLD = {
    ("readers/process/stop_linux.c", "MOST_STRAYS"): "all of a table; the kernel lets go of others",
    ("cli/report/compare.c", "SIDES"): "both sides",
    ("cli/heaps/names.c", "MOST_BYTES"): "it is larger than 64 MB",
    ("cli/fix/changes/choice.c", "FIX_MOST_LETTERS"): "fixes without a letter are counted",
    ("answers/reports/backtraces.c", "LONGEST_ROW"): "longer rows are shown in full",
    ("answers/reports/block.c", "MOST_GAPS"): "and more",
    ("answers/reports/ends.c", "UINT64_MAX"): "a time of more than a century",
    ("core/base/decimal.c", "LIMB_BITS"): "all bits of a shift",
    ("core/heap/values.c", "LOUPE_MAX_CLASS_DEPTH"): "superclasses further up, which no class has",
    ("core/runtime/values/foundation_values.c", "SHOWN_RANGES"): "three dots",
    ("core/snapshot/values/java_collections.c", "LOUPE_MOST_SUPERCLASSES"): "a class that inherits from itself is no collection",
    ("core/snapshot/values/java_collections.c", "MOST_DELEGATES"): "a collection that stands for itself has no items",
    ("core/snapshot/values/java_collections.c", "NAMES"): "all of a table",
    ("core/snapshot/values/java_values.c", "LOUPE_MOST_SUPERCLASSES"): "a class that inherits from itself says nothing",
    ("core/heap/recorded_stacks.c", "LOUPE_RECORD_MOST_FRAMES"): "the stack is not whole",
    ("core/snapshot/file/loupe_file_check.c", "LOUPE_SECTION_RECORDED_FRAMES"): "all sections of a kind",
    ("core/snapshot/recorded_stacks.c", "LOUPE_MOST_RECORDED_FRAMES"): "the stack is not whole",
    ("core/analysis/reach.c", "QUEUE"): "the others stay on the stack",
    ("core/analysis/reach.c", "STACK"): "the others have marks, and are looked for again",
    ("core/base/text.c", "WIDTH_LONG_LONG"): "letters of a format of our own",
    ("core/code/reading.c", "MOST_PAIRS"): "everything may be touched, so that nothing is told",
    ("core/cxx/type_name.c", "UINT32_MAX"): "a number that is none: the name stays as it is",
    ("core/cxx/vtable.c", "LOUPE_MAX_TYPE_NAME"): "the name is none, and its class not told",
    ("core/heap/contents/swift_objects.c", "MOST_LEVELS"): "superclasses further up, which no program has",
    ("core/swift/metadata.c", "DEEPEST"): "metadata of a type that deep is none",
    ("core/swift/metadata.c", "MOST_LEVELS"): "superclasses further up, which no program has",
    ("core/swift/metadata.c", "MOST_TYPE"): "a field whose type is longer goes by its offset",
    ("core/heap/contents/cxx_objects.c", "MOST_LEVELS"): "bases further up, which no program has",
    ("core/heap/contents/counted.c", "MOST_LEVELS"): "the same",
    ("core/cycles/dissolve.c", "STEPS"): "a shortcut: the members are sorted where it ends",
    ("core/cycles/dissolve.c", "WAYS"): "the same",
    ("core/cycles/knots/fingerprint.c", "LOUPE_FINGERPRINT_TEXT"): "all digits of a number",
    ("core/code/following.c", "MOST_STEPS"): "code that long is not understood, and members are assumed",
    ("core/code/following.c", "GIVERS"): "all that there are",
    ("core/code/lazy_function.c", "MOST_ENTRIES"): "an image with more is none: members are assumed",
    ("core/edges/kinds/own_destructor.c", "LARGEST_STRUCT"): "members are assumed, and said to be",
    ("core/edges/kinds/own_destructor.c", "LARGEST"): "a name that is none: members are assumed, and said to be",
    ("core/edges/details/object_evidence.c", "LOOKED_AT"): "enough to tell; without them nothing is told",
    ("core/edges/roots/pools.c", "MAX_POOL_PAGES"): "objects beyond the limit",
    ("core/edges/details/surroundings.c", "LOUPE_LARGEST_SURROUNDING"): "the error says isa, as without it",
    ("core/heap/allocators/blocks.c", "LOUPE_CELL_SHIFT"): "the number of a cell, not a bound",
    ("core/heap/allocators/blocks.c", "LOUPE_GRAINS"): "all of a cell",
    ("core/heap/allocators/glibc_arenas.c", "GLIBC_LISTS"): "all of an arena",
    ("core/heap/allocators/glibc_arenas.c", "MAX_ARENAS"): "no arena where a ring has more; no block is exact then",
    ("core/heap/allocators/glibc_arenas.c", "MAX_HEAPS"): "the arena's doubt",
    ("core/heap/allocators/glibc_arenas.c", "RELEASES"): "all of a table",
    ("core/heap/allocators/glibc_arenas.c", "UINT64_MAX"): "no heap is that long: the arena's doubt",
    ("core/heap/allocators/glibc_chunks.c", "CHAIN"): "enough to believe it",
    ("core/heap/allocators/glibc_lists.c", "GLIBC_LISTS"): "all of an arena",
    ("core/heap/allocators/glibc_mapped.c", "PAGE"): "alignments that begin in the first page",
    ("core/heap/allocators/glibc_lists.c", "GLIBC_FAST_BINS"): "all of an arena",
    ("cli/serve/before_after.c", "AFTER"): "both heaps",
    ("cli/serve/before_after.c", "BEFORE_AFTER_QUESTIONS"): "all of them",
    ("cli/serve/call_next.c", "MOST_ROWS"): "only what to ask next; the rows are all there",
    ("core/report/heaps/report_leaks.c", "SHOWN_EXAMPLES"): "the field count has all of them",
    ("core/report/heaps/report_leaks.c", "SHOWN_CLASSES"): "the field lost_classes_found",
    ("core/graph/incoming.c", "LOUPE_MAX_PATH_SHOWN"): "the field way_length",
    ("core/snapshot/values/native_names.c", "LOUPE_MOST_SUPERCLASSES"): "a class that inherits from itself: an ivar goes by its offset",
    ("core/leaks/heap_describer.c", "LOUPE_MOST_SUPERCLASSES"): "the note of too many fields",
    ("core/leaks/holders.c", "LOUPE_MOST_SUPERCLASSES"): "the note of too many fields",
    ("core/leaks/shown_holders.c", "LOUPE_MAX_PATH_SHOWN"): "the field way_length",
    ("core/request/request.c", "LOUPE_EDGE_WORD"): "all of a table: words are not described",
    ("core/recorded/recorded.c", "LOUPE_RECORD_GROUP"): "all of a group",
    ("core/heap/allocators/named.c", "KNOWN"): "all of a table",
    ("core/heap/allocators/zone_nano.c", "LOUPE_NANO_ARENAS"): "all of a region",
    ("core/heap/allocators/zone_nano.c", "LOUPE_NANO_BLOCKS"): "all of an arena",
    ("core/heap/allocators/zone_scalable.c", "MAX_REGIONS"): "the zone's doubt",
    ("core/heap/allocators/zone_scalable.c", "LOUPE_RACKS"): "all of a table",
    ("core/heap/allocators/zone_xzone.c", "LOUPE_XZONE_SEGMENTS_OF_TABLE"): "all of a table",
    ("core/runtime/zones/nano.c", "LOUPE_NANO_MAX_REGIONS"): "how large the memory is, is not known",
    ("core/runtime/zones/room.c", "LOUPE_MAX_ZONES"): "the same",
    ("core/runtime/zones/scalable.c", "LARGEST_TINY"): "the same",
    ("core/runtime/zones/scalable.c", "LOUPE_RACKS"): "all of a table",
    ("core/runtime/zones/xzone.c", "XZONES"): "it is no zone of this kind then",
    ("core/report/objects/report_block.c", "LOUPE_EVIDENCE_FLAGS"): "all bits",
    ("core/report/objects/report_fix.c", "LOUPE_MAX_FIX_PARALLELS"): "the field parallel has the count",
    ("core/report/advice.c", "LOUPE_MAX_FIX_PARALLELS"): "the field parallel has the count",
    ("core/report/objects/report_incoming.c", "LOUPE_MAX_INCOMING"): "not_counted_found has the count",
    ("core/runtime/abi_common.c", "ABI_BLOCK_CLASSES"): "all of a table",
    ("core/runtime/apple/abi_apple_association_table.c", "MOST_BELIEVED"): "as many speak for the rest",
    ("core/runtime/apple/abi_apple_class.c", "APPLE_RELATIVES"): "all of a table",
    ("core/runtime/apple/abi_apple_class_memory.c", "APPLE_RELATIVES"): "all of a table",
    ("core/runtime/gnu/abi_gcc_class_table.c", "PLACES"): "all of a table",
    ("core/runtime/gnu/abi_gnustep2_class_table.c", "ENOUGH"): "enough to believe it; without, there is no table",
    ("core/runtime/gnu/abi_gnustep2_class_table.c", "LONGEST_LOCK"): "a table behind a longer lock is none",
    ("core/runtime/gnu/abi_gnustep2_class_table.c", "NUMBERS"): "all of a table",
    ("core/runtime/gnu/abi_gcc_methods.c", "LOUPE_MAX_CLASS_DEPTH"): "counts are believed, as before",
    ("core/runtime/gnu/abi_gnustep2_methods.c", "NAMES_ENOUGH"): "enough to believe it; without, there are no names",
    ("core/runtime/gnu/abi_gnustep2.c", "MAX_HIDDEN"): "the hidden class itself, with all ivars it inherits",
    ("core/runtime/gnu/abi_gnustep2_associations.c", "REFERENCES"): "all of a list",
    ("core/runtime/free_chunks.c", "FARTHEST"): "the word counts as one that may own the object",
    ("core/runtime/free_chunks.c", "HEADERS_ENOUGH"): "enough to believe it; it hides nothing",
    ("core/runtime/free_chunks.c", "MOST_LINKS"): "the object is not called freed; it is walked",
    ("core/scene/glibc_threads.c", "MAX_THREADS"): "not_scanned: thread-local",
    ("core/heap/contents/described.c", "LOOKED_AT"): "what is fetched ahead; all of it is looked at later",
    ("core/heap/contents/described.c", "MOST_ROUNDS"): "objects beyond the limit",
    ("core/heap/contents/nodes.c", "ENOUGH"): "enough to tell where objects stand in their blocks",
    ("core/heap/contents/nodes.c", "MOST_OFFSETS"): "all of a table",
    ("core/snapshot/file/loupe_file_check.c", "LOUPE_SECTION_NATIVE_NOTES"): "all of a table",
    ("core/hprof/hprof_names.c", "HPROF_PRIMITIVE_TYPES"): "all of a table",
    ("core/hprof/hprof_names.c", "LOUPE_MOST_SUPERCLASSES"): "the note of too many fields",
    ("core/snapshot/file/loupe_file_check.c", "LOUPE_SECTION_NOTES"): "all of a table",
    ("core/snapshot/file/loupe_file_check.c", "LOUPE_SECTION_TEXT"): "all of a table",
    ("core/snapshot/file/loupe_file_write.c", "LOUPE_SECTION_END"): "all of a table",
    ("core/hprof/hprof_shapes.c", "LOUPE_MOST_SUPERCLASSES"): "the note of too many fields",
    ("core/hprof/hprof_write.c", "OWN_STRINGS"): "all of a table",
    ("core/hprof/hprof_write.c", "MOST_LINKS"): "hints to the processor",
    ("core/snapshot/snapshot.c", "LOUPE_MOST_SUPERCLASSES"): "the same",
    ("core/snapshot/values/values.c", "LOUPE_MOST_SUPERCLASSES"): "the same",
    ("core/snapshot/rules/trees.c", "LOUPE_MOST_SUPERCLASSES"): "the note of too many fields",
    ("core/snapshot/rules/trees.c", "LOUPE_MOST_TREES"): "all of them: more are an error of the rules",
    ("core/runtime/containers/containers_gnustep_pool.c", "MAX_STRETCHES"): "an object that holds more",
    ("core/snapshot/values/value_text.c", "SHOWN_ELEMENTS"): "three dots",
    ("core/runtime/gnu/abi_gnustep2_layout.c", "LONGEST_START"): "unknown whether it is ARC's",
    ("core/runtime/class.c", "LOUPE_MAX_CLASS_DEPTH"): "class without a layout: its chain ends too",
    ("readers/image/block_variables.c", "MOST_STEPS"): "the parameter of a block's function takes one; "
                                                       "else offsets stand for names",
    ("core/mistakes/growth.c", "LOOKED_AT"): "enough to tell; without them nothing is told",
    ("core/heap_questions/class_growth.c", "LOUPE_CLASSES_EXPLAINED"): "docs/protocol.md says of how many",
    ("core/heap_questions/class_growth.c", "LOOKED_AT"): "the answer says how many were searched",
    ("cli/export/export.c", "FORMATS"): "all of a table",
    ("cli/heaps/names.c", "FORMS"): "all of a table",
    ("cli/heap_verbs/heap_find.c", "LOUPE_MOST_SUPERCLASSES"): "the note of too many fields",
    ("helper/images/images.c", "COPIED_PAGES"): "all of an array",
    ("helper/images/symbol_cache.c", "TRIED"): "the symbol is looked up again",
    ("helper/memory/regions_linux.c", "LARGEST_MAP_CAPACITY"): "no memory",
    ("helper/memory/system_linux.c", "LARGEST"): "no kernel has larger pages",
    ("pictures/page/heap_data.c", "MOST_TEXT"): "previews of texts; what they are of is there",
    ("pictures/heap_picture.c", "MOST_TILES"): "the page says of each that was not opened how to ask",
    ("pictures/reports/report_junit.c", "MOST_LINES"): "... and so many more references",
    ("pictures/reports/report_markdown.c", "MOST_FINDINGS"): "and so many more",
    ("pictures/reports/report_sarif.c", "MOST_LOCATIONS"): "the last location says how many more",
    ("pictures/page/page_data.c", "PICTURE_LEAST_ARROWS"): "as few as that, or else more_findings says it",
    ("helper/probe/probe_cache.c", "CODE_BYTES"): "all of a key",
    ("stacks/threads/listing_linux.c", "FAR_ENOUGH"): "there is no such thread, as the answer says",
    ("stacks/tables/cfi.c", "LONGEST_AUGMENTATION"): "an unknown one: the stack ends as lost",
    ("stacks/tables/cfi.c", "MOST_ENTRIES"): "no rules: the stack goes on by pointers or ends as lost",
    ("stacks/tables/compact.c", "PAIRS"): "all of an encoding",
    ("stacks/tables/expression.c", "MOST_STEPS"): "no result: the stack ends as lost",
    ("stacks/tables/rows.c", "WAYS"): "a cache",
    ("stacks/unwind/edges.c", "LOUPE_FRAME_REGISTERS"): "all of a table",
    ("stacks/unwind/edges_arm64.c", "LOUPE_FRAME_REGISTERS"): "all of a table",
    ("stacks/unwind/edges_arm64.c", "MOST_STEPS"): "the function is in its body then, or the stack ends as lost",
    ("stacks/unwind/edges_x86_64.c", "LOUPE_FRAME_REGISTERS"): "all of a table",
    ("stacks/unwind/edges_x86_64.c", "MOST_STEPS"): "the same",
    ("stacks/unwind/own_images_linux.c", "MOST_IMAGES"): "false: there may be more",
    ("helper/memory/zones_darwin.c", "MAX_NAME"): "a name is cut, as one that the core reads",
    ("stacks/unwind/own_images_linux.c", "MOST_NAMESPACES"): "all that the loader has",
    ("stacks/unwind/pointers.c", "FAR_ENOUGH"): "the link register is not believed",
    ("stacks/unwind/step.c", "LOUPE_FRAME_REGISTERS"): "all of a table",
    ("stacks/unwind/unwind.c", "LOUPE_ARM64_LR"): "all of a table",
    ("readers/target/lines.c", "OLD_HEADER"): "all bytes of a number",
    ("readers/core/macho_images.c", "MOST_COMMANDS"): "a library without a name",
    ("readers/process/stop_linux.c", "LONGEST_WAIT"): "an error: the thread does not stop",
    ("readers/core/linked_files.c", "MOST_TAGS"): "the file counts as missing",
    ("readers/core/elf_notes.c", "NOTE_HEADER"): "the rest holds no note",
    ("readers/image/symbol_index.c", "DIGITS"): "all of a table",
    ("readers/image/symbol_index.c", "ADDRESS_BITS"): "all of a number",
    ("readers/image/elf_symbols.c", "LONGEST_CHAIN"): "symbol not found, which callers report",
    ("readers/image/elf.c", "MAX_DYNAMIC"): "false: it broke off",
    ("readers/image/elf.c", "NOTE_HEADER"): "the rest holds no note",
    ("readers/image/elf_symbols.c", "UINT32_MAX"): "numbers of symbols end there",
    ("readers/image/export_trie.c", "LONGEST_EDGE"): "the same",
    ("watch/objects/expectation_table.c", "DEATHS_REMEMBERED"): "loupe_expect_dead() says in its header how many",
    ("watch/objects/latest.c", "WATCH_MOST_LATEST"): "all of a table; more rules are refused",
    ("lldb_commands/engines/helper.py", "_REPLY_LIMIT"): "an error",
    ("readers/piped/wire.c", "LOUPE_WIRE_MOST_KNOWN"): "a longer message is refused",
    ("lldb_commands/engines/pages.py", "_MOST_GENERATIONS"): "a process that is not ours is read as it stands",
    ("lldb_commands/engines/regions.py", "_MOST"): "the others are asked for when they are met",
    ("lldb_commands/engines/seen_by_lldb.py", "_MOST_IMAGES"): "the first symbol of lldb's own list",
    ("lldb_commands/engines/locks.py", "_MOST_FRAMES"): "lock words tell of what is further out",
    ("lldb_commands/history.py", "_MOST_OF_RUNTIME"): "frames of the runtime; without a name the change is told as it is",
    ("lldb_commands/history.py", "_MOST_FRAMES"): "stacks are shown from their inner ends",
    ("lldb_commands/members/containers.py", "MOST_ELEMENTS"): "a gap: the deque breaks off",
    ("lldb_commands/members/functors.py", "_MOST_BLOCKS"): "a gap: no debug info for what it calls",
    ("lldb_commands/members/types.py", "_DEPTH"): "a gap: a member that is not found",
    ("lldb_commands/methods.py", "_DEEPEST"): "an error",
    ("lldb_commands/watch.py", "_MOST_TRIES"): "an error that says to try again",
    ("readers/image/symbol_index.c", "LOUPE_SYMBOL_STRETCHES"): "all of an image",
}


def heads(path: pathlib.Path) -> Iterator[str]:
    """What stands in the heads of loops."""
    source = path.read_text().replace("'('", "' '").replace("')'", "' '")
    if path.suffix == ".py":
        for match in HEADS[".py"].finditer(source):
            yield match.group(0)
        return
    for match in HEAD_OF_C.finditer(source):
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(source[end], 0)
            end += 1
        yield source[match.end():end - 1]


def caps(folder: pathlib.Path) -> Iterator[Tuple[str, str]]:
    for name, suffix in FOLDERS.items():
        for path in sorted((folder / name).rglob(f"*{suffix}")):
            for head in heads(path):
                for match in COMPARED.finditer(head):
                    constant = match.group(1) or match.group(2)
                    if not WHOLE.search(constant):
                        yield str(path.relative_to(folder)), constant


def main() -> int:
    found: Set[Tuple[str, str]] = set(caps(pathlib.Path(sys.argv[1])))
    for path, constant in sorted(found - set(TOLD)):
        print(f"{path}: a loop ends at {constant}: does the answer say so? (caps_are_told.py)")
    for path, constant in sorted(set(TOLD) - found):
        print(f"caps_are_told.py: {path} has no loop up to {constant} any more")
    return 1 if found != set(TOLD) else 0


if __name__ == "__main__":
    sys.exit(main())
