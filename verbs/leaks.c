/* What leaks in a heap. */
#include "heap_verb.h"

const struct verb verb_leaks = {
    .name = "leaks",
    .summary = "leaked memory, objects and retain cycles, with fixes (Objective-C)",
    .help = "Finds leaks in an Objective-C heap, with no object named: unreachable objects, memory "
            "and retain cycles, and cycles that are still pointed to but that nothing outside "
            "owns. Equal leaks are one entry, with what each keeps, its loop and what to change. "
            "Java heaps have no leaks of this kind: ask suspects.\n\nIn a terminal the exit status "
            "is 1 with leaks, 0 without and 2 when the result is incomplete. In LLDB it succeeds "
            "also if it finds leaks; with --fail-if-found they make it fail, so that `lldb -b` "
            "exits with 1, and with --baseline those do that the file does not have. Both fail, "
            "too, if the result is incomplete, unless --allow-incomplete is given (docs/leaks.md).",
    .terminal = "FILE",
    .lldb = "",
    .needs = "file",
    .keys = "leaked lost unowned timer not_shown shared on_stacks_only found known objects leaks "
            "shared_classes miscounted dangling_found dangling hidden by_stack stacks images "
            "hidden_by_baseline "
            "hidden_by_class",
    .next = "cycles path retained",
    .examples = {{"loupe leaks", ""},
                 {"loupe leaks --fail-if-found", "at the end of a script"},
                 {"loupe leaks --html leaks.html", "also a page of them"},
                 {"loupe leaks --write-baseline known.txt", "record what is there"}},
    .run = heap_verb_leaks,
    .files = 1,
};
