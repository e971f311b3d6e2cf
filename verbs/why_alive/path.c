/* Why an object is alive. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_path = {
    .name = "path",
    .summary = "why OBJECT is alive: shortest paths from roots",
    .help = "Shows why an object is alive: the shortest paths of references from roots to it, or "
            "to the objects of a class. Name an object or a class.\n\nA path over a known leak of "
            "a library or a soft reference is shown only if there is no other, and one from the "
            "stack of running code only if there is none of these. Weak references are never "
            "followed. Rules can say more about what is on the path (docs/rules.md).",
    .terminal = "FILE OBJECT",
    .lldb = "[<expr>]",
    .needs = "file",
    .keys = "found unreachable objects ways compared paths freed dangling dangling_found "
            "dangling_reason",
    .next = "retained cycles",
    .takes_expression = true,
    .shows_roots = true,
    .examples = {{"loupe path self", ""},
                 {"loupe path -n 5 self->_items", "from different roots"},
                 {"loupe path --to-class PhotoScreen", "to each instance"}},
    .tool = {.title = "Why is it alive", .list = "paths", .page = 3, .needs_operand = true},
    .run = heap_verb_path,
    .files = 1,
    .most_operands = 1,
};
