/* What is in an object. */
#include "heap_verb.h"

const struct verb verb_show = {
    .name = "show",
    .summary = "an object: its fields with values, what it holds, who refers to it",
    .help =
        "An object as its program has it: class, size, what it keeps alive, retain count; fields "
        "with their values, the elements of collections, other references it has, and who refers "
        "to it, counted by class and field. Nothing runs in the program.\n\nNumbers, strings, "
        "dates, enums, files, URLs and boxed values are shown as values, collections as elements "
        "or key and value, whatever they are made of.",
    .terminal = "FILE OBJECT",
    .lldb = "[<expr>]",
    .needs = "file",
    .keys = "object fields collection items outgoing incoming roots",
    .next = "path retained find",
    .takes_expression = true,
    .shows_roots = true,
    .examples = {{"loupe show self", ""},
                 {"loupe show --depth 2 self->_items", "fields of what fields lead to, as well"}},
    .run = heap_verb_show,
    .files = 1,
    .least_operands = 1,
    .most_operands = 1,
};
