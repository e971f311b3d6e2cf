/*
 * hprof.h - reads heap dumps of Java virtual machines and of Android.
 *
 * All of JAVA PROFILE 1.0.1 and 1.0.2 (HotSpot, and the profiling agents before it) and 1.0.3
 * (Android's runtime) with ids of 4 or 8 bytes. Ids are names, not places: they may be odd, serial
 * or far apart. The bytes are read in two passes over a mapping of the whole file, and again later
 * where a name or a value is asked for; so they have to stay.
 *
 * Any bytes are survived, in time linear in their number. What a damaged dump still says is read;
 * what was lost is counted in the snapshot's notes.
 */
#ifndef LOUPE_HPROF_H
#define LOUPE_HPROF_H

#include "snapshot/snapshot.h"

/* How much there is so far. */
struct loupe_hprof_extent {
    uint64_t objects, references; /* the latter at most */
    uint64_t done, of;            /* bytes of the heap in the file */
};

struct loupe_hprof_options {
    uint32_t dump;          /* which one of a file that holds several: 1 is the first, 0 the last */
    uint32_t limit;         /* objects, at most LOUPE_MAX_NODES; 0: as many */
    bool as_java;           /* a dump of ours as other tools see it, without hprof_own.h */
    bool sizes_of_visualvm; /* what that tool counts for an object: as_java too */
    /* How other tools see the references and roots of a dump. */
    bool without_constants;      /* the constant pool of a class refers to nothing */
    bool arrays_without_classes; /* an array does not refer to its class */
    /* Locals are references of their thread and no roots; where no class is a root, those of the
     * boot loader are. */
    bool roots_of_mat;
    /* May be NULL. Called now and then while objects are counted; false ends the reading with
     * LOUPE_ELIMIT. */
    bool (*fits)(void *ctx, const struct loupe_hprof_extent *extent);
    void *fits_ctx;
    /* May be NULL. Called now and then; true ends the reading with LOUPE_ETIMEOUT. */
    bool (*progress)(void *ctx, uint64_t done, uint64_t of);
    void *progress_ctx;
};

/* Whether the bytes begin as a heap dump does. */
bool loupe_hprof_is(const uint8_t *bytes, uint64_t size);

/*
 * Makes a snapshot of a dump: of one that loupe_hprof_write() wrote the snapshot that was written.
 * bytes (not copied, aligned to 8) and chunks are kept until it ends. LOUPE_EUSAGE
 * for what is no heap dump, LOUPE_ENOMEM, LOUPE_ETIMEOUT.
 */
enum loupe_status loupe_hprof_open(const uint8_t *bytes, uint64_t size,
                                   const struct loupe_chunk_ops *chunks,
                                   const struct loupe_hprof_options *options,
                                   struct loupe_snapshot *ret, struct loupe_error *err);

#endif
