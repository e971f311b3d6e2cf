/* The tab key. */
#include "verb_commands.h"
#include "verbs/verb.h"

const struct verb verb_completion = {
    .name = "completion",
    .summary = "make the tab key complete verbs, options, files and classes",
    .help = "Prints a script for a shell: source it in ~/.bashrc, ~/.zshrc or "
            "~/.config/fish/config.fish, as in `source <(loupe completion bash)`. It offers verbs, "
            "options and their values, files, and the classes of the heap that the line names. "
            "Packages install it.",
    .terminal = "bash|zsh|fish",
    .needs = "",
    .keys = "",
    .next = "",
    .examples = {{"source <(loupe completion bash)", ""}},
    .command = cli_completion,
};
