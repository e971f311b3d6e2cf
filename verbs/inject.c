/* Loads the helper. */
#include "verbs/verb.h"

const struct verb verb_inject = {
    .name = "inject",
    .summary = "load the helper library into the process now",
    .help = "Loads the helper, which then answers for --engine auto and helper. Loading runs the "
            "dynamic loader in the process for a moment, on all threads; where one is in malloc, "
            "the loader or the runtime it is refused.",
    .lldb = "",
    .needs = "process",
    .keys = "",
    .next = "",
};
