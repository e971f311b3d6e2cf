/* Objects that should be gone. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_suspects = {
    .name = "suspects",
    .summary = "objects that should be gone, by rules, and what holds them",
    .help =
        "Lists objects that are held although a rule says that they should be gone (a destroyed "
        "Activity, a view controller off screen), grouped by cause, with the path that holds "
        "them.\n\nRules about UIKit, AppKit, GNUstep, Android, the JDK and LeakCanary come with "
        "Loupe; yours take precedence (docs/rules.md).\n\nThen, without a rule, the owners: each "
        "object, and each class of objects, that alone keeps a large share of the heap alive, "
        "with the accumulation point and the field or variable to look at.\n\nWith "
        "--fail-if-found or --baseline the command fails if it finds a suspect that the baseline "
        "does not have, or if the result is incomplete, unless --allow-incomplete is given.",
    .terminal = "FILE",
    .lldb = "",
    .needs = "file",
    .keys =
        "found held_by_suspects not_held retained retained_objects retained_others groups rules "
        "alive percent hidden_owners suspects leaked_found leaked_not_searched leaked_groups "
        "leaked hidden_by_baseline written_baseline summary format class_count unnamed",
    .next = "path retained",
    .shows_roots = true,
    .tool = {.title = "Objects that should be gone", .list = "suspects", .page = 10},
    .run = heap_verb_suspects,
    .files = 1,
};
