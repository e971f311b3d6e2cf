/* loupe snapshot: a heap written into a file. */
#include "shared/amounts.h"
#include "shared/capture.h"
#include "export/export.h"
#include "draw/heap_drawing.h"
#include "text/native_words.h"
#include "report/heaps/report_snapshot.h"
#include "snapshot/file/redact.h"

static int show(const struct heap_query *query, const char *path, uint64_t size) {
    int status = heap_begin_output(query);
    if (status)
        return status;
    if (!query->options.json) {
        printf("%s: %s in %s\n", cli_printable(loupe_span_of(path)),
               words_of_contents(query->snapshot).text, cli_bytes(size));
        heap_print_notes(query, false);
        return CLI_OK;
    }
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_begin(&json, "snapshot", query->snapshot, false);
    loupe_json_put_string(&json, "file", path);
    loupe_json_put_uint(&json, "size", size);
    loupe_report_snapshot_end(&json, query->snapshot);
    loupe_json_finish(&json);
    cli_end_answer();
    return CLI_OK;
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
    status = heap_draw_snapshot(&question, path);
    heap_question_deinit(&question);
    return status ? status : show(query, path, size_of(path));
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
    return show(query, export.path, export.size);
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
