/*
 * records.h - files of /proc that tell of one thing after the other, some records at a time: such a
 * file may be long, and is not the same when it is read twice.
 */
#ifndef LOUPE_HELPER_RECORDS_H
#define LOUPE_HELPER_RECORDS_H

#include "base/arena.h"
#include "base/status.h"

/* text: whole records, ended by a NUL; gone when it returns. */
typedef enum loupe_status (*loupe_records_visit_some)(void *visitor, const char *text);

/* last_line: with what the last line of a record begins; "": each line is a record. LOUPE_EFAULT:
 * the file cannot be read, or a record is longer than there is room; LOUPE_ENOMEM; otherwise what
 * visit() returns. */
enum loupe_status loupe_records_visit(const struct loupe_chunk_ops *chunks, const char *path,
                                      const char *last_line, loupe_records_visit_some visit,
                                      void *visitor);

#endif
