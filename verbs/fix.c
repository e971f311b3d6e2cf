/* A fix of a saved answer, as a change of the source. */
#include "cli/fix/fix.h"
#include "verbs/verb.h"

const struct verb verb_fix = {
    .name = "fix",
    .summary = "a fix of a saved --json answer as a patch of the source",
    .help =
        "Shows what one fix of an answer changes in the source, as a diff that git apply takes, "
        "and what that rests on. ANSWER is what --json gave of retain-cycles in LLDB, of cycles "
        "or leaks here; FIX is the number of an entry and the letter of a fix, and without it "
        "all are listed. So far ivars and properties are made weak (docs/fix.md); what is not "
        "found in exactly one place is refused.",
    .terminal = "ANSWER [FIX]",
    .needs = "file",
    .keys = "patches choices",
    .next = "",
    .examples = {{"loupe fix rings.json", "what can be done"},
                 {"loupe fix rings.json 1a | git apply", ""}},
    .command = cli_fix,
};
