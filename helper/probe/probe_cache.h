/*
 * probe_cache.h - what code was seen to release. It does the same to every subject, so each needs
 * to run only once.
 *
 * Static memory; a few hundred pieces of code of small subjects, newer ones in place of older ones.
 * An image that was unloaded may have left its addresses to another, so the code itself is part of
 * the key.
 */
#ifndef LOUPE_HELPER_PROBE_CACHE_H
#define LOUPE_HELPER_PROBE_CACHE_H

#include "base/target/memory.h"

struct loupe_probe_key {
    loupe_addr code;       /* 0: it cannot be read, nothing is kept */
    uint64_t bytes;        /* a hash of its first bytes */
    uint32_t first, count; /* words with detectors */
};

struct loupe_probe_key loupe_probe_key(struct loupe_memory *memory, loupe_addr code,
                                       uint32_t first_word, uint32_t word_count);

/* releases: one enum loupe_probed_release for each word of the key. */
bool loupe_probe_recall(const struct loupe_probe_key *key, uint8_t *releases, bool *tests_weak_ret);
void loupe_probe_remember(const struct loupe_probe_key *key, const uint8_t *releases,
                          bool tests_weak);

#endif
