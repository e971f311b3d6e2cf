/* What Loupe found. */
#include "verbs/verb.h"

const struct verb verb_doctor = {
    .name = "doctor",
    .summary = "what Loupe found: LLDB, runtime, plugin, helper",
    .help = "Says which parts of Loupe were found and loaded, and if not, why.",
    .lldb = "",
    .needs = "",
    .keys = "",
    .next = "",
    .examples = {{"loupe doctor -v", "for a report of a problem"}},
};
