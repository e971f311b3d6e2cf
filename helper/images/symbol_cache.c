#include "images/symbol_cache.h"

#include "base/map.h"

#include <string.h>

enum { ENTRIES = 256 };

static struct {
    uint64_t images;
    struct {
        uint64_t name; /* its hash, long enough to stand for it; 0: free */
        loupe_addr address;
    } entries[ENTRIES];
} cache;

void loupe_symbol_cache_begin(uint64_t images) {
    if (cache.images != images)
        memset(&cache, 0, sizeof(cache));
    cache.images = images;
}

static uint64_t hash_of(const char *name) {
    uint64_t hash = 1;
    for (; *name; name++)
        hash = loupe_hash(hash + (unsigned char)*name) + 1;
    return hash ? hash : 1;
}

bool loupe_symbol_cache_recall(const char *name, loupe_addr *ret) {
    uint64_t hash = hash_of(name);
    if (cache.entries[hash % ENTRIES].name != hash)
        return false;
    *ret = cache.entries[hash % ENTRIES].address;
    return true;
}

void loupe_symbol_cache_remember(const char *name, loupe_addr addr) {
    uint64_t hash = hash_of(name);
    cache.entries[hash % ENTRIES].address = addr;
    cache.entries[hash % ENTRIES].name = hash;
}
