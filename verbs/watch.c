/* Objects that live on. */
#include "verbs/verb.h"

const struct verb verb_watch = {
    .name = "watch",
    .summary = "report an object that lives on when it should have died",
    .help =
        "Watches an object: alive after its time it is reported, with the retain cycle that keeps "
        "it alive, on the program's standard error; --stop stops there, and asks for names from "
        "debug information. With --rules the objects are found by rules, as in programs that run "
        "without a debugger; FILE may be uikit, appkit or gnustep. `list` shows what is watched, "
        "`delete` ends it, of one object or of all. Loads libloupe_watch into the process; where a "
        "thread is in malloc, the loader or the runtime it is refused.",
    .lldb = "[<expr> | list | delete [<expr>]]",
    .needs = "process",
    .keys = "",
    .next = "",
    .takes_expression = true,
    .examples = {{"loupe watch self", "should be dead in two seconds"},
                 {"loupe watch --after 0.5 self->_request", ""},
                 {"loupe watch --rules uikit --stop", "screens that live on"},
                 {"loupe watch list", "age, state, retain count"},
                 {"loupe watch delete", "nothing any more"}},
};
