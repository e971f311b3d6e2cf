/* Who allocated an object. */
#include "verbs/verb.h"

const struct verb verb_allocated = {
    .name = "allocated",
    .summary = "who allocated an object: the whole stack, as libloupe_record recorded it",
    .help = "The stack that allocated the object, innermost frame first, with functions, files and "
            "lines: of a program that was started with libloupe_record (docs/recording.md), also "
            "in a core.",
    .lldb = "[<expr>]",
    .needs = "stop",
    .keys = "object objects edges stacks recorded",
    .next = "history",
    .takes_expression = true,
    .examples = {{"loupe allocated self", ""}, {"loupe allocated #3", "the third of an answer"}},
};
