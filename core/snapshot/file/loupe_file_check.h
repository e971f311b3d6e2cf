/*
 * loupe_file_check.h - whether a mapped file (loupe_file.h) is one that analyses can trust: any
 * bytes may stand in it.
 */
#ifndef LOUPE_FILE_CHECK_H
#define LOUPE_FILE_CHECK_H

#include "snapshot/file/loupe_sections.h"
#include "snapshot/snapshot.h"

struct loupe_file_tables {
    const void *bytes[LOUPE_SECTION_END]; /* NULL: not there */
    uint64_t counts[LOUPE_SECTION_END];   /* elements, all of which lie in the file */
};

/*
 * NULL, or what is wrong. Whether there are all sections that there must be, and as many elements
 * in them as nodes and links need.
 */
const char *loupe_file_check_counts(const struct loupe_file_tables *tables);

/* Of what was made of such tables: whether every number in them is in its range. */
const char *loupe_file_check(const struct loupe_snapshot *snapshot, uint64_t links);

#endif
