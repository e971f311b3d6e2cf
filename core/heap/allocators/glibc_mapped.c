/*
 * Chunks that are mapped by themselves. Nothing leads to them: each page of memory that is nobody's
 * else could begin one. How many there are, and how large in all, is counted by the library.
 */
#include "heap/allocators/glibc.h"

enum { PAGE = 4096, LOOKS = 8 /* at each page */ };

struct found {
    uint32_t count;
    uint64_t bytes;
    uint32_t allocator;
    bool has_allocator;
    uint64_t pages_left; /* that may be looked at again, so that false sizes come to an end */
};

/* ---- What the library counts, in front of where it says that the main heap began ---- */

enum { MAPPED_BYTES = -16 /* from there */ };

static bool read_count(const struct glibc *glibc, loupe_addr place, uint32_t *ret) {
    return loupe_memory_read_u32(glibc->memory, place, ret) == LOUPE_OK;
}

/* Now, at most ever: the numbers have a limit between them; two more words stand before the bytes
 * since 2.35. */
static bool read_counts(const struct glibc *glibc, loupe_addr bytes_place, unsigned before,
                        struct found *ret) {
    bool whole_pages = !glibc->release->adds_when_moved;
    uint32_t now, most;
    uint64_t bytes;
    if (!read_count(glibc, bytes_place - before, &now) ||
        !read_count(glibc, bytes_place - before + 8, &most) ||
        !glibc_word(glibc, bytes_place, &bytes) || now > most || bytes / PAGE < now ||
        (whole_pages && (bytes % PAGE || (!now && bytes))))
        return false;
    *ret = (struct found){.count = now, .bytes = bytes};
    return true;
}

/* Where the main heap began, as the library has it: a word in the data that has the main arena. */
static bool find_counts(const struct glibc *glibc, struct found *ret) {
    for (loupe_addr at = glibc->data.start; glibc->main_start && at < glibc->data.end;
         at += LOUPE_GLIBC_WORD) {
        uint64_t word;
        loupe_addr bytes_place = at + (loupe_addr)MAPPED_BYTES;
        if (glibc_word(glibc, at, &word) && word == glibc->main_start &&
            (read_counts(glibc, bytes_place, 16, ret) || read_counts(glibc, bytes_place, 20, ret)))
            return true;
    }
    return false;
}

/* ---- The blocks ---- */

static bool fits(const struct loupe_glibc_mapped *mapped, const struct loupe_range *memory) {
    return mapped->mapping >= memory->start &&
           mapped->mapping_size <= memory->end - mapped->mapping;
}

static bool is_chunk_of(struct glibc *glibc, loupe_addr page, uint64_t before,
                        const struct loupe_range *memory, struct loupe_glibc_mapped *ret) {
    return before < memory->end - page &&
           loupe_glibc_mapped_read(glibc->memory, page + before, ret) && ret->mapping == page &&
           fits(ret, memory);
}

/*
 * How far into the mapping at a page its chunk begins. One whose memory is aligned begins before a
 * multiple of that, or, once its mapping was moved to grow, where that was before. The header that
 * stood at the start is left there, with the size of that time.
 */
static bool find_chunk(struct glibc *glibc, struct found *found, loupe_addr page,
                       const struct loupe_range *memory, uint64_t *before,
                       struct loupe_glibc_mapped *ret) {
    struct loupe_glibc_mapped first;
    if (!loupe_glibc_mapped_read(glibc->memory, page, &first) || first.mapping != page)
        return false;
    /* Cap: alignments that begin in the first page. */
    for (uint64_t alignment = 2 * LOUPE_GLIBC_HEADER; alignment < PAGE; alignment *= 2) {
        *before = alignment - LOUPE_GLIBC_HEADER;
        if (is_chunk_of(glibc, page, *before, memory, ret))
            return true;
    }
    for (uint64_t end = PAGE; end < first.mapping_size && found->pages_left; end += PAGE) {
        found->pages_left--;
        *before = end - LOUPE_GLIBC_HEADER;
        loupe_addr zeroes = loupe_memory_zeroes_end(glibc->memory, page + *before);
        if (zeroes > page + end)
            end = zeroes - page;
        else if (is_chunk_of(glibc, page, *before, memory, ret))
            return true;
        if (end > memory->end - page)
            break;
    }
    *before = 0;
    *ret = first;
    return fits(ret, memory);
}

