/* What is in an object. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_show = {
    .name = "show",
    .summary = "one object: fields with values, references, who refers to it",
    .help =
        "Shows one object: class, size, retained size, retain count; fields with their values, "
        "elements of collections, its other references, and who refers to it, counted by class "
        "and field. Nothing runs in the program.\n\nNumbers, strings, "
        "dates, enums, files, URLs and boxed values are shown as values, collections as elements "
        "or key and value, whatever they are made of.",
    .terminal = "FILE OBJECT",
    .lldb = "[<expr>]",
    .needs = "file",
    .keys = "object fields collection items outgoing incoming roots freed dangling dangling_found "
            "dangling_reason",
    .next = "path retained find",
    .takes_expression = true,
    .shows_roots = true,
    .examples = {{"loupe show self", ""},
                 {"loupe show --depth 2 self->_items",
                  "also the fields of the objects it refers to"}},
    .tool = {.title = "What is in an object", .list = "items", .page = 30},
    .run = heap_verb_show,
    .files = 1,
    .least_operands = 1,
    .most_operands = 1,
};
