/* Help. */
#include "verb_commands.h"
#include "verbs/verb.h"

const struct verb verb_help = {
    .name = "help",
    .summary = "help about a verb",
    .help = "Shows what a verb does and all its options, as `loupe VERB --help` does.",
    .terminal = "[VERB]",
    .needs = "",
    .keys = "",
    .next = "",
    .command = cli_help,
};
