/* What threads are doing, and what they keep alive. */
#include "heap_verb.h"

const struct verb verb_threads = {
    .name = "threads",
    .summary = "threads with their stacks, local variables and what each keeps alive",
    .help =
        "The threads of a Java heap dump: the stack of each, the objects that its frames have in "
        "local variables, and what these keep alive. The thread that ran out of memory comes "
        "first, then those that keep most.\n\nOf an Objective-C heap: the objects that words on "
        "the stack and registers of each thread lead to, which may be stale.",
    .terminal = "FILE",
    .lldb = "",
    .needs = "file",
    .keys = "threads",
    .next = "show path retained",
    .examples = {{"loupe threads", ""}},
    .run = heap_verb_threads,
    .files = 1,
};
