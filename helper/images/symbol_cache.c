#include "images/symbol_cache.h"

#include "base/map.h"

#include <string.h>

enum { ENTRIES = 512, TRIED = 16 /* places from a name's own on */ };

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

/* Where the name stands, or may stand: a free place, or its own one where none is free. */
static unsigned place_of(uint64_t hash) {
    /* Cap: the symbol is looked up again. */
    for (unsigned i = 0; i < TRIED; i++) {
        unsigned place = (unsigned)((hash + i) % ENTRIES);
        if (cache.entries[place].name == hash || !cache.entries[place].name)
            return place;
    }
    return (unsigned)(hash % ENTRIES);
}

bool loupe_symbol_cache_recall(const char *name, loupe_addr *ret) {
    uint64_t hash = hash_of(name);
    unsigned place = place_of(hash);
    if (cache.entries[place].name != hash)
        return false;
    *ret = cache.entries[place].address;
    return true;
}

void loupe_symbol_cache_remember(const char *name, loupe_addr addr) {
    uint64_t hash = hash_of(name);
    unsigned place = place_of(hash);
    cache.entries[place].address = addr;
    cache.entries[place].name = hash;
}
