/*
 * export.h - the files that `loupe snapshot` writes: which format by which name.
 *
 * To add one: a file export_NAME.c with a `const struct export_format`, its line in the table of
 * export.c, in cli/CMakeLists.txt and in docs/exports.md.
 */
#ifndef LOUPE_CLI_EXPORT_H
#define LOUPE_CLI_EXPORT_H

#include "base/json.h"
#include "heaps/heap_question.h"

struct export {
    struct heap_question *question;
    const char *path;
    uint64_t size;     /* bytes written, for the answer */
    char problem[256]; /* why it failed, where that is known */
};

struct export_format {
    const char *ending; /* of the file's name: ".loupe" */
    bool needs_native;  /* it writes Objective-C heaps alone */
    /* LOUPE_ENOMEM and LOUPE_ETIMEOUT say enough; other failures have a problem. */
    enum loupe_status (*write)(struct export *export);
};

extern const struct export_format export_loupe, export_hprof, export_hprof_gz, export_sqlite,
    export_csv;

/* The format of a name, or NULL. */
const struct export_format *export_format_of(const char *path);
/* ".loupe, .hprof, ...": all endings. Static storage. */
const char *export_endings(void);

/*
 * Writes a file through a sink, beside it until it is whole, so that what was there before is never
 * half gone.
 */
enum loupe_status export_through(struct export *export,
                                 enum loupe_status (*write)(struct export *export,
                                                            struct loupe_sink sink));

/* Says why it failed, and returns status. */
enum loupe_status export_fail(struct export *export, enum loupe_status status, const char *format,
                              ...) __attribute__((format(printf, 3, 4)));

#endif
