/* What threads are doing, and what they keep alive. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_threads = {
    .name = "threads",
    .summary = "threads with their stacks, local variables and what each keeps alive",
    .help =
        "Shows the threads of a Java heap dump: each stack, the objects in the local variables of "
        "its frames, and what these keep alive. The thread that ran out of memory comes first, "
        "then those that keep most alive.\n\nOf an Objective-C heap: the functions that each "
        "thread is in, and the objects that values in their parts of the stack point to, or values "
        "in registers; these values may be stale.",
    .terminal = "FILE",
    .lldb = "",
    .needs = "file",
    .keys = "threads",
    .next = "show path retained",
    .examples = {{"loupe threads", ""}},
    .tool = {.title = "Threads with their stacks and variables", .list = "threads", .page = 5},
    .run = heap_verb_threads,
    .files = 1,
};
