/* Objects that live on. */
#include "verbs/verb.h"

const struct verb verb_watch = {
    .name = "watch",
    .summary = "report an object that is not freed in time",
    .help =
        "Reports an object that is still alive after its time, with the retain cycle that keeps "
        "it alive, on the program's standard error; --stop stops there, and adds names from debug "
        "information. With --rules, rules say which objects; FILE may be uikit, appkit or gnustep. "
        "`list` shows what is watched, `delete` ends it for one object or for all.\n\nIt loads "
        "libloupe_watch into the program and calls it, and all threads run meanwhile; it is "
        "refused "
        "while a thread is in malloc, the loader or the runtime.",
    .lldb = "[<expr> | list | delete [<expr>]]",
    .needs = "process",
    .keys = "",
    .next = "",
    .takes_expression = true,
    .examples = {{"loupe watch self", "report it if it is alive in two seconds"},
                 {"loupe watch --after 0.5 self->_request", ""},
                 {"loupe watch --rules uikit --stop", "screens that are not freed"},
                 {"loupe watch list", "age, state, retain count"},
                 {"loupe watch delete", "stop watching all"}},
};
