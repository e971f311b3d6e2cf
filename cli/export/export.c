#include "export/export.h"

#include "shared/new_file.h"
#include "snapshot/file/loupe_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Formats ---- */

static const struct export_format *const formats[] = {
    &export_loupe, &export_hprof, &export_hprof_gz, &export_sqlite, &export_csv,
};

enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

static bool ends_in(const char *name, const char *ending) {
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

const struct export_format *export_format_of(const char *path) {
    /* Cap: all of a table. */
    for (unsigned i = 0; i < FORMATS; i++) {
        if (ends_in(path, formats[i]->ending))
            return formats[i];
    }
    return NULL;
}

const char *export_endings(void) {
    static char endings[128];
    size_t used = 0;
    /* Cap: all of a table. */
    for (unsigned i = 0; i < FORMATS; i++)
        used += loupe_format(endings + used, sizeof(endings) - used, "%s%s",
                             i == 0             ? ""
                             : i + 1 == FORMATS ? " or "
                                                : ", ",
                             formats[i]->ending);
    return endings;
}

enum loupe_status export_fail(struct export *export, enum loupe_status status, const char *format,
                              ...) {
    va_list arguments;
    va_start(arguments, format);
    loupe_format_list(export->problem, sizeof(export->problem), format, arguments);
    va_end(arguments);
    return status;
}

/* ---- Files ---- */

struct output {
    FILE *file;
    uint64_t written;
};

static enum loupe_status write_to_file(void *ctx, const char *bytes, size_t len) {
    struct output *output = ctx;
    output->written += len;
    return fwrite(bytes, 1, len, output->file) == len ? LOUPE_OK : LOUPE_EFAULT;
}

static enum loupe_status write_beside(struct export *export, char *beside,
                                      enum loupe_status (*write)(struct export *export,
                                                                 struct loupe_sink sink)) {
    struct output output = {.file = new_file_beside(export->path, beside)};
    if (!output.file)
        return LOUPE_EFAULT;
    enum loupe_status status =
        write(export, (struct loupe_sink){.write = write_to_file, .ctx = &output});
    int problem = errno;
    bool closed = fclose(output.file) == 0;
    if (!status && (!closed || rename(beside, export->path))) {
        status = LOUPE_EFAULT;
        problem = errno;
    }
    if (status)
        remove(beside);
    errno = problem;
    export->size = output.written;
    return status;
}

enum loupe_status export_through(struct export *export,
                                 enum loupe_status (*write)(struct export *export,
                                                            struct loupe_sink sink)) {
    char *beside = malloc(strlen(export->path) + NEW_FILE_ENDING);
    if (!beside)
        return LOUPE_ENOMEM;
    enum loupe_status status = write_beside(export, beside, write);
    if (status == LOUPE_EFAULT && !*export->problem)
        export_fail(export, status, "%s", strerror(errno));
    free(beside);
    return status;
}

/* ---- .loupe ---- */

/* With dominators, and the paths that the shipped rules say. */
static enum loupe_status write_snapshot(struct export *export, struct loupe_sink sink) {
    struct heap_question *question = export->question;
    heap_question_search_both(question);
    struct loupe_file_results results = {.dominators =
                                             loupe_heap_question_dominators(&question->heap),
                                         .paths = loupe_heap_question_shortest(&question->heap),
                                         .rules = question->heap.rules_hash};
    if (!results.dominators || !results.paths)
        return *heap_stop ? LOUPE_ETIMEOUT : LOUPE_ENOMEM;
    return loupe_file_write(question->query->snapshot, &results, &heap_chunks, sink);
}

static enum loupe_status write_loupe(struct export *export) {
    return export_through(export, write_snapshot);
}

const struct export_format export_loupe = {.ending = ".loupe", .write = write_loupe};
