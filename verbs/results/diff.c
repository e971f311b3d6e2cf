/* What grew. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_diff = {
    .name = "diff",
    .summary = "memory growth by class, new leaks, new cycles",
    .help = "Shows what grew between heaps of one program, by class: new, gone, still there; and "
            "which leaks and retain cycles are new. Of several heaps the first and the last are "
            "compared, and each class shows its growth from one to the next.\n\nIn LLDB: since a "
            "mark, or without a name since all marks, the oldest first. Mark, do the same thing "
            "again, mark, and so on.\n\nObjects are compared by address: one that a collector "
            "moved counts as gone and as new; sizes are right. For heaps of two runs, such as "
            "before and after a change of the program, use --runs, which compares classes and the "
            "fingerprints of leaks.",
    .terminal = "OLD [...] NEW",
    .lldb = "[<mark>]",
    .needs = "file",
    .keys = "runs changed classes total same_process processes reused maybe_reused reused_by_class "
            "steps new_leaks new_knots more_leaks "
            "more_knots",
    .next = "leaks find",
    .examples = {{"loupe mark", "before"},
                 {"loupe diff", "after"},
                 {"loupe diff start", "by name"}},
    .tool = {.title = "What grew", .list = "classes", .page = 20},
    .run = heap_verb_diff,
    .files = 2,
    .most_files = HEAP_MOST_FILES,
};
