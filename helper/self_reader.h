/*
 * self_reader.h - the core's reader for the process that we run in.
 */
#ifndef LOUPE_HELPER_SELF_READER_H
#define LOUPE_HELPER_SELF_READER_H

#include "base/target/memory.h"
#include "base/vector.h"
#include "images/images.h"
#include "memory/machine.h"
#include "memory/regions.h"
#include "tables/frame.h"

struct loupe_self {
    struct loupe_regions regions;
    struct loupe_images images;
    loupe_addr own_stack_pointer;  /* where the asking thread's stack ended; 0: not known */
    struct loupe_frame asked_from; /* the function that was called to ask; none known: not told */
    struct loupe_vector threads;   /* of struct loupe_own_thread, as they were told last */
};

/* On failure there is nothing to deinit. */
enum loupe_status loupe_self_init(struct loupe_self *self, const struct loupe_chunk_ops *chunks);
void loupe_self_deinit(struct loupe_self *self);

/* For loupe_memory_init(), with the self as ctx and loupe_own_machine. */
extern const struct loupe_reader_ops loupe_self_ops;

#endif
