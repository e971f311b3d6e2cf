/* What leaks in a heap. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_leaks = {
    .name = "leaks",
    .summary = "leaked memory and retain cycles, with fixes (Objective-C)",
    .help = "Finds leaks in an Objective-C heap, with no object named: unreachable objects, memory "
            "and retain cycles, and cycles that are still pointed to but that nothing outside "
            "owns. Equal leaks are one entry, with its size, its loop and its fixes. Not for Java "
            "heaps, where the collector frees unreachable objects: use suspects there.\n\nIn a "
            "terminal the exit status is 0 without leaks, 1 with leaks, and 2 if the result is "
            "incomplete, with leaks or without (--allow-incomplete: 0 or 1). In LLDB the command "
            "fails only with --fail-if-found, if there are leaks, or with --baseline, if there are "
            "leaks that FILE does not have; both also fail if the result is incomplete, unless "
            "--allow-incomplete is given. `lldb -b` then exits with the same status (docs/ci.md).",
    .terminal = "FILE",
    .lldb = "",
    .needs = "file",
    .keys = "leaked lost unowned timer not_shown shared on_stacks_only found counts known objects "
            "leaks "
            "shared_classes lost_classes lost_classes_found miscounted dangling_found dangling "
            "hidden by_stack stacks "
            "images "
            "hidden_by_baseline "
            "hidden_by_class",
    .next = "cycles path retained",
    .examples = {{"loupe leaks", ""},
                 {"loupe leaks --fail-if-found", "at the end of a script"},
                 {"loupe leaks --html leaks.html", "also as an HTML page"},
                 {"loupe leaks --write-baseline known.txt", "record the current leaks"}},
    .tool = {.title = "Leaks", .list = "leaks", .page = 10},
    .run = heap_verb_leaks,
    .files = 1,
};
