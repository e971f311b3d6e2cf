/* Objects that should be gone. */
#include "heap_verb.h"

const struct verb verb_suspects = {
    .name = "suspects",
    .summary = "objects that should be gone, by rules, and who keeps most of the heap",
    .help =
        "Objects that rules say should be gone although something holds them (a destroyed "
        "Activity, a view controller off screen), grouped by the references that can be the "
        "bug, with the path that holds them.\n\nRules about UIKit, AppKit, GNUstep, Android, "
        "the JDK and LeakCanary come with Loupe; yours count before them (docs/rules.md).\n\nThen, "
        "with no rule: each "
        "object, and each class of objects, that keeps a large share of the heap alive, down to "
        "where it spreads, with the last reference on the path that the program gave a "
        "name.\n\nWith "
        "--fail-if-found, and with --baseline, it fails if one is left that the baseline does not "
        "have, or if the result is incomplete, unless --allow-incomplete is given.",
    .terminal = "FILE",
    .lldb = "",
    .needs = "file",
    .keys = "found held_by_suspects not_held retained retained_objects groups alive suspects "
            "leaked_found leaked_groups leaked hidden_by_baseline",
    .next = "path retained",
    .shows_roots = true,
    .run = heap_verb_suspects,
    .files = 1,
};
