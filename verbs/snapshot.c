/* Saves a heap. */
#include "heap_verb.h"

const struct verb verb_snapshot = {
    .name = "snapshot",
    .summary = "save as .loupe, .hprof, .sqlite, .csv, .html or .dot",
    .help = "Saves the whole heap; the ending of the name says as what.\n\n.loupe: what all verbs "
            "take instead of the heap: it is mapped, not parsed, and holds dominators, retained "
            "sizes, shortest paths, and the names that debug "
            "information has of blocks, captures and roots. Of long strings and arrays of numbers "
            "it keeps the "
            "beginning.\n\n.hprof, .hprof.gz: an Objective-C heap for Eclipse MAT, VisualVM, "
            "Android Studio.\n\n.sqlite: tables of objects, references, roots and dominators; each "
            "snapshot that is written to the same file adds a run to it.\n\n.csv: the same tables, "
            "a file each in the folder OUT.csv.\n\n.html, .dot: a page, or a graph for Graphviz.",
    .terminal = "FILE OUT",
    .lldb = "<file>",
    .needs = "file",
    .keys = "file size",
    .next = "leaks heap",
    .examples = {{"loupe snapshot before.loupe", "for loupe leaks and the like, later"},
                 {"loupe snapshot heap.html", "a page"},
                 {"loupe snapshot heap.hprof", "for tools that read heap dumps"}},
    .shows_roots = true,
    .run = heap_verb_snapshot,
    .files = 1,
    .least_operands = 1,
    .most_operands = 1,
};
