/* Answers about whole heaps, made once. */
#include "heaps/heap_answer.h"

#include "answers/parts/gathered_text.h"
#include "shared/look.h"
#include "shared/output.h"
#include "report/heaps/report_snapshot.h"

#include <stdlib.h>

/* ---- In words ---- */

/* One line about what was freed, in place of the message that an error has. */
static int say_freed(const struct heap_query *query, const struct json_value *root,
                     struct loupe_arena *arena) {
    struct answer_look look = {.host = ANSWER_IN_TERMINAL, .unicode = look_of_tool().unicode};
    struct gathered_text text = {.arena = arena};
    struct answer_report plain = {.width = 0};
    struct answer answer;
    struct answer_lines lines;
    if (answer_open(&answer, root, arena))
        return heap_fail(query, LOUPE_ENOMEM, "out of memory");
    answer_lines_init(&lines, &answer, &look, gathered_text_sink(&text));
    enum loupe_status status = answer_say_report(&lines, &plain);
    answer_close(&answer);
    if (status)
        return heap_fail(query, status, "out of memory");
    /* Without the end of its line. */
    return cli_fail(CLI_FAILURE, query->verb->name, "%.*s", (int)text.length - 1, text.bytes);
}

static int say_tree(const struct heap_query *query, const struct json_value *root,
                    const struct answer_report *report, struct loupe_arena *arena) {
    struct answer_look look = look_of_tool();
    struct look_text drawn;
    struct loupe_span message = json_text(json_member(root, "error"), "message");
    struct answer_report plain = {.width = 0};
    struct answer answer;
    struct answer_lines lines;
    bool is_error = loupe_span_equals(json_text(root, "status"), "error");
    if (is_error && json_has(root, "freed"))
        return say_freed(query, root, arena);
    if (is_error)
        return heap_fail(query, LOUPE_ENOTOBJECT, "%s", cli_printable(message));
    if (answer_open(&answer, root, arena))
        return heap_fail(query, LOUPE_ENOMEM, "out of memory");
    answer_lines_init(&lines, &answer, &look, look_sink(&drawn, cli_text_sink()));
    enum loupe_status status = answer_say_report(&lines, report ? report : &plain);
    answer_close(&answer);
    if (status == LOUPE_ENOMEM)
        return heap_fail(query, status, "out of memory");
    if (status == LOUPE_EUSAGE)
        return heap_fail(query, status, "there is no report about such answers");
    return status ? CLI_FAILURE : CLI_OK;
}

int heap_answer_say(const struct heap_query *query, struct loupe_span text,
                    const struct answer_report *report) {
    struct loupe_arena arena;
    struct loupe_error error = {0};
    const struct json_value *root;
    loupe_arena_init(&arena, &heap_chunks);
    int status = json_read(text, &arena, &root, &error)
                     ? heap_fail(query, error.code, "%s", error.message)
                     : say_tree(query, root, report, &arena);
    loupe_arena_deinit(&arena);
    return status;
}

/* What was captured. failed: of making it. */
static int say_captured(const struct heap_query *query, struct capture *capture,
                        const struct answer_report *report, bool failed) {
    size_t length;
    char *text = capture_end(capture, &length);
    int status = failed || !text
                     ? heap_ended(query)
                     : heap_answer_say(query, (struct loupe_span){text, length}, report);
    free(text);
    return status;
}

int heap_answer_say_ended(const struct heap_query *query, const char *reason) {
    struct capture capture;
    struct loupe_json json;
    int status = heap_begin_output(query);
    if (status)
        return status;
    if (!query->options.json)
        capture_begin(&capture, CAPTURED_ANSWERS);
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_ended(&json, query->verb->name, query->snapshot, reason);
    loupe_json_finish(&json);
    cli_end_answer();
    return query->options.json ? CLI_OK : say_captured(query, &capture, NULL, false);
}

/* ---- From its begin to its end ---- */

int heap_answer_begin_empty(struct heap_answer *answer, const struct heap_query *query) {
    answer->query = query;
    int status = heap_begin_output(query);
    if (status)
        return status;
    if (!query->options.json)
        capture_begin(&answer->capture, CAPTURED_ANSWERS);
    loupe_json_init(&answer->json, cli_answer_sink());
    return CLI_OK;
}

int heap_answer_begin(struct heap_answer *answer, const struct heap_query *query, bool incomplete) {
    int status = heap_answer_begin_empty(answer, query);
    if (status)
        return status;
    loupe_report_snapshot_begin(&answer->json, query->verb->name, query->snapshot, incomplete);
    return CLI_OK;
}

static int end(struct heap_answer *answer, const struct answer_report *report,
               enum loupe_status made) {
    const struct heap_query *query = answer->query;
    loupe_json_finish(&answer->json);
    cli_end_answer();
    if (query->options.json && made) { /* what went out already is no answer, and ends none */
        cli_output_drop();
        return cli_fail(CLI_FAILURE, query->verb->name,
                        *heap_stop ? "the time limit (--timeout) was reached" : "out of memory");
    }
    if (query->options.json)
        return CLI_OK;
    return say_captured(query, &answer->capture, report, made);
}

int heap_answer_end(struct heap_answer *answer, const struct answer_report *report,
                    enum loupe_status made) {
    loupe_report_snapshot_end(&answer->json, answer->query->snapshot);
    return end(answer, report, made);
}

int heap_answer_end_empty(struct heap_answer *answer, enum loupe_status made) {
    return end(answer, NULL, made);
}
