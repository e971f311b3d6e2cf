/*
 * hprof_summary.h - a heap dump by class, read once from its beginning to its end: how many
 * instances, how many bytes. For a pipe, and for a dump of which the objects do not fit in memory.
 *
 * What is kept is what names classes, and some megabytes of objects, which tell how large objects
 * are (hprof_sizes.c): as a small dump, which hprof.h then reads. So classes are called and sizes
 * are told as of the whole dump. Of all other objects only their class and length is looked at: who
 * refers to them is not known, and what is there twice counts twice.
 *
 * Any bytes are survived, in time linear in their number and in memory of HPROF_SUMMARY_MEMORY.
 */
#ifndef LOUPE_HPROF_SUMMARY_H
#define LOUPE_HPROF_SUMMARY_H

#include "base/byte_source.h"
#include "hprof/hprof.h"

/* Bytes, about: of a dump whose names are as many as those of a large program less than a third. */
#define HPROF_SUMMARY_MEMORY ((uint64_t)160 << 20)

struct loupe_class_sum {
    uint64_t count, bytes;
};

struct loupe_hprof_summary {
    /* Classes, strings, notes, format and time: its nodes are no more than some objects. */
    struct loupe_snapshot classes;
    struct loupe_class_sum *sums;   /* by class */
    uint64_t objects, bytes, read;  /* read: of the source */
    struct loupe_class_sum unnamed; /* of classes that the dump does not name; among the objects */
    const struct loupe_chunk_ops *chunks;
    uint8_t *dump; /* the small one */
    size_t dump_room;
};

/* options: dump, sizes_of_visualvm and progress. LOUPE_EUSAGE, LOUPE_EFAULT (the source),
 * LOUPE_ETIMEOUT, LOUPE_ENOMEM. */
enum loupe_status loupe_hprof_summarize(const struct loupe_byte_source *source,
                                        const struct loupe_chunk_ops *chunks,
                                        const struct loupe_hprof_options *options,
                                        struct loupe_hprof_summary *ret, struct loupe_error *err);
void loupe_hprof_summary_deinit(struct loupe_hprof_summary *summary);

#endif
