/* Retains and releases of an object. */
#include "verbs/verb.h"

const struct verb verb_history = {
    .name = "history",
    .summary = "record retains and releases of an object from now on",
    .help =
        "Records each retain, release, autorelease and weak store of the object with its stack, "
        "until it is freed. Without an expression it shows what was recorded so far, and which "
        "retain has no matching release. LLDB stops the program at each change of the count "
        "(breakpoints, and one hardware watchpoint for each object) and goes on; --stop ends "
        "it.\n\nIf libloupe_record recorded the object from the start (LOUPE_RECORD=Class), "
        "that is shown at once, also on a core.",
    .lldb = "[<expr>]",
    .needs = "process",
    .keys = "",
    .next = "",
    .takes_expression = true,
    .examples = {{"loupe history self->_cache", "from now on; then continue"},
                 {"loupe history", "what was recorded"}},
};
