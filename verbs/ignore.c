/* What is known and meant. */
#include "verb_commands.h"
#include "verbs/verb.h"

const struct verb verb_ignore = {
    .name = "ignore",
    .summary = "write a finding of the last report into a baseline, with date and reason",
    .help =
        "A finding that is meant to stay: its fingerprint goes into a baseline, a line with the "
        "date and the reason, and is reported as new no more where that is given with "
        "--baseline. It is named by its number in the last report, or by its fingerprint.",
    .terminal = "FINDING",
    .lldb = "<finding>",
    .needs = "",
    .keys = "",
    .next = "leaks retain-cycles",
    .takes_expression = true,
    .examples = {{"loupe ignore #3 --because 'lives as long as the app'", ""}},
    .command = cli_ignore,
};
