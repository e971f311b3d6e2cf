/* What a session found. */
#include "verbs/verb.h"

const struct verb verb_summary = {
    .name = "summary",
    .summary = "what the questions about cycles of this session found",
    .help = "Counts all questions to retain-cycles of this session, also those of breakpoint "
            "actions, and lists each cycle that they found once. With --fail-if-found it fails if "
            "one found a cycle (unless --write-baseline recorded it), had no answer or was "
            "incomplete, and if nothing was asked at all: for the end of a script for `lldb -b`, "
            "which ends at the first command that fails.",
    .lldb = "",
    .needs = "",
    .keys = "questions with_cycles incomplete failed retain_cycles cycles problems",
    .next = "",
    .examples = {{"loupe summary --fail-if-found", "the last command of a script"}},
};
