/* What is known and meant. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_ignore = {
    .name = "ignore",
    .summary = "write a finding of the last report into a baseline, with date and reason",
    .help =
        "Writes the fingerprint of a finding that is intended into a baseline, with the date and "
        "the reason; --baseline no longer reports it. Name the finding by its number in the last "
        "report, or by its fingerprint.",
    .terminal = "FINDING",
    .lldb = "<finding>",
    .needs = "",
    .keys = "",
    .next = "leaks retain-cycles",
    .takes_expression = true,
    .examples = {{"loupe ignore #3 --because 'lives as long as the app'", ""}},
    .command = cli_ignore,
};
