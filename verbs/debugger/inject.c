/* Loads the helper. */
#include "verbs/verb.h"

const struct verb verb_inject = {
    .name = "inject",
    .summary = "load the helper library into the process now",
    .help = "Loads the helper library, which then answers with --engine auto and helper. Loading "
            "runs the dynamic loader in the program, and all threads run meanwhile; it is refused "
            "while a thread is in malloc, the loader or the runtime.",
    .lldb = "",
    .needs = "process",
    .keys = "",
    .next = "",
};
