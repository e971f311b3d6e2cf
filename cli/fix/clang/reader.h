/*
 * reader.h - a process of its own in which a compiler reads sources, and what it says of them.
 */
#ifndef LOUPE_CLI_FIX_READER_H
#define LOUPE_CLI_FIX_READER_H

#include "base/text.h"

#include <stdint.h>

enum fix_record_kind {
    RECORD_NO_CLANG,
    RECORD_ERROR, /* a source has errors: text is the first */
    RECORD_READ,  /* a source was read */
    RECORD_WORSE, /* it is worse than before: text is what is new */
    RECORD_USE,   /* of a variable: number is where, detail an enum fix_use */
    RECORD_OBJECT,
    RECORD_END
};

struct fix_record {
    uint32_t kind, number, detail;
    char text[400];
};

/* In the child: says something. False: nobody listens. */
typedef bool (*fix_say)(const struct fix_record *record, void *context);
/* What the child does. */
typedef void (*fix_work)(const void *request, fix_say say, void *context);

/* Calls take() for each record. False: it did not end as it should, or in time; or take() said so.
 */
bool fix_run_reader(fix_work work, const void *request, fix_say take, void *context);

#endif
