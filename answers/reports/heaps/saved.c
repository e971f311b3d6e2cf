/* The report of snapshot: what was written into a file. */
#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"

enum loupe_status answer_say_saved(struct answer_lines *lines, const struct answer_report *report) {
    const struct json_value *root = lines->answer->root;
    (void)report;
    answer_say_long_text(lines, json_text(root, "file"));
    answer_say(lines, ": ");
    answer_say_contents(lines);
    answer_say(lines, " in ");
    answer_say_bytes(lines, json_uint(root, "size"));
    answer_end_line(lines);
    answer_say_heap_notes(lines, false);
    return LOUPE_OK;
}
