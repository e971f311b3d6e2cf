/*
 * Where the arenas are. The main one is found by its lists, of which an empty one leads to itself,
 * and proved by the ring of arenas, which leads back to it; the others by the ring.
 */
#include "base/sort.h"
#include "heap/allocators/glibc.h"

static const struct glibc_release releases[] = {
    {.lists = 112, .arena_size = 2200, .has_fast_bins = true}, /* 2.27 to 2.42 */
    {.lists = 24, .arena_size = 2112, .has_fast_bins = false, .adds_when_moved = true}, /* 2.43 */
    {.lists = 104, .arena_size = 2192, .has_fast_bins = true},                          /* 2.26 */
};

enum {
    RELEASES = sizeof(releases) / sizeof(releases[0]),
    MAX_ARENAS = 1 << 12,
    MAX_HEAPS = 1 << 16,
    ENOUGH_LISTS = 2 /* in a row, to look for an arena around them */
};

/* ---- Lists ---- */

/* A list of chunks leads to itself where it is empty; else there and back. */
static bool is_list(const struct glibc *glibc, loupe_addr place) {
    uint64_t first, last, back, forth;
    loupe_addr chunk = place - LOUPE_GLIBC_HEADER; /* as which a list counts itself */
    if (!glibc_word(glibc, place, &first) || !glibc_word(glibc, place + 8, &last))
        return false;
    if (first == chunk && last == chunk)
        return true;
    return glibc_word(glibc, first + LOUPE_GLIBC_HEADER + 8, &back) && back == chunk &&
           glibc_word(glibc, last + LOUPE_GLIBC_HEADER, &forth) && forth == chunk;
}

static unsigned lists_from(const struct glibc *glibc, loupe_addr place, unsigned most) {
    unsigned count = 0;
    while (count < most && is_list(glibc, place + (loupe_addr)count * GLIBC_LIST))
        count++;
    return count;
}

/* ---- The ring ---- */

/* Whether the arena after the one with these lists, and so on, is the first one again. */
static bool is_ring(const struct glibc *glibc, loupe_addr first, uint32_t lists) {
    loupe_addr at = first;
    /* Cap: no arena where a ring has more; no block is exact then. */
    for (unsigned i = 0; i < MAX_ARENAS; i++) {
        if (!glibc_word(glibc, at + lists + GLIBC_NEXT, &at))
            return false;
        if (at == first)
            return true;
    }
    return false;
}

static const struct glibc_release *release_of(const struct glibc *glibc, loupe_addr lists) {
    /* Cap: all of a table. */
    for (unsigned i = 0; i < RELEASES; i++)
        if (is_ring(glibc, lists - releases[i].lists, releases[i].lists))
            return &releases[i];
    return NULL;
}

/*
 * The first list of an arena that a run of lists is a part of: the run is all of them, or a part
 * of them, others being damaged or in the hands of a thread at the moment.
 */
static bool find_first_list(struct glibc *glibc, loupe_addr run, unsigned length, loupe_addr *ret) {
    /* Cap: all of an arena. */
    for (unsigned before = 0; before + length <= GLIBC_LISTS; before++) {
        loupe_addr lists = run - (loupe_addr)before * GLIBC_LIST;
        const struct glibc_release *release = release_of(glibc, lists);
        if (release) {
            glibc->release = release;
            *ret = lists;
            return true;
        }
    }
    return false;
}

/* ---- The main arena ---- */

static bool is_empty_list(const struct glibc *glibc, loupe_addr place) {
    uint64_t word;
    return glibc_word(glibc, place, &word) && word == place - LOUPE_GLIBC_HEADER &&
           glibc_word(glibc, place + 8, &word) && word == place - LOUPE_GLIBC_HEADER;
}

/* In [start, end), aligned to words. */
static enum loupe_status find_in(struct glibc *glibc, loupe_addr start, loupe_addr end,
                                 loupe_addr *ret) {
    for (loupe_addr at = loupe_memory_next_word(glibc->memory, start, end); at < end;
         at = loupe_memory_next_word(glibc->memory, at + LOUPE_GLIBC_WORD, end)) {
        if (loupe_memory_ends_at(glibc->memory, (at - start) / LOUPE_GLIBC_WORD))
            return LOUPE_ETIMEOUT;
        if (!is_empty_list(glibc, at))
            continue;
        unsigned length = lists_from(glibc, at, GLIBC_LISTS);
        if (length >= ENOUGH_LISTS && find_first_list(glibc, at, length, ret))
            return LOUPE_OK;
        at += (loupe_addr)(length - 1) * GLIBC_LIST;
    }
    return LOUPE_OK;
}

