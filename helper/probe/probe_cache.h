/*
 * probe_cache.h - what dispose helpers were seen to do. Helpers are code: they do the same to every
 * block, so each needs to run only once.
 *
 * Static memory; a few hundred helpers of small blocks, newer ones in place of older ones. An image
 * that was unloaded may have left its addresses to another, so the code itself is part of the key.
 */
#ifndef LOUPE_HELPER_PROBE_CACHE_H
#define LOUPE_HELPER_PROBE_CACHE_H

#include "blocks/block.h"

struct loupe_probe_key {
    loupe_addr helper; /* 0: its code cannot be read, nothing is kept */
    uint64_t code;     /* a hash of its first bytes */
    uint32_t size;     /* of the block */
};

struct loupe_probe_key loupe_probe_key(struct loupe_memory *memory,
                                       const struct loupe_block *block);

/* releases: one enum loupe_release for each of count words. */
bool loupe_probe_recall(const struct loupe_probe_key *key, unsigned count, uint8_t *releases,
                        bool *tests_weak_ret);
void loupe_probe_remember(const struct loupe_probe_key *key, unsigned count,
                          const uint8_t *releases, bool tests_weak);

#endif
