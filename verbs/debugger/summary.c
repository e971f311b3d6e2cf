/* What a session found. */
#include "verbs/verb.h"

const struct verb verb_summary = {
    .name = "summary",
    .summary = "what retain-cycles found in this session",
    .help =
        "Counts all retain-cycles commands of this session, also those of breakpoint actions, "
        "and lists each cycle once. With --fail-if-found it fails if one of them found a cycle "
        "(unless --write-baseline recorded it), failed or was incomplete, or if there was none: "
        "for the end of an `lldb -b` script.",
    .lldb = "",
    .needs = "",
    .keys = "questions with_cycles incomplete failed retain_cycles cycles problems",
    .next = "",
    .examples = {{"loupe summary --fail-if-found", "the last command of a script"}},
};
