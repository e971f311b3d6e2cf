/* Where threads are. */
#include "verbs/verb.h"

const struct verb verb_backtraces = {
    .name = "backtraces",
    .summary = "where threads are, as crash reports show it",
    .help = "Says where all threads are, or the ones named: main, a number from 0, the system's "
            "id, or a name. By LLDB's unwinder, or with --engine helper by the one that programs "
            "have without a debugger (docs/stacks.md).",
    .lldb = "[<thread>]",
    .needs = "stop",
    .keys = "misses_threads threads images",
    .next = "",
    .examples = {{"loupe backtraces", "all threads"},
                 {"loupe backtraces main", "the one that the process began with"},
                 {"loupe backtraces -j -o stacks.json", "for a program"}},
};
