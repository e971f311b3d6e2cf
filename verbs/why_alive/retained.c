/* What keeps memory alive. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_retained = {
    .name = "retained",
    .summary = "what keeps most memory alive, or what OBJECT alone keeps alive",
    .help = "Lists the objects that keep most memory alive. With an object: what would be freed "
            "with it, by class and by object, and its dominators.",
    .terminal = "FILE [OBJECT]",
    .lldb = "[<expr>]",
    .needs = "file",
    .keys = "counted_as found reached reached_others asked_class dominators object dominated "
            "classes_found classes "
            "freed dangling dangling_found dangling_reason",
    .next = "path find",
    .takes_expression = true,
    .examples = {{"loupe retained", ""},
                 {"loupe retained self", ""},
                 {"loupe retained --class 'Photo*'",
                  "of a class, the largest retained size first"}},
    .tool = {.title = "What keeps memory alive",
             .list = "dominators",
             .list_of_one = "dominated",
             .page = 20},
    .shows_roots = true,
    .run = heap_verb_retained,
    .files = 1,
    .most_operands = 1,
};
