/*
 * The main arena where it could not go on behind its first memory: it has several parts then, in
 * mappings that nothing leads to. Each begins at a page, and its chunks follow one another up to
 * the top or to a fence.
 */
#include "heap/glibc.h"

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

/* Where the chunks end that begin at an address; 0: there are none. */
static loupe_addr end_of_part(struct parts *parts, loupe_addr start, loupe_addr limit) {
    const struct glibc *glibc = parts->glibc;
    loupe_addr top = glibc_arena(glibc, parts->number)->top;
    struct loupe_glibc_chunk chunk;
    for (loupe_addr at = start; at < limit && parts->steps_left; at += chunk.size) {
        parts->steps_left--;
        if (at != start && glibc_is_fence(glibc, at))
            return at + 2 * LOUPE_GLIBC_HEADER;
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
    enum loupe_status status = loupe_taking_unexplained(glibc->taking, &left);
    parts.steps_left = 2 * most_chunks(&left);
    for (uint32_t i = 0; !status && i < loupe_ranges_count(&left); i++)
        status = search(&parts, loupe_ranges_at(&left, i));
    if (!status && parts.sum != arena->system_memory)
        loupe_taking_damage(glibc->taking, arena->allocator, arena->address,
                            "its parts are not all that it got from the system");
    loupe_ranges_deinit(&left);
    return status;
}
