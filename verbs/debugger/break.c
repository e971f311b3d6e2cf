/* A breakpoint at a method. */
#include "verbs/verb.h"

const struct verb verb_break = {
    .name = "break",
    .summary = "breakpoint at an Objective-C method, also in a stripped program",
    .help =
        "Reads where the code of the method is from the runtime's lists and sets a breakpoint "
        "there: for methods that LLDB has no name for, on GNUstep and in stripped programs, also "
        "in breakpoint actions and where LOUPE_ENGINE=memory forbids calls. One that is inherited "
        "is said to be. Where the class is not there yet, also before the program runs, the "
        "breakpoint is pending until main(), dlopen() or objc_registerClassPair() brings it. What "
        "the lists do not tell, as of Apple's shared cache, the runtime is asked for by its "
        "functions, unless a thread is in malloc, the loader or the runtime.",
    .lldb = "<method>",
    .needs = "process",
    .keys = "",
    .next = "",
    .takes_expression = true,
    .examples = {{"loupe break '-[NSWindow close]'", "of instances"},
                 {"loupe break '+[NSDate date]'", "of the class"}},
};
