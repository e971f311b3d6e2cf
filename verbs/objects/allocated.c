/* Who allocated an object. */
#include "verbs/verb.h"

const struct verb verb_allocated = {
    .name = "allocated",
    .summary = "who allocated an object: the whole stack, as libloupe_record recorded it",
    .help = "Shows the stack that allocated the object, innermost frame first, with functions, "
            "files and lines. The program must have been started with libloupe_record "
            "(docs/recording.md); works on its cores, too.",
    .lldb = "[<expr>]",
    .needs = "stop",
    .keys = "object objects edges stacks recorded",
    .next = "history",
    .takes_expression = true,
    .examples = {{"loupe allocated self", ""},
                 {"loupe allocated #3", "the third object of the last answer"}},
};
