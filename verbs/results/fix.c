/* A fix of a heap's leaks or of a saved answer, as a change of the source. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_fix = {
    .name = "fix",
    .summary =
        "a patch of the source for a leak, of a heap, a saved answer, or the last one in LLDB",
    .help =
        "Prints the patch of one fix for git apply, and what it rests on. FILE is a heap, whose "
        "leaks "
        "are asked for, or what --json wrote of retain-cycles in LLDB, or of cycles or leaks; in "
        "LLDB "
        "it is the last answer. FIX "
        "is the number of an entry and "
        "the letter of a fix; without it all fixes are listed. So far it can make ivars and "
        "properties weak, have code without ARC hold them without retaining, have blocks capture "
        "weakly, and end timers and the like where the work of their owner ends; what is not "
        "understood is refused (docs/fix.md).",
    .terminal = "FILE [FIX]",
    .lldb = "[<fix>]",
    .takes_expression = true,
    .needs = "file",
    .keys = "patches choices",
    .next = "",
    .examples = {{"loupe fix", "list the fixes of the last answer"},
                 {"loupe fix 1a --source src", "print a patch"},
                 {"loupe fix 1a --source src --apply", "change the source"},
                 {"loupe fix app.core 1a --verify 'make && ./test'", "try it in a copy"}},
    .command = cli_fix,
};
