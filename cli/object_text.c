/* Answers about one object of a target, in words. */
#include "object_text.h"

#include "answers/reports/report.h"
#include "look.h"

static int say(const struct heap_query *query, const struct json_value *root,
               struct loupe_arena *arena) {
    struct answer_look look = look_of_tool();
    struct answer_report report = {.width = 0};
    struct loupe_span message = json_text(json_member(root, "error"), "message");
    struct answer answer;
    struct answer_lines lines;
    if (loupe_span_equals(json_text(root, "status"), "error"))
        return heap_fail(query, LOUPE_ENOTOBJECT, "%s", cli_printable(message));
    if (answer_open(&answer, root, arena))
        return heap_fail(query, LOUPE_ENOMEM, "out of memory");
    answer_lines_init(&lines, &answer, &look, cli_stdout_sink());
    enum loupe_status status = answer_say_report(&lines, &report);
    answer_close(&answer);
    if (status == LOUPE_ENOMEM)
        return heap_fail(query, status, "out of memory");
    return status ? CLI_FAILURE : CLI_OK;
}

int object_text_print(const struct heap_query *query, struct loupe_span answer) {
    struct loupe_arena arena;
    struct loupe_error error = {0};
    const struct json_value *root;
    loupe_arena_init(&arena, &cli_chunks);
    int status =
        json_read(answer, &arena, &root, &error)
            ? heap_fail(query, LOUPE_ENOMEM, "the answer cannot be read: %s", error.message)
            : say(query, root, &arena);
    loupe_arena_deinit(&arena);
    return status;
}
