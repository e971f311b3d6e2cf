#include "scene/ranges.h"

#include "base/sort.h"

void loupe_ranges_init(struct loupe_ranges *ranges, const struct loupe_chunk_ops *chunks) {
    loupe_vector_init(&ranges->items, chunks, sizeof(struct loupe_range));
}

void loupe_ranges_deinit(struct loupe_ranges *ranges) {
    loupe_vector_deinit(&ranges->items);
}

enum loupe_status loupe_ranges_add(struct loupe_ranges *ranges, loupe_addr start, loupe_addr end) {
    if (start >= end)
        return LOUPE_OK;
    struct loupe_range *added = loupe_vector_add(&ranges->items);
    if (!added)
        return LOUPE_ENOMEM;
    *added = (struct loupe_range){.start = start, .end = end};
    return LOUPE_OK;
}

/* ---- Sorted ---- */

static bool starts_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return ((const struct loupe_range *)a)->start < ((const struct loupe_range *)b)->start;
}

void loupe_ranges_join(struct loupe_ranges *ranges, uint64_t gap) {
    uint32_t kept = 0;
    loupe_vector_sort(&ranges->items, starts_before, NULL);
    for (uint32_t i = 0; i < loupe_ranges_count(ranges); i++) {
        struct loupe_range next = *loupe_ranges_at(ranges, i);
        struct loupe_range *last = kept ? loupe_ranges_at(ranges, kept - 1) : NULL;
        if (!last || (next.start > last->end && next.start - last->end > gap))
            *loupe_ranges_at(ranges, kept++) = next;
        else if (next.end > last->end)
            last->end = next.end;
    }
    ranges->items.count = kept;
}

/* The first that ends behind the address. */
static uint32_t first_behind(const struct loupe_ranges *ranges, loupe_addr address) {
    uint32_t low = 0, high = loupe_ranges_count(ranges);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (loupe_ranges_at(ranges, middle)->end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool loupe_ranges_hold(const struct loupe_ranges *ranges, loupe_addr address) {
    uint32_t index = first_behind(ranges, address);
    return index < loupe_ranges_count(ranges) && address >= loupe_ranges_at(ranges, index)->start;
}

enum loupe_status loupe_ranges_add_without(struct loupe_ranges *ranges, loupe_addr start,
                                           loupe_addr end, const struct loupe_ranges *holes) {
    enum loupe_status status = LOUPE_OK;
    uint32_t index = first_behind(holes, start);
    for (; !status && start < end && index < loupe_ranges_count(holes); index++) {
        const struct loupe_range *hole = loupe_ranges_at(holes, index);
        if (hole->start >= end)
            break;
        status = loupe_ranges_add(ranges, start, hole->start);
        start = hole->end;
    }
    return status ? status : loupe_ranges_add(ranges, start, end);
}
