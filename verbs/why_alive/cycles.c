/* All retain cycles of a heap. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_cycles = {
    .name = "cycles",
    .summary = "retain cycles of the heap, leaked or held, or those OBJECT reaches",
    .help = "Shows all retain cycles of the heap, or those that one object is in or "
            "reaches, with loops, verdicts and fixes. In a Java heap a cycle is not a leak by "
            "itself: the collector frees it.",
    .terminal = "FILE [OBJECT]",
    .lldb = "[<expr>]",
    .needs = "file",
    .keys = "seed found distinct counts knots objects knots_found possible_found "
            "memory_circles hidden hidden_by_baseline",
    .next = "path retained",
    .takes_expression = true,
    .examples = {{"loupe cycles", ""}, {"loupe cycles self", "as retain-cycles self"}},
    .tool = {.title = "Retain cycles", .list = "knots", .page = 10},
    .run = heap_verb_cycles,
    .run_on_target = heap_verb_cycles_on_target,
    .files = 1,
    .most_operands = 1,
};
