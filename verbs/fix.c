/* A fix of a saved answer, as a change of the source. */
#include "cli/fix/fix.h"
#include "verbs/verb.h"

const struct verb verb_fix = {
    .name = "fix",
    .summary = "a patch of the source from a saved --json answer",
    .help =
        "Prints the patch of one fix for git apply, and what it rests on. ANSWER is what --json "
        "wrote of retain-cycles in LLDB, or of cycles or leaks. FIX is the number of an entry and "
        "the letter of a fix; without it all fixes are listed. So far it can make ivars and "
        "properties weak, and what blocks capture; what is not found in exactly one place, or is "
        "not understood, is refused (docs/fix.md).",
    .terminal = "ANSWER [FIX]",
    .needs = "file",
    .keys = "patches choices",
    .next = "",
    .examples = {{"loupe fix cycles.json", "list the fixes"},
                 {"loupe fix cycles.json 1a | git apply", ""}},
    .command = cli_fix,
};
