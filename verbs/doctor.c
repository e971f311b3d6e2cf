/* What Loupe found. */
#include "verbs/verb.h"

const struct verb verb_doctor = {
    .name = "doctor",
    .summary = "what Loupe found: LLDB, runtime, plugin, helper",
    .help = "Says which parts of Loupe are found and loaded, and why not.",
    .lldb = "",
    .needs = "",
    .keys = "",
    .next = "",
    .examples = {{"loupe doctor -v", "for a report of a problem"}},
};
