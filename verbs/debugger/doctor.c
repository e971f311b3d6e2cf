/* What Loupe found. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_doctor = {
    .name = "doctor",
    .summary = "what Loupe found: LLDB, runtime, plugin, helper",
    .help =
        "In LLDB: which parts of Loupe were found and loaded, and if not, why.\n\nIn a terminal: "
        "whether a process can be read from here, and if not, what is missing; in which "
        "container it runs, and what it is called there. It is not stopped.",
    .terminal = "PID",
    .lldb = "",
    .needs = "",
    .keys = "",
    .next = "",
    .examples = {{"loupe doctor -v", "for a report of a problem"}},
    .command = cli_doctor,
};
