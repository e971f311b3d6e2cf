/* Which functions blocks run, and where roots stand. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_functions = {
    .name = "functions",
    .summary = "functions of blocks and places of roots, to be named with --names",
    .help =
        "Prints the address of each function that a block of an Objective-C heap runs, one on "
        "a line, for a debugger to name (--names, docs/cores.md). Then a line for each root that "
        "may be a variable: root, the address of the word, its kind, the object, the thread.",
    .terminal = "FILE",
    .needs = "file",
    .keys = "",
    .next = "",
    .tool = {.is_none = true},
    .run = heap_verb_functions,
    .files = 1,
};
