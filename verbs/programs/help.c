/* Help. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_help = {
    .name = "help",
    .summary = "help about a command",
    .help = "Shows what a command does and all its options, like `loupe COMMAND --help`.",
    .terminal = "[COMMAND]",
    .needs = "",
    .keys = "",
    .next = "",
    .command = cli_help,
};
