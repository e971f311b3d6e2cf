/*
 * redact.h - a snapshot without text of the program's data, so that whatever is written of it has
 * none: no names of threads, no keys of dictionaries, no elements of arrays of characters, bytes
 * and other numbers.
 *
 * What the program is made of stays: names of classes, fields, variables, images, functions; and so
 * do numbers in fields of instances.
 */
#ifndef LOUPE_REDACT_H
#define LOUPE_REDACT_H

#include "snapshot/snapshot.h"

enum loupe_redaction {
    LOUPE_REDACT_TEXTS, /* what is said above */
    LOUPE_REDACT_VALUES /* also numbers in fields: nothing is left of what objects contain but what
                           they refer to */
};

/*
 * The original stays what it was and has to last as long. A copy of its text and of its tables of
 * strings, threads and labels. LOUPE_ENOMEM: there is nothing to deinit.
 */
enum loupe_status loupe_snapshot_redact(const struct loupe_snapshot *original,
                                        enum loupe_redaction redaction,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_snapshot *ret);

#endif
