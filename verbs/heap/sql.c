/* Questions in SQL. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_sql = {
    .name = "sql",
    .summary = "one SELECT over the heap: objects, references, classes, strings, ...",
    .help =
        "Answers one SELECT of SQLite about a heap, read in place: nothing is exported, and "
        "nothing "
        "can be written. Tables: objects, refs, classes, roots, threads, frames, fields, strings, "
        "collections. Functions of an object's number: text(object), field(object, name), "
        "path(object), retained(object), class(object), address(object).\n\nA name in place of SQL "
        "asks a shipped question; --list shows them.",
    .terminal = "FILE [SELECT|NAME]",
    .lldb = "[<select>]",
    .needs = "file",
    .keys = "columns rows row_count",
    .next = "show path",
    .examples = {{"loupe sql 'select class, count(*), sum(size) from objects group by class "
                  "order by 3 desc limit 10'",
                  ""},
                 {"loupe sql duplicate-strings", "a shipped question"}},
    .tool = {.title = "Questions in SQL", .list = "rows", .page = 50, .needs_operand = true},
    .run = heap_verb_sql,
    .files = 1,
    .most_operands = 1,
};
