/* Where threads are. */
#include "verbs/verb.h"

const struct verb verb_backtraces = {
    .name = "backtraces",
    .summary = "stacks of all threads, as crash reports show them",
    .help = "Shows the stacks of all threads, or of one: main, a number from 0, the system's id, "
            "or a name. LLDB unwinds them; with --engine helper Loupe's own unwinder does, inside "
            "the process (docs/stacks.md).",
    .lldb = "[<thread>]",
    .needs = "stop",
    .keys = "misses_threads threads images",
    .next = "",
    .examples = {{"loupe backtraces", "all threads"},
                 {"loupe backtraces main", "the thread that the process began with"},
                 {"loupe backtraces -j -o stacks.json", "for a program"}},
};
