/* loupe snapshot: a heap written into a file. */
#include "draw/heap_drawing.h"
#include "export/export.h"
#include "heaps/heap_answer.h"
#include "snapshot/file/redact.h"

static int say(const struct heap_query *query, const char *path, uint64_t size) {
    struct heap_answer said;
    int status = heap_answer_begin(&said, query, false);
    if (status)
        return status;
    loupe_json_put_string(&said.json, "file", path);
    loupe_json_put_uint(&said.json, "size", size);
    return heap_answer_end(&said, NULL, LOUPE_OK);
}

static uint64_t size_of(const char *path) {
    FILE *file = fopen(path, "rb");
    long size = file && !fseek(file, 0, SEEK_END) ? ftell(file) : 0;
    if (file)
        fclose(file);
    return size > 0 ? (uint64_t)size : 0;
}

static int draw(struct heap_query *query, const char *path) {
    struct heap_question question;
    int status = heap_question_init(&question, query);
    if (status)
        return status;
    status = heap_draw_snapshot(&question, drawing_format_of_file(path), path);
    heap_question_deinit(&question);
    return status ? status : say(query, path, size_of(path));
}

static int write_and_show(const struct export_format *format, struct heap_question *question) {
    const struct heap_query *query = question->query;
    struct export export = {.question = question, .path = query->operands[0]};
    enum loupe_status status = format->write(&export);
    if (status == LOUPE_ENOMEM || status == LOUPE_ETIMEOUT)
        return heap_ended(query);
    if (status)
        return heap_fail(query, LOUPE_EUSAGE, "%s cannot be written: %s",
                         cli_printable(loupe_span_of(export.path)), export.problem);
    return say(query, export.path, export.size);
}

static int write(struct heap_query *query) {
    const char *path = query->operands[0];
    const struct export_format *format = export_format_of(path);
    if (heap_is_drawing(path))
        return draw(query, path);
    if (!format)
        return cli_fail(CLI_NONSENSE, "snapshot", "'%s' has to end in .html, .dot, %s",
                        cli_printable(loupe_span_of(path)), export_endings());
    if (format->needs_native && !query->snapshot->native)
        return heap_fail(query, LOUPE_EUSAGE,
                         "%s is a Java heap, and %s files are written of Objective-C heaps: %s",
                         cli_printable(loupe_span_of(query->file)), format->ending,
                         "write .loupe or .sqlite");
    struct heap_question question;
    int status = heap_question_init(&question, query);
    if (status)
        return status;
    status = write_and_show(format, &question);
    heap_question_deinit(&question);
    return status;
}

int heap_verb_snapshot(struct heap_query *query) {
    struct heap_query redacted = *query;
    struct loupe_snapshot snapshot;
    if (!query->options.redact)
        return write(query);
    if (loupe_snapshot_redact(query->snapshot, LOUPE_REDACT_TEXTS, &heap_chunks, &snapshot))
        return heap_ended(query);
    redacted.snapshot = &snapshot;
    int status = write(&redacted);
    loupe_snapshot_deinit(&snapshot);
    return status;
}
