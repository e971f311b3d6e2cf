/*
 * zone.h - where the tables of a zone of Apple's libmalloc stand, on 64 bits: of each kind of zone
 * as far as more than one file reads it.
 *
 * What stands where: libmalloc-792.41.1, of macOS 26.1. Its scalable zones and nano zones stand so
 * since macOS 13; what was different before does not pass the checks, and is said to be unknown.
 */
#ifndef LOUPE_ZONES_ZONE_H
#define LOUPE_ZONES_ZONE_H

#include "base/target/memory.h"

enum {
    LOUPE_ZONE_PAGE = 16384, /* its functions stand in one of their own, before its tables */
    LOUPE_ZONE_NAME = 72,
    LOUPE_ZONE_INTROSPECTION = 96,
    LOUPE_ZONE_VERSION = 104,
    LOUPE_ZONE_SIZE = 200, /* of one of the newest version: what it wraps stands behind it */
    LOUPE_MAX_ZONES = 1 << 12
};

enum loupe_zone_type { /* told since version 14, else 0 */
                       LOUPE_ZONE_OF_NO_TYPE,
                       LOUPE_ZONE_XZONE,
                       LOUPE_ZONE_GUARDED, /* they have another zone behind them, for most of their
                                              blocks */
                       LOUPE_ZONE_SANITIZER
};

uint32_t loupe_zone_version(struct loupe_memory *memory, loupe_addr zone);
uint32_t loupe_zone_type(struct loupe_memory *memory, loupe_addr zone);

/* The zone that one of these types has behind it; 0: it has none, or that cannot be read. */
loupe_addr loupe_zone_wrapped(struct loupe_memory *memory, loupe_addr zone, uint32_t type);

/* Where the addresses of all zones stand, by the symbols that libmalloc has for tools. False: there
 * are none. */
bool loupe_zone_list(struct loupe_memory *memory, loupe_addr *list_ret, uint32_t *count_ret);

static inline bool loupe_zone_word(struct loupe_memory *memory, loupe_addr address, uint64_t *ret) {
    return loupe_memory_read_word(memory, address, ret) == LOUPE_OK;
}
static inline bool loupe_zone_half(struct loupe_memory *memory, loupe_addr address, uint32_t *ret) {
    return loupe_memory_read_u32(memory, address, ret) == LOUPE_OK;
}

#endif
