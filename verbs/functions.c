/* Which functions blocks run. */
#include "heap_verb.h"

const struct verb verb_functions = {
    .name = "functions",
    .summary = "functions of blocks, to be named with --names",
    .help = "The address of each function that a block of an Objective-C heap runs, one on a line: "
            "what a debugger has to name for --names (docs/cores.md).",
    .terminal = "FILE",
    .needs = "file",
    .keys = "",
    .next = "",
    .run = heap_verb_functions,
    .files = 1,
};
