/*
 * heap_file.h - a file with a heap in it, mapped: what the first bytes say it is, unpacked where it
 * is packed, and the snapshot that is made of it. A core has the whole of a process; a number is a
 * process that runs.
 */
#ifndef LOUPE_CLI_HEAP_FILE_H
#define LOUPE_CLI_HEAP_FILE_H

#include "heaps/heap_verb.h"
#include "heaps/names.h"
#include "target/reader.h"

struct heap_file {
    const uint8_t *bytes; /* the whole of it, unpacked */
    uint64_t size;
    struct loupe_snapshot snapshot;
    struct loupe_snapshot below[2]; /* those that it is made of: with short names, with values */
    unsigned below_count;
    bool has_snapshot, is_damaged; /* the latter: as a packed file, at damaged_at */
    uint64_t damaged_at;
    bool is_too_large; /* it is not open, since it does not fit: bytes may be there all the same */
    char why[200];     /* the latter: what it needs, and what there is */
    struct loupe_reader *reader; /* of a core or a process; NULL of other files */
    struct loupe_image_id build; /* of the program of a core or a process */
    struct names names;          /* that its target told; the snapshot has them */
    struct heap_freed freed;     /* of the query that it was opened for */
};

/* Opens the file for a query, of a core or a process without a snapshot where the query asks the
 * target itself. 0, or the exit status after a message. */
int heap_file_open(struct heap_file *file, const char *path, const struct heap_query *query);
/* All but its bytes goes. */
void heap_file_forget(struct heap_file *file);
/* Whatever is asked from now on, no answer has values of the program. LOUPE_ENOMEM. */
enum loupe_status heap_file_hide_values(struct heap_file *file);
void heap_file_close(struct heap_file *file);

#endif
