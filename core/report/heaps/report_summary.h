/*
 * report_summary.h - answers about a heap of which only classes were counted (hprof_summary.h): the
 * whole of them, with rows as `heap` has and, for `suspects`, as its own.
 */
#ifndef LOUPE_REPORT_SUMMARY_H
#define LOUPE_REPORT_SUMMARY_H

#include "base/json.h"
#include "hprof/hprof_summary.h"

struct loupe_summary_asked {
    const char *verb;
    const char *because;       /* why no more was asked for; NULL: nobody wanted more */
    const char *class_pattern; /* NULL: all */
    bool by_count;             /* in place of bytes */
    uint32_t percent;          /* of `suspects`: the classes that have as much */
    uint64_t limit;            /* rows; 0: all */
};

/* LOUPE_ENOMEM: an answer was begun, and is none. */
enum loupe_status loupe_report_summary(struct loupe_json *json,
                                       const struct loupe_hprof_summary *summary,
                                       const struct loupe_chunk_ops *chunks,
                                       const struct loupe_summary_asked *asked);

#endif
