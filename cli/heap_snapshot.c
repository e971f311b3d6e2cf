/* loupe snapshot: a heap written into a file. */
#include "amounts.h"
#include "heap_drawing.h"
#include "report/report_snapshot.h"
#include "snapshot/loupe_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct output {
    FILE *file;
    uint64_t written;
};

static enum loupe_status write_to_file(void *ctx, const char *bytes, size_t len) {
    struct output *output = ctx;
    output->written += len;
    return fwrite(bytes, 1, len, output->file) == len ? LOUPE_OK : LOUPE_EINTERNAL;
}

static bool ends_in(const char *name, const char *ending) {
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

/* With dominators, and the paths that the shipped rules say. */
static enum loupe_status write_results(struct heap_question *question, struct output *output) {
    struct loupe_sink sink = {.write = write_to_file, .ctx = output};
    struct loupe_file_results results = {.dominators = heap_question_dominators(question),
                                         .paths = heap_question_shortest(question, NULL),
                                         .rules = question->rules_hash};
    if (!results.dominators || !results.paths)
        return *heap_stop ? LOUPE_ETIMEOUT : LOUPE_ENOMEM;
    return loupe_file_write(question->query->snapshot, &results, &heap_chunks, sink);
}

/* Beside the file until it is whole, so that what was there before is never half gone. */
static enum loupe_status write_file(struct heap_question *question, const char *path,
                                    const char *beside, uint64_t *size_ret) {
    struct output output = {.file = fopen(beside, "wb")};
    if (!output.file)
        return LOUPE_EFAULT;
    enum loupe_status status = write_results(question, &output);
    bool closed = fclose(output.file) == 0;
    if (!status && (!closed || rename(beside, path)))
        status = LOUPE_EINTERNAL;
    if (status)
        remove(beside);
    *size_ret = output.written;
    return status;
}

static int show(const struct heap_query *query, const char *path, uint64_t size) {
    int status = heap_begin_output(query);
    if (status)
        return status;
    if (!query->options.json) {
        printf("%s: %s objects in %s\n", cli_printable(loupe_span_of(path)),
               cli_count(query->snapshot->columns.nodes), cli_bytes(size));
        heap_print_notes(query);
        return CLI_OK;
    }
    struct loupe_json json;
    loupe_json_init(&json, cli_stdout_sink());
    loupe_report_snapshot_begin(&json, "snapshot", query->snapshot, false);
    loupe_json_put_string(&json, "file", path);
    loupe_json_put_uint(&json, "size", size);
    loupe_report_snapshot_end(&json, query->snapshot);
    loupe_json_finish(&json);
    putchar('\n');
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

static int run(struct heap_query *query) {
    const char *path = query->operands[0];
    uint64_t size = 0;
    if (heap_is_drawing(path))
        return draw(query, path);
    if (!ends_in(path, ".loupe"))
        return cli_fail(CLI_NONSENSE, "snapshot", "'%s' has to end in .loupe, .html or .dot",
                        cli_printable(loupe_span_of(path)));
    char *beside = malloc(strlen(path) + sizeof(".part"));
    if (!beside)
        return heap_ended(query);
    sprintf(beside, "%s.part", path);
    struct heap_question question;
    int failed = heap_question_init(&question, query);
    if (failed) {
        free(beside);
        return failed;
    }
    enum loupe_status status = write_file(&question, path, beside, &size);
    int problem = errno;
    heap_question_deinit(&question);
    free(beside);
    if (status == LOUPE_ENOMEM || status == LOUPE_ETIMEOUT)
        return heap_ended(query);
    if (status)
        return heap_fail(query, LOUPE_EUSAGE, "%s cannot be written: %s",
                         cli_printable(loupe_span_of(path)), strerror(problem));
    return show(query, path, size);
}

const struct heap_verb heap_verb_snapshot = {
    .name = "snapshot",
    .operands = "OUT.loupe",
    .summary = "saves it, with what was worked out, in a file that opens at once",
    .help = "Writes a snapshot that all verbs take instead of the dump. It is mapped, not parsed, "
            "and\nholds dominators, retained sizes and shortest paths. Of long strings and arrays "
            "of numbers it "
            "keeps the\nbeginning.",
    .options = 0,
    .files = 1,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
