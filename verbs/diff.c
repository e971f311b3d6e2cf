/* What grew. */
#include "heap_verb.h"

const struct verb verb_diff = {
    .name = "diff",
    .summary = "memory growth by class, new leaks, new cycles",
    .help = "What grew between heaps of one program, by class: new, gone, still there; and which "
            "leaks and retain cycles are new. Of several the first and the last are compared, and "
            "each class shows by how much it grew from one to the next.\n\nIn LLDB: since a mark; "
            "without one since all marks, the oldest first. Mark, do the same thing again, mark, "
            "and so on. Objects are told apart by their addresses: where a collector moves them "
            "they are new and gone at once, and sizes are right. "
            "Heaps of two runs, as before and after a change of the program, are compared with "
            "--runs: by class and by the fingerprints of leaks, not by addresses.",
    .terminal = "OLD [...] NEW",
    .lldb = "[<mark>]",
    .needs = "file",
    .keys = "changed classes same_process reused maybe_reused steps new_leaks new_knots more_leaks",
    .next = "leaks find",
    .examples = {{"loupe mark", "before"},
                 {"loupe diff", "after"},
                 {"loupe diff start", "by name"}},
    .run = heap_verb_diff,
    .files = 2,
    .most_files = HEAP_MOST_FILES,
};
