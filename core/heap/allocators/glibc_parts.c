/*
 * The main arena where it could not go on behind its first memory: it has several parts then, in
 * mappings that nothing leads to. Each but the first begins at a page, and its chunks follow one
 * another up to the top or to a fence.
 */
#include "heap/allocators/glibc.h"

enum { PAGE = 4096 };

struct parts {
    struct glibc *glibc;
    uint32_t number;
    uint64_t steps_left; /* so that memory that looks like chunks everywhere comes to an end */
    uint64_t sum;
};

bool glibc_is_fence(const struct glibc *glibc, loupe_addr address) {
    const uint64_t size = LOUPE_GLIBC_HEADER, flags = LOUPE_GLIBC_FLAGS;
    uint64_t first, second;
    return glibc_word(glibc, address + LOUPE_GLIBC_WORD, &first) && (first & ~flags) == size &&
           glibc_word(glibc, address + LOUPE_GLIBC_HEADER + LOUPE_GLIBC_WORD, &second) &&
           (second & ~flags) == size;
}

/* A part ends with a page. What was left of its top before the fence can be too small for a chunk:
 * it looks like the first header of a fence, then. */
static loupe_addr end_of_fence(const struct glibc *glibc, loupe_addr fence) {
    loupe_addr end = fence + 2 * LOUPE_GLIBC_HEADER;
    return end % PAGE && glibc_is_fence(glibc, end - LOUPE_GLIBC_HEADER) ? end + LOUPE_GLIBC_HEADER
                                                                         : end;
}

static loupe_addr first_chunk(loupe_addr start) {
    return (start + LOUPE_GLIBC_HEADER - 1) & ~(loupe_addr)(LOUPE_GLIBC_HEADER - 1);
}

/* Where the chunks end that begin at an address; 0: there are none. */
static loupe_addr end_of_part(struct parts *parts, loupe_addr start, loupe_addr limit) {
    const struct glibc *glibc = parts->glibc;
    loupe_addr top = glibc_arena(glibc, parts->number)->top;
    struct loupe_glibc_chunk chunk;
    for (loupe_addr at = start; at < limit && parts->steps_left; at += chunk.size) {
        parts->steps_left--;
        if (at != start && glibc_is_fence(glibc, at))
            return end_of_fence(glibc, at);
        if (!loupe_glibc_chunk_read(glibc->memory, at, &chunk) || chunk.size > limit - at ||
            (chunk.flags & (LOUPE_GLIBC_MAPPED | LOUPE_GLIBC_OTHER_ARENA)) ||
            (at == start && !(chunk.flags & LOUPE_GLIBC_FOLLOWS_USED)))
            return 0;
        if (at == top)
            return at + chunk.size;
    }
    return 0;
}

static enum loupe_status search(struct parts *parts, const struct loupe_range *memory) {
    struct glibc *glibc = parts->glibc;
    enum loupe_status status = LOUPE_OK;
    loupe_addr page = (memory->start + PAGE - 1) & ~(loupe_addr)(PAGE - 1), next;
    for (uint64_t step = 0; !status && page < memory->end; page = next, step++) {
        struct loupe_glibc_mapped mapped;
        if (loupe_memory_ends_at(glibc->memory, step))
            return LOUPE_ETIMEOUT;
        next = page + PAGE;
        if (loupe_glibc_mapped_read(glibc->memory, page, &mapped) && mapped.mapping == page &&
            mapped.mapping_size <= memory->end - page)
            next = page + mapped.mapping_size;
        loupe_addr end = end_of_part(parts, page, memory->end);
        if (!end)
            continue;
        status = glibc_add_heap(glibc, parts->number, page, end);
        parts->sum += end - page;
        next = (end + PAGE - 1) & ~(loupe_addr)(PAGE - 1);
    }
    return status;
}

/* ---- The first part ---- */

static bool is_in_part(const struct parts *parts, loupe_addr address) {
    for (uint32_t i = 0; i < parts->glibc->heaps.count; i++) {
        const struct glibc_heap *heap = glibc_heap(parts->glibc, i);
        if (heap->arena == parts->number && address >= heap->start && address < heap->end)
            return true;
    }
    return false;
}

/* The end of the memory around an address; 0: it is no part of it. */
static loupe_addr limit_at(const struct loupe_ranges *left, loupe_addr address) {
    for (uint32_t i = 0; i < loupe_ranges_count(left); i++) {
        const struct loupe_range *range = loupe_ranges_at(left, i);
        if (address >= range->start && address < range->end)
            return range->end;
    }
    return 0;
}

/* Pages in the middle of a part may look like the first of one. */
static void drop_parts_in(struct parts *parts, loupe_addr start, loupe_addr end) {
    struct glibc *glibc = parts->glibc;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < glibc->heaps.count; i++) {
        struct glibc_heap heap = *glibc_heap(glibc, i);
        if (heap.arena == parts->number && heap.start >= start && heap.start < end)
            parts->sum -= heap.end - heap.start;
        else
            *glibc_heap(glibc, kept++) = heap;
    }
    glibc->heaps.count = kept;
}

/*
 * The first part begins anywhere if somebody else moved the end of the program's data before, as
 * loaders did for tunables up to 2.36. The library has its start in a word of its data, as it has
 * places farther on.
 */
static enum loupe_status search_first(struct parts *parts, const struct loupe_ranges *left) {
    struct glibc *glibc = parts->glibc;
    loupe_addr start = UINT64_MAX, end = 0;
    const struct loupe_range data = glibc->data;
    for (loupe_addr at = loupe_memory_next_word(glibc->memory, data.start, data.end); at < data.end;
         at = loupe_memory_next_word(glibc->memory, at + LOUPE_GLIBC_WORD, data.end)) {
        uint64_t word;
        if (loupe_memory_ends_at(glibc->memory, (at - glibc->data.start) / LOUPE_GLIBC_WORD))
            return LOUPE_ETIMEOUT;
        if (!glibc_word(glibc, at, &word) || word >= start || word % PAGE == 0)
            continue;
        loupe_addr limit = is_in_part(parts, word) ? 0 : limit_at(left, word),
                   found = limit ? end_of_part(parts, first_chunk(word), limit) : 0;
        if (found) {
            start = word;
            end = found;
        }
    }
    if (!end)
        return LOUPE_OK;
    drop_parts_in(parts, start, end);
    parts->sum += end - start;
    return glibc_add_heap(glibc, parts->number, first_chunk(start), end);
}

static uint64_t most_chunks(const struct loupe_ranges *ranges) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < loupe_ranges_count(ranges); i++)
        bytes += loupe_ranges_at(ranges, i)->end - loupe_ranges_at(ranges, i)->start;
    return bytes / LOUPE_GLIBC_SMALLEST;
}

enum loupe_status glibc_find_parts(struct glibc *glibc, uint32_t number) {
    struct loupe_ranges left;
    struct parts parts = {.glibc = glibc, .number = number};
    const struct glibc_arena *arena = glibc_arena(glibc, number);
    enum loupe_status status = loupe_allocation_scan_unexplained(glibc->scan, &left);
    parts.steps_left = 2 * most_chunks(&left);
    for (uint32_t i = 0; !status && i < loupe_ranges_count(&left); i++)
        status = search(&parts, loupe_ranges_at(&left, i));
    if (!status && parts.sum < arena->system_memory)
        status = search_first(&parts, &left);
    if (!status && parts.sum != arena->system_memory)
        loupe_allocation_scan_damage(glibc->scan, arena->allocator, arena->address,
                                     "its parts are not all that it got from the system");
    loupe_ranges_deinit(&left);
    return status;
}
