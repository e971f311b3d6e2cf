/*
 * ranges.h - stretches of memory as a set: sorted, joined, with holes cut out.
 */
#ifndef LOUPE_RANGES_H
#define LOUPE_RANGES_H

#include "base/vector.h"

struct loupe_ranges {
    struct loupe_vector items; /* of struct loupe_range */
};

void loupe_ranges_init(struct loupe_ranges *ranges, const struct loupe_chunk_ops *chunks);
void loupe_ranges_deinit(struct loupe_ranges *ranges);

static inline uint32_t loupe_ranges_count(const struct loupe_ranges *ranges) {
    return ranges->items.count;
}
static inline struct loupe_range *loupe_ranges_at(const struct loupe_ranges *ranges,
                                                  uint32_t index) {
    return loupe_vector_at(&ranges->items, index, sizeof(struct loupe_range));
}

/* At the end; an empty one, or one that ends before it starts, is none. LOUPE_ENOMEM. */
enum loupe_status loupe_ranges_add(struct loupe_ranges *ranges, loupe_addr start, loupe_addr end);

/* Sorts by starts and makes one range of those that overlap or have at most `gap` bytes between. */
void loupe_ranges_join(struct loupe_ranges *ranges, uint64_t gap);

/* Whether one holds the address. The ranges are joined. */
bool loupe_ranges_hold(const struct loupe_ranges *ranges, loupe_addr address);

/* Adds what of [start, end) is in none of the holes, which are joined. LOUPE_ENOMEM. */
enum loupe_status loupe_ranges_add_without(struct loupe_ranges *ranges, loupe_addr start,
                                           loupe_addr end, const struct loupe_ranges *holes);

#endif
