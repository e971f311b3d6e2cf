/* The instances of a class. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_find = {
    .name = "find",
    .summary = "instances of matching classes",
    .help = "Lists the instances of matching classes (* stands for any text), the largest first: "
            "address, bytes, retained size. Strings and arrays of numbers show their values.",
    .terminal = "FILE PATTERN",
    .lldb = "<pattern>",
    .needs = "file",
    .keys = "found known_class near_class objects dangling_found dangling",
    .next = "path retained",
    .shows_roots = true,
    .examples = {{"loupe find PhotoScreen", ""}, {"loupe find --subclasses NSView", ""}},
    .tool = {.title = "Instances of a class", .list = "objects", .page = 30},
    .run = heap_verb_find,
    .files = 1,
    .least_operands = 1,
    .most_operands = 1,
};
