/* A breakpoint at a method. */
#include "verbs/verb.h"

const struct verb verb_break = {
    .name = "break",
    .summary = "breakpoint at an Objective-C method, also in a stripped program",
    .help = "Asks the runtime where the code of the method is, and sets a breakpoint there: for "
            "methods that LLDB has no name for, on GNUstep and in stripped programs. One that is "
            "inherited is said to be. Needs a live process whose classes are loaded, and calls "
            "functions of the runtime in it; where a thread is in malloc, the loader or the "
            "runtime it is refused.",
    .lldb = "<method>",
    .needs = "process",
    .keys = "",
    .next = "",
    .takes_expression = true,
    .examples = {{"loupe break '-[NSWindow close]'", "of instances"},
                 {"loupe break '+[NSDate date]'", "of the class"}},
};
