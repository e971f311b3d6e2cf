#include "probe/probe_cache.h"

#include <string.h>

enum { ENTRIES = 256, WORDS = 36, CODE_BYTES = 32 };

static struct entry {
    struct loupe_probe_key key;
    bool tests_weak;
    uint8_t releases[WORDS];
} entries[ENTRIES];

struct loupe_probe_key loupe_probe_key(struct loupe_memory *memory,
                                       const struct loupe_block *block) {
    uint64_t code[CODE_BYTES / sizeof(uint64_t)];
    struct loupe_probe_key key = {.size = block->size};
    if (loupe_memory_read(memory, block->dispose_helper, code, sizeof(code)))
        return key;
    key.helper = block->dispose_helper;
    for (unsigned i = 0; i < CODE_BYTES / sizeof(uint64_t); i++)
        key.code = loupe_hash(key.code ^ code[i]);
    return key;
}

static struct entry *entry_of(const struct loupe_probe_key *key) {
    return &entries[loupe_hash(key->helper ^ key->size) % ENTRIES];
}

bool loupe_probe_recall(const struct loupe_probe_key *key, unsigned count, uint8_t *releases,
                        bool *tests_weak_ret) {
    const struct entry *entry = entry_of(key);
    if (!key->helper || entry->key.helper != key->helper || entry->key.code != key->code ||
        entry->key.size != key->size || count > WORDS)
        return false;
    memcpy(releases, entry->releases, count);
    *tests_weak_ret = entry->tests_weak;
    return true;
}

void loupe_probe_remember(const struct loupe_probe_key *key, unsigned count,
                          const uint8_t *releases, bool tests_weak) {
    struct entry *entry = entry_of(key);
    if (!key->helper || count > WORDS)
        return;
    entry->key.helper = 0; /* a call that is cut off here leaves no half entry */
    memcpy(entry->releases, releases, count);
    entry->tests_weak = tests_weak;
    entry->key = *key;
}
