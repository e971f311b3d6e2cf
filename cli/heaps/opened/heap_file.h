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
    struct loupe_reader *reader; /* of a core or a process; NULL of other files */
    struct loupe_image_id build; /* of the program of a core or a process */
    struct names names;          /* that its target told; the snapshot has them */
    struct heap_freed freed;     /* of the query that it was opened for */
};

/* Opens the file for a query, of a core or a process without a snapshot where the query asks the
 * target itself. 0, or the exit status after a message. */
int heap_file_open(struct heap_file *file, const char *path, const struct heap_query *query);
/* Whatever is asked from now on, no answer has values of the program. LOUPE_ENOMEM. */
enum loupe_status heap_file_hide_values(struct heap_file *file);
void heap_file_close(struct heap_file *file);

/* ---- unpack.c ---- */

struct heap_unpacking {
    int to;                                                  /* an open file */
    bool (*progress)(void *ctx, uint64_t done, uint64_t of); /* true: stop; may be NULL */
    void *ctx;
};

/* "gzip", "zstd" by the first bytes; NULL: it is not packed, or by something else. */
const char *heap_packed_by(const uint8_t *bytes, uint64_t size);
/*
 * Unpacks streams of one of these that follow each other, up to where they are damaged, end too
 * early, or something else follows: *damage_ret is the place, or UINT64_MAX where all is well.
 * Zeros behind them are nothing. NULL, or why it was not unpacked.
 */
const char *heap_unpack(const uint8_t *bytes, uint64_t size, const struct heap_unpacking *unpacking,
                        uint64_t *damage_ret);

#endif
