/*
 * own_memory.h - this process as a loupe_memory that allocates nothing and takes no lock: for
 * signal handlers, and while other threads are stopped. What was read last is at hand in a small
 * buffer; the kernel copies, so that nothing faults whatever the address.
 */
#ifndef LOUPE_STACKS_OWN_MEMORY_H
#define LOUPE_STACKS_OWN_MEMORY_H

#include "base/target/memory.h"

enum { LOUPE_OWN_MEMORY_PIECE = 512 /* bytes, enough for most: signal stacks are small */ };

struct loupe_own_memory {
    struct loupe_memory memory;
    struct loupe_range stack; /* see below; empty: none */
    uint8_t *piece;
    size_t piece_size; /* a power of two */
};

/* piece is where what was read last stands. Both must stay where they are; there is nothing to
 * deinit. */
void loupe_own_memory_init(struct loupe_own_memory *own, uint8_t *piece, size_t piece_size);

/*
 * Reads the stack of this very thread where it stands, from sp up, page by page as far as it is
 * found to be readable; proved is what was found so before, and may be empty. What is found is in
 * own->stack afterwards.
 */
void loupe_own_memory_use_stack(struct loupe_own_memory *own, loupe_addr sp,
                                struct loupe_range proved);

#endif
