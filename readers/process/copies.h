/*
 * copies.h - memory of a process that was copied while it stood still, to be read when it runs on.
 */
#ifndef LOUPE_READERS_COPIES_H
#define LOUPE_READERS_COPIES_H

#include "base/vector.h"

struct loupe_copies {
    const struct loupe_chunk_ops *chunks;
    struct loupe_vector parts; /* ascending */
    uint64_t bytes;
};

/* Reads all of the range. */
typedef enum loupe_status loupe_copies_source(void *ctx, loupe_addr addr, void *dst, size_t len);

void loupe_copies_init(struct loupe_copies *copies, const struct loupe_chunk_ops *chunks);
void loupe_copies_deinit(struct loupe_copies *copies);

/* Copies a range behind the others, up to LOUPE_COPY bytes. LOUPE_ENOMEM, or what read() says. */
enum { LOUPE_COPY = 4 << 20 };
enum loupe_status loupe_copies_add(struct loupe_copies *copies, loupe_addr start, loupe_addr end,
                                   loupe_copies_source *read, void *ctx);
/* False: not all of the range was copied. */
bool loupe_copies_read(const struct loupe_copies *copies, loupe_addr addr, void *dst, size_t len);

#endif
