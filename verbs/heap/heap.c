/* A heap by class. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_heap = {
    .name = "heap",
    .summary = "memory by class: instances, bytes, retained size",
    .help =
        "Lists the classes of the heap, the largest first: instances, the bytes they take, and the "
        "bytes that only they keep alive.\n\nIn LLDB the first heap command at a stop makes a "
        "snapshot of the whole heap; nothing runs in the process.",
    .terminal = "FILE",
    .lldb = "",
    .needs = "file",
    .keys = "found format class_count thread_count by classes groups heaps summary unnamed",
    .next = "find retained",
    .examples = {{"loupe heap", "the largest first"},
                 {"loupe heap --sort count --class 'My*'", ""},
                 {"loupe heap --by package", ""}},
    .tool = {.title = "Heap by class", .list = "classes", .page = 30},
    .run = heap_verb_heap,
    .files = 1,
};
