/* The tab key. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_completion = {
    .name = "completion",
    .summary = "script that makes the tab key complete commands, options and classes",
    .help = "Prints a script for a shell: source it in ~/.bashrc, ~/.zshrc or "
            "~/.config/fish/config.fish: `source <(loupe completion bash)`. It completes commands, "
            "options and their values, files, and the classes of the heap that the line names. "
            "Packages install it.",
    .terminal = "bash|zsh|fish",
    .needs = "",
    .keys = "",
    .next = "",
    .examples = {{"source <(loupe completion bash)", ""}},
    .command = cli_completion,
};
