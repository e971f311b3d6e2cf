/*
 * memory_owners.h - whose memory without a class is, in a native heap: by what points to it.
 *
 * An ivar or another described reference of an object says most; then a global or thread-local
 * variable, then any pointer in an object. Memory that only other memory points to has the owner of
 * that. What only a stack, a register or the kernel points to comes last.
 */
#ifndef LOUPE_MEMORY_OWNERS_H
#define LOUPE_MEMORY_OWNERS_H

#include "snapshot/snapshot.h"

struct loupe_memory;

struct loupe_memory_owners {
    const struct loupe_snapshot *snapshot;
    const struct loupe_chunk_ops *chunks;
    const struct loupe_memory *symbols; /* as a tracer has them; set by who has a target at hand */
    uint32_t *of; /* by node; NULL: not asked for so far, or there was no memory */
    bool is_searched;
};

/* Either an object or a root. */
struct loupe_memory_owner {
    uint32_t root;   /* index in the snapshot, or LOUPE_NONE */
    uint32_t object; /* node, or LOUPE_NO_NODE */
    uint32_t link;   /* of the object to the memory; LOUPE_NO_EDGE: other memory is in between */
};

void loupe_memory_owners_init(struct loupe_memory_owners *owners,
                              const struct loupe_snapshot *snapshot,
                              const struct loupe_chunk_ops *chunks);
void loupe_memory_owners_deinit(struct loupe_memory_owners *owners);

/*
 * False: it is no such memory, nothing points to it, or there was no room or time to find out. The
 * first question passes over all links three times, with 8 bytes a node, of which 4 stay.
 */
bool loupe_memory_owner_find(struct loupe_memory_owners *owners, uint32_t node,
                             struct loupe_memory_owner *ret);

#endif
