#include "probe/probe_cache.h"

#include "base/map.h"

#include <string.h>

enum { ENTRIES = 256, WAYS = 4, WORDS = 36, CODE_BYTES = 32 };

static struct entry {
    struct loupe_probe_key key;
    bool tests_weak;
    uint8_t releases[WORDS];
} entries[ENTRIES];

struct loupe_probe_key loupe_probe_key(struct loupe_memory *memory, loupe_addr code,
                                       uint32_t first_word, uint32_t word_count) {
    uint64_t bytes[CODE_BYTES / sizeof(uint64_t)];
    struct loupe_probe_key key = {.first = first_word, .count = word_count};
    if (loupe_memory_read(memory, code, bytes, sizeof(bytes)))
        return key;
    key.code = code;
    /* Cap: all of a key. */
    for (unsigned i = 0; i < CODE_BYTES / sizeof(uint64_t); i++)
        key.bytes = loupe_hash(key.bytes ^ bytes[i]);
    return key;
}

static bool are_equal(const struct loupe_probe_key *one, const struct loupe_probe_key *other) {
    return one->code == other->code && one->bytes == other->bytes && one->first == other->first &&
           one->count == other->count;
}

/* The one that has the key, else a free one of a few places, else the first of these: which places
 * classes share is a matter of their addresses. */
static struct entry *entry_of(const struct loupe_probe_key *key) {
    struct entry *first = &entries[loupe_hash(key->code ^ key->count) % (ENTRIES / WAYS) * WAYS];
    struct entry *unused = NULL;
    for (struct entry *entry = first; entry < first + WAYS; entry++) {
        if (are_equal(&entry->key, key))
            return entry;
        if (!unused && !entry->key.code)
            unused = entry;
    }
    return unused ? unused : first;
}

bool loupe_probe_recall(const struct loupe_probe_key *key, uint8_t *releases,
                        bool *tests_weak_ret) {
    const struct entry *entry = entry_of(key);
    if (!key->code || !are_equal(&entry->key, key) || key->count > WORDS)
        return false;
    memcpy(releases, entry->releases, key->count);
    *tests_weak_ret = entry->tests_weak;
    return true;
}

void loupe_probe_remember(const struct loupe_probe_key *key, const uint8_t *releases,
                          bool tests_weak) {
    struct entry *entry = entry_of(key);
    if (!key->code || key->count > WORDS)
        return;
    entry->key.code = 0; /* a call that is cut off here leaves no half entry */
    memcpy(entry->releases, releases, key->count);
    entry->tests_weak = tests_weak;
    entry->key = *key;
}