static enum loupe_status add_mapped(struct glibc *glibc, struct found *found, loupe_addr chunk,
                                    const struct loupe_glibc_mapped *mapped) {
    enum loupe_status status = LOUPE_OK;
    if (!found->has_allocator)
        status = loupe_allocation_scan_allocator(
            glibc->scan,
            (struct loupe_allocator){.name = "glibc mapped", .header = LOUPE_GLIBC_HEADER},
            &found->allocator);
    found->has_allocator = true;
    found->count++;
    found->bytes += mapped->mapping_size;
    loupe_addr start = chunk + LOUPE_GLIBC_HEADER;
    if (!status && mapped->mapping_size == PAGE)
        status = glibc_add_cache(glibc, start, found->allocator);
    return status ? status
                  : loupe_allocation_scan_add(glibc->scan, start, mapped->room, found->allocator);
}

static enum loupe_status search(struct glibc *glibc, struct found *found,
                                const struct loupe_range *memory) {
    enum loupe_status status = LOUPE_OK;
    loupe_addr page = (memory->start + PAGE - 1) & ~(loupe_addr)(PAGE - 1);
    for (uint64_t step = 0; !status && page < memory->end; step++) {
        struct loupe_glibc_mapped mapped = {.mapping_size = PAGE};
        uint64_t before;
        loupe_addr zeroes = loupe_memory_zeroes_end(glibc->memory, page) & ~(loupe_addr)(PAGE - 1);
        if (loupe_memory_ends_at(glibc->memory, step))
            return LOUPE_ETIMEOUT;
        if (zeroes > page)
            mapped.mapping_size = zeroes - page;
        else if (find_chunk(glibc, found, page, memory, &before, &mapped))
            status = add_mapped(glibc, found, page + before, &mapped);
        else
            mapped.mapping_size = PAGE;
        page += mapped.mapping_size;
    }
    return status;
}

static void doubt(struct glibc *glibc, const struct found *found, const char *why) {
    uint32_t allocator = found->has_allocator ? found->allocator : glibc_arena(glibc, 0)->allocator;
    loupe_allocation_scan_damage(glibc->scan, allocator, 0, why);
}

static void compare(struct glibc *glibc, const struct found *found) {
    struct found counted;
    bool is_counted = find_counts(glibc, &counted);
    bool exact_bytes = !glibc->release->adds_when_moved;
    if (!found->pages_left && found->count)
        doubt(glibc, found, "allocations mapped by themselves have too large sizes");
    if (is_counted &&
        (counted.count > found->count || (exact_bytes && counted.bytes > found->bytes)))
        doubt(glibc, found, "more allocations are mapped by themselves than were found");
    else if (is_counted && (counted.count < found->count || counted.bytes < found->bytes))
        doubt(glibc, found, "fewer allocations are mapped by themselves than were found");
}

/* Where another allocator has taken its place, nothing was asked of it. */
static bool is_at_work(const struct glibc *glibc) {
    for (uint32_t i = 0; i < glibc->arenas.count; i++)
        if (glibc_arena(glibc, i)->top_size)
            return true;
    return !glibc->scan->has_unread;
}

enum loupe_status glibc_find_mapped(struct glibc *glibc) {
    struct loupe_allocation_scan *scan = glibc->scan;
    struct loupe_ranges left;
    struct found found = {0};
    if (!is_at_work(glibc))
        return LOUPE_OK;
    enum loupe_status status = loupe_allocation_scan_unexplained(scan, &left);
    for (uint32_t i = 0; i < loupe_ranges_count(&left); i++)
        found.pages_left +=
            (loupe_ranges_at(&left, i)->end - loupe_ranges_at(&left, i)->start) / PAGE * LOOKS;
    for (uint32_t i = 0; !status && i < loupe_ranges_count(&left); i++)
        status = search(glibc, &found, loupe_ranges_at(&left, i));
    if (!status)
        compare(glibc, &found);
    loupe_ranges_deinit(&left);
    return status;
}
