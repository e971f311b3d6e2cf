/* Retains and releases of an object. */
#include "verbs/verb.h"

const struct verb verb_history = {
    .name = "history",
    .summary = "record who retains and releases an object, from now on",
    .help = "Watches the count of the object while the program runs on: each retain, release, "
            "autorelease and weak store with its stack, until the object is freed. Without an "
            "expression it tells what was seen so far, and which retain has no release. It takes "
            "one of the processor's watchpoints for each object; --stop ends it.\n\nWhere "
            "libloupe_record recorded the object from its beginning on (LOUPE_RECORD=Class), that "
            "is told at once, also on a core.",
    .lldb = "[<expr>]",
    .needs = "process",
    .keys = "",
    .next = "",
    .takes_expression = true,
    .examples = {{"loupe history self->_cache", "from now on; then continue"},
                 {"loupe history", "what was seen"}},
};
