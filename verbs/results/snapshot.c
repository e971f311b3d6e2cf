/* Saves a heap. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_snapshot = {
    .name = "snapshot",
    .summary = "save as .loupe, .hprof, .sqlite, .csv, .html or .dot",
    .help = "Saves the whole heap in the format that the ending of the name says.\n\n.loupe: for "
            "all commands, in place of the heap. It opens at once, and holds dominators, retained "
            "sizes, shortest paths, and the names that debug information has of blocks, captures "
            "and roots; of long strings and arrays of numbers only the "
            "beginning.\n\n.hprof, .hprof.gz: an Objective-C heap for Eclipse MAT, VisualVM, "
            "Android Studio.\n\n.sqlite: tables of objects, references, roots and dominators. Each "
            "snapshot written to the same file adds a run to it.\n\n.csv: the same tables, "
            "one file each in the folder OUT.csv.\n\n.html, .dot: an HTML page, or a graph for "
            "Graphviz.",
    .terminal = "FILE OUT",
    .lldb = "<file>",
    .needs = "file",
    .keys = "file size",
    .next = "leaks heap",
    .examples = {{"loupe snapshot before.loupe", "to ask again later"},
                 {"loupe snapshot heap.html", "an HTML page"},
                 {"loupe snapshot heap.hprof", "for tools that read heap dumps"}},
    .shows_roots = true,
    .tool = {.is_none = true},
    .run = heap_verb_snapshot,
    .files = 1,
    .least_operands = 1,
    .most_operands = 1,
};
