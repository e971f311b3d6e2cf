#include "heap_verbs/summary.h"

#include "heaps/heap_answer.h"
#include "heaps/opened/byte_stream.h"
#include "heaps/progress.h"
#include "report/heaps/report_summary.h"

#include <string.h>

enum { SHOWN_CLASSES = 30, DEFAULT_PERCENT = 10 };

bool heap_can_count_classes(const struct heap_query *query) {
    const struct verb_values *given = &query->options;
    bool asks_for_more = given->by || given->mapping || given->baseline || given->write_baseline ||
                         given->fail_if_found || given->format || given->html || given->dot;
    bool sorts_by_retained = given->sort && strcmp(given->sort, "retained") == 0;
    return (query->verb == &verb_heap || query->verb == &verb_suspects) && !asks_for_more &&
           !sorts_by_retained;
}

static uint64_t limit_of(const struct verb_values *options) {
    uint64_t unless_told = options->json ? 0 : SHOWN_CLASSES;
    return options->has_limit ? options->limit : unless_told;
}

static int percent_of(const struct heap_query *query, uint32_t *ret) {
    *ret = 0;
    return query->verb == &verb_suspects ? heap_read_percent(query, ret) : CLI_OK;
}

static int say(struct heap_query *query, const struct loupe_hprof_summary *summary,
               const char *because) {
    struct heap_answer said;
    const struct verb_values *options = &query->options;
    struct loupe_summary_asked asked = {.verb = query->verb->name,
                                        .because = because,
                                        .class_pattern = options->class_pattern,
                                        .by_count =
                                            options->sort && strcmp(options->sort, "count") == 0,
                                        .limit = limit_of(options)};
    int status = percent_of(query, &asked.percent);
    query->snapshot = &summary->classes;
    if (!status)
        status = heap_answer_begin_empty(&said, query);
    if (status)
        return status;
    enum loupe_status made = loupe_report_summary(&said.json, summary, &heap_chunks, &asked);
    status = heap_answer_end_empty(&said, made);
    bool is_whole = !because && !loupe_snapshot_is_incomplete(&summary->classes);
    return status ? status : is_whole ? CLI_OK : CLI_INCOMPLETE;
}

static bool show(void *ctx, uint64_t done, uint64_t of) {
    const struct byte_stream *stream = ctx;
    (void)done;
    (void)of;
    progress_at(stream->taken, stream->size);
    return *heap_stop;
}

static const char *name_of(const struct heap_query *query) {
    return query->called                   ? query->called
           : strcmp(query->file, "-") == 0 ? "standard input"
                                           : query->file;
}

/* The exit status, after what was said. */
static int count(struct heap_query *query, struct byte_stream *stream, const char *because) {
    const char *tool = query->options.count_as ? query->options.count_as : "loupe";
    struct loupe_hprof_options options = {.dump = (uint32_t)query->options.dump,
                                          .sizes_of_visualvm = strcmp(tool, "visualvm") == 0,
                                          .progress = show,
                                          .progress_ctx = stream};
    struct loupe_hprof_summary summary;
    struct loupe_error error = {0};
    progress_begin("counting classes of", name_of(query));
    enum loupe_status status =
        loupe_hprof_summarize(&stream->source, &heap_chunks, &options, &summary, &error);
    progress_end();
    if (status == LOUPE_EUSAGE && because) /* of other heaps that is no answer */
        return heap_fail(query, LOUPE_ENOMEM, "%s: %s",
                         cli_printable(loupe_span_of(name_of(query))), because);
    if (status)
        return heap_fail(query, *heap_stop ? LOUPE_ETIMEOUT : status, "%s: %s",
                         cli_printable(loupe_span_of(name_of(query))),
                         stream->problem ? stream->problem : error.message);
    if (stream->damaged_at != UINT64_MAX)
        summary.classes.notes[LOUPE_NOTE_PACKED] =
            (struct loupe_snapshot_noted){.count = 1, .example = stream->damaged_at};
    int result = say(query, &summary, because);
    loupe_hprof_summary_deinit(&summary);
    return result;
}

int heap_count_classes(const struct heap_run *run, const struct heap_file *file,
                       const char *because) {
    struct heap_query query = run->query;
    struct byte_stream stream;
    if (!heap_can_count_classes(&query))
        return heap_fail(&query, LOUPE_EUSAGE,
                         "--summary counts classes: it goes with --sort size or count, --class, "
                         "--limit, --share and --json");
    const char *problem = file && file->bytes
                              ? byte_stream_of(&stream, file->bytes, file->size, heap_stop)
                              : byte_stream_open(&stream, query.file, heap_stop);
    if (problem)
        return heap_fail(&query, LOUPE_EUSAGE, "%s: %s",
                         cli_printable(loupe_span_of(name_of(&query))), problem);
    int status = count(&query, &stream, because);
    byte_stream_close(&stream);
    return status;
}
