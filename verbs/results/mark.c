/* A snapshot to compare with. */
#include "verbs/verb.h"

const struct verb verb_mark = {
    .name = "mark",
    .summary = "keep a snapshot of the heap, to compare with later",
    .help = "Keeps a snapshot of the heap at this stop, under a name or the next number, for "
            "loupe diff.",
    .lldb = "[<name>]",
    .needs = "stop",
    .keys = "",
    .next = "diff",
    .examples = {{"loupe mark", ""}, {"loupe mark before", ""}},
};
