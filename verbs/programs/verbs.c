/* This table. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_verbs = {
    .name = "verbs",
    .summary = "every verb with its options, for programs",
    .help = "Lists every verb, in a terminal and in LLDB; with --json also operands, options, keys "
            "of the answer and what to ask next (docs/protocol.md).",
    .terminal = "",
    .needs = "",
    .keys = "verbs",
    .next = "",
    .command = cli_verbs,
};
