/* A heap by class. */
#include "heap_verb.h"

const struct verb verb_heap = {
    .name = "heap",
    .summary = "instances, bytes and retained size of memory by class",
    .help =
        "The heap by class, the largest first: instances, the bytes they take, and the bytes "
        "that only they keep alive.\n\nIn LLDB a snapshot of the whole heap is made once for each "
        "stop; the process does not run meanwhile, and nothing is run in it.",
    .terminal = "FILE",
    .lldb = "",
    .needs = "file",
    .keys = "classes groups heaps",
    .next = "find retained",
    .examples = {{"loupe heap", "the largest first"},
                 {"loupe heap --sort count --class 'My*'", ""},
                 {"loupe heap --by package", ""}},
    .run = heap_verb_heap,
    .files = 1,
};