static enum loupe_status find_in_range(struct glibc *glibc, const struct loupe_range *range,
                                       loupe_addr *ret) {
    glibc->data.start = (range->start + 7) & ~(loupe_addr)7;
    glibc->data.end = range->end & ~(loupe_addr)7;
    return find_in(glibc, glibc->data.start, glibc->data.end, ret);
}

static enum loupe_status find_in_data(struct glibc *glibc, loupe_addr *ret) {
    const struct loupe_scene *scene = glibc->scan->scene;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && !*ret && i < scene->sources.count; i++) {
        const struct loupe_root_source *source = loupe_scene_source(scene, i);
        if (source->kind == LOUPE_ROOT_GLOBAL)
            status = find_in_range(glibc, &source->memory, ret);
    }
    return status;
}

/* ---- Each arena ---- */

static enum loupe_status add_arena(struct glibc *glibc, loupe_addr address, bool is_main) {
    struct glibc_arena arena = {
        .address = address, .lists = address + glibc->release->lists, .is_main = is_main};
    struct loupe_allocator allocator = {.name = is_main ? "glibc main arena" : "glibc arena",
                                        .address = address,
                                        .header = LOUPE_GLIBC_HEADER};
    struct loupe_glibc_chunk top;
    enum loupe_status status =
        loupe_allocation_scan_allocator(glibc->scan, allocator, &arena.allocator);
    if (status)
        return status;
    if (!glibc_word(glibc, arena.lists + (loupe_addr)GLIBC_TOP, &arena.top) ||
        !glibc_word(glibc, arena.lists + GLIBC_SYSTEM_MEMORY, &arena.system_memory))
        loupe_allocation_scan_damage(glibc->scan, arena.allocator, address, "it cannot be read");
    else if (loupe_glibc_chunk_read(glibc->memory, arena.top, &top) &&
             top.size <= arena.system_memory)
        arena.top_size = top.size;
    else if (arena.top != arena.lists - LOUPE_GLIBC_HEADER || arena.system_memory)
        /* it stands so as long as nothing was asked for */
        loupe_allocation_scan_damage(glibc->scan, arena.allocator, arena.top,
                                     "its top is no chunk");
    struct glibc_arena *added = loupe_vector_add(&glibc->arenas);
    if (!added)
        return LOUPE_ENOMEM;
    *added = arena;
    return loupe_allocation_scan_add_tables(glibc->scan, address, glibc->release->arena_size);
}

static bool is_in_parts(const struct glibc *glibc, const struct glibc_arena *arena) {
    enum { NOT_CONTIGUOUS = 2 };
    uint32_t flags;
    return !loupe_memory_read_u32(glibc->memory, arena->address + GLIBC_FLAGS, &flags) &&
           (flags & NOT_CONTIGUOUS);
}

static enum loupe_status add_main_heap(struct glibc *glibc, uint32_t number) {
    const struct glibc_arena *arena = glibc_arena(glibc, number);
    loupe_addr end = arena->top + arena->top_size;
    if (!arena->top_size)
        return LOUPE_OK;
    if (is_in_parts(glibc, arena))
        return glibc_find_parts(glibc, number);
    if (arena->system_memory < end) {
        glibc->main_start = end - arena->system_memory;
        return glibc_add_heap(glibc, number, (glibc->main_start + 15) & ~(loupe_addr)15, end);
    }
    loupe_allocation_scan_damage(glibc->scan, arena->allocator, arena->address,
                                 "it has more memory than there is");
    return LOUPE_OK;
}

/* ---- Heaps of other arenas: each begins with the arena's address, the one before, its size ----
 */

enum { HEAP_PREVIOUS = 8, HEAP_SIZE = 16 };

static bool is_heap_of(const struct glibc *glibc, const struct glibc_arena *arena,
                       loupe_addr heap) {
    uint64_t word;
    return glibc_word(glibc, heap, &word) && word == arena->address;
}

/* The first heap has the arena behind its own fields: four words, or six since 2.35. */
static loupe_addr first_heap(const struct glibc *glibc, const struct glibc_arena *arena) {
    if (is_heap_of(glibc, arena, arena->address - 0x30))
        return arena->address - 0x30;
    return is_heap_of(glibc, arena, arena->address - 0x20) ? arena->address - 0x20 : 0;
}

