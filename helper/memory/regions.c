#include "memory/regions.h"

#include "memory/pages.h"

#include <string.h>

enum {
    FIRST_CAPACITY = 512,
    FIRST_STEP = 1 << 20, /* what one check covers at first; it doubles with what is known */
    LONGEST_STEP = 64 << 20,
    LONGEST_GAP = 64 << 20, /* how far from known memory an address may extend it */
};

enum loupe_status loupe_regions_init(struct loupe_regions *regions,
                                     const struct loupe_chunk_ops *chunks) {
    *regions = (struct loupe_regions){.chunks = chunks};
    enum loupe_status status = loupe_regions_list(regions);
    if (status)
        loupe_regions_deinit(regions);
    return status;
}

void loupe_regions_deinit(struct loupe_regions *regions) {
    loupe_chunk_put(regions->chunks, regions->items, regions->capacity * sizeof(*regions->items));
    loupe_regions_unlist(regions);
    *regions = (struct loupe_regions){.chunks = regions->chunks};
}

static enum loupe_status grow(struct loupe_regions *regions) {
    size_t capacity = regions->capacity ? regions->capacity * 2 : FIRST_CAPACITY;
    struct loupe_region *larger = loupe_chunk_get(regions->chunks, capacity * sizeof(*larger));
    if (!larger)
        return LOUPE_ENOMEM;
    if (regions->count)
        memcpy(larger, regions->items, regions->count * sizeof(*larger));
    loupe_chunk_put(regions->chunks, regions->items, regions->capacity * sizeof(*larger));
    regions->items = larger;
    regions->capacity = capacity;
    return LOUPE_OK;
}

static enum loupe_status append(struct loupe_regions *regions, loupe_addr start, loupe_addr end,
                                enum loupe_backing backing) {
    struct loupe_region *last = regions->count ? &regions->items[regions->count - 1] : NULL;
    if (start >= end || (last && start < last->end))
        return LOUPE_OK; /* out of order: the list moved while it was read */
    if (last && last->end == start && last->backing == LOUPE_ANONYMOUS &&
        backing == LOUPE_ANONYMOUS) {
        last->end = end;
        return LOUPE_OK;
    }
    if (regions->count == regions->capacity) {
        enum loupe_status status = grow(regions);
        if (status)
            return status;
    }
    regions->items[regions->count++] =
        (struct loupe_region){.start = start, .end = end, .backing = backing};
    return LOUPE_OK;
}

/* The kernel may show our pages and the program's as one mapping. */
enum loupe_status loupe_regions_add(struct loupe_regions *regions, loupe_addr start, loupe_addr end,
                                    enum loupe_backing backing) {
    uintptr_t own_start, own_end;
    enum loupe_status status = LOUPE_OK;
    while (!status && loupe_pages_find(start, end, &own_start, &own_end)) {
        status = append(regions, start, own_start, backing);
        start = own_end;
    }
    return status ? status : append(regions, start, end, backing);
}

enum loupe_status loupe_regions_visit_one(const struct loupe_process_region *region,
                                          loupe_region_visit visit, void *visitor) {
    struct loupe_process_region part = *region;
    uintptr_t own_start, own_end;
    enum loupe_status status = LOUPE_OK;
    while (!status && loupe_pages_find(part.start, region->end, &own_start, &own_end)) {
        part.end = own_start;
        if (part.start < part.end)
            status = visit(visitor, &part);
        part.start = own_end;
    }
    part.end = region->end;
    return status || part.start >= part.end ? status : visit(visitor, &part);
}

static bool holds(const struct loupe_region *region, loupe_addr addr) {
    return addr >= region->start && addr < region->end;
}

struct loupe_region *loupe_regions_find(struct loupe_regions *regions, loupe_addr addr) {
    if (regions->last < regions->count && holds(&regions->items[regions->last], addr))
        return &regions->items[regions->last];
    size_t low = 0, high = regions->count; /* the first region that ends behind addr */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (regions->items[middle].end <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == regions->count || !holds(&regions->items[low], addr))
        return NULL;
    regions->last = low;
    return &regions->items[low];
}

/* ---- Windows ---- */

static loupe_addr lower_of(loupe_addr a, loupe_addr b) {
    return a < b ? a : b;
}

static loupe_addr higher_of(loupe_addr a, loupe_addr b) {
    return a > b ? a : b;
}

/* Checks one step of the region; a step that fails is the last. */
static bool check_step(struct loupe_region *region, loupe_addr start, loupe_addr end) {
    if (!loupe_regions_check(region, start, end))
        region->broken = true;
    return !region->broken;
}

static bool start_window(struct loupe_region *region, loupe_addr addr) {
    loupe_addr start = higher_of(region->start, addr / FIRST_STEP * FIRST_STEP);
    loupe_addr end = region->end - start > FIRST_STEP ? start + FIRST_STEP : region->end;
    if (!check_step(region, start, end))
        return false;
    region->sure_start = start;
    region->sure_end = end;
    return true;
}

/* Extends what is known towards addr, in growing steps. */
static bool extend_window(struct loupe_region *region, loupe_addr addr) {
    loupe_addr gap =
        addr < region->sure_start ? region->sure_start - addr : addr - region->sure_end;
    if (gap > LONGEST_GAP)
        return false;
    while (addr < region->sure_start || addr >= region->sure_end) {
        loupe_addr step = lower_of(region->sure_end - region->sure_start, LONGEST_STEP);
        if (addr < region->sure_start) {
            loupe_addr start = region->sure_start - region->start > step ? region->sure_start - step
                                                                         : region->start;
            if (!check_step(region, start, region->sure_start))
                return false;
            region->sure_start = start;
        } else {
            loupe_addr end =
                region->end - region->sure_end > step ? region->sure_end + step : region->end;
            if (!check_step(region, region->sure_end, end))
                return false;
            region->sure_end = end;
        }
    }
    return true;
}

/* Around addr, as far as there are pages: of what would be made, or waited for, by a look at
 * others. */
static bool find_pages(const struct loupe_regions *regions, struct loupe_region *region,
                       loupe_addr addr) {
    loupe_addr start = higher_of(region->start, addr / FIRST_STEP * FIRST_STEP), next = start;
    loupe_addr end = region->end - start > FIRST_STEP ? start + FIRST_STEP : region->end;
    bool has_page = false;
    for (; next <= addr && next < end;
         has_page = loupe_regions_has_page(regions, start, end, &next))
        start = next;
    if (!has_page)
        return false;
    region->sure_start = start;
    region->sure_end = next;
    return true;
}

static bool find_window(const struct loupe_regions *regions, struct loupe_region *region,
                        loupe_addr addr) {
    if (region->broken)
        return false;
    if (regions->untouched && region->backing != LOUPE_ANONYMOUS)
        return find_pages(regions, region, addr);
    bool known = region->sure_start != region->sure_end;
    return known ? extend_window(region, addr) : start_window(region, addr);
}

bool loupe_regions_window(struct loupe_regions *regions, loupe_addr addr,
                          struct loupe_window *ret) {
    if (regions->may_change)
        return false;
    struct loupe_region *region = loupe_regions_find(regions, addr);
    if (!region)
        return false;
    bool is_sure = addr >= region->sure_start && addr < region->sure_end;
    if (!is_sure && !find_window(regions, region, addr))
        return false;
    *ret = (struct loupe_window){.start = region->sure_start,
                                 .end = region->sure_end,
                                 .bytes = (const uint8_t *)(uintptr_t)region->sure_start};
    return true;
}