/* The last heap has the top: heaps are aligned to the most they can have, which depends on the
 * size of large pages where those are wanted. */
static loupe_addr last_heap(const struct glibc *glibc, const struct glibc_arena *arena) {
    static const uint64_t alignments[] = {64 << 20,  8 << 20,           UINT64_C(4) << 30,
                                          128 << 20, UINT64_C(2) << 30, 256 << 10};
    for (unsigned i = 0; i < sizeof(alignments) / sizeof(alignments[0]); i++) {
        loupe_addr heap = arena->top & ~(alignments[i] - 1);
        uint64_t size;
        if (is_heap_of(glibc, arena, heap) && glibc_word(glibc, heap + HEAP_SIZE, &size) &&
            size == arena->top + arena->top_size - heap)
            return heap;
    }
    return 0;
}

static enum loupe_status add_heaps(struct glibc *glibc, uint32_t number) {
    const struct glibc_arena *arena = glibc_arena(glibc, number);
    loupe_addr first = first_heap(glibc, arena), heap = last_heap(glibc, arena);
    uint64_t sum = 0, size;
    enum loupe_status status = LOUPE_OK;
    /* Cap: the arena's doubt; no heap is that long: the arena's doubt. */
    while (!status && first && heap && glibc->heaps.count < MAX_HEAPS &&
           is_heap_of(glibc, arena, heap) && glibc_word(glibc, heap + HEAP_SIZE, &size) &&
           size <= UINT64_MAX - heap) {
        loupe_addr start = heap == first ? arena->address + glibc->release->arena_size
                                         : heap + (arena->address - first);
        status = glibc_add_heap(glibc, number, (start + 15) & ~(loupe_addr)15, heap + size);
        sum += size;
        if (heap == first || !glibc_word(glibc, heap + HEAP_PREVIOUS, &heap))
            break;
    }
    if (heap != first || !first || sum != arena->system_memory)
        loupe_allocation_scan_damage(glibc->scan, arena->allocator, arena->address,
                                     "its heaps are not all that it got from the system");
    return status;
}

/* ---- All of it ---- */

static enum loupe_status add_ring(struct glibc *glibc, loupe_addr main_arena) {
    loupe_addr at = main_arena;
    enum loupe_status status = LOUPE_OK;
    /* Cap: no arena where a ring has more; no block is exact then. */
    for (unsigned i = 0; !status && i < MAX_ARENAS; i++) {
        status = add_arena(glibc, at, at == main_arena);
        if (!glibc_word(glibc, at + glibc->release->lists + GLIBC_NEXT, &at) || at == main_arena)
            break;
    }
    return status;
}

static bool starts_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return ((const struct glibc_heap *)a)->start < ((const struct glibc_heap *)b)->start;
}

/* Of heaps that begin in another one, what is behind that. */
static void part_heaps(struct glibc *glibc) {
    loupe_addr end = 0;
    loupe_vector_sort(&glibc->heaps, starts_before, NULL);
    for (uint32_t i = 0; i < glibc->heaps.count; i++) {
        struct glibc_heap *heap = glibc_heap(glibc, i);
        if (heap->start < end) {
            loupe_allocation_scan_damage(glibc->scan, glibc_arena(glibc, heap->arena)->allocator,
                                         heap->start, "its heaps overlap");
            heap->start = end < heap->end ? end : heap->end;
        }
        if (heap->end > end)
            end = heap->end;
    }
}

static enum loupe_status explain_heaps(struct glibc *glibc) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < glibc->heaps.count; i++)
        status = loupe_ranges_add(&glibc->scan->explained, glibc_heap(glibc, i)->start,
                                  glibc_heap(glibc, i)->end);
    return status;
}

enum loupe_status glibc_find_arenas(struct glibc *glibc) {
    loupe_addr lists = 0;
    enum loupe_status status = find_in_data(glibc, &lists);
    if (status || !lists)
        return status;
    status = add_ring(glibc, lists - glibc->release->lists);
    for (uint32_t i = 1; !status && i < glibc->arenas.count; i++)
        status = add_heaps(glibc, i);
    if (!status)
        status = explain_heaps(glibc);
    if (!status)
        status = add_main_heap(glibc, 0);
    part_heaps(glibc);
    return status ? status : explain_heaps(glibc);
}
