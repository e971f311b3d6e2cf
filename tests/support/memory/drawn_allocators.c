#include "drawn_allocators_parts.h"

/* ---- glibc ---- */

enum { USED = 1, OTHER_ARENA = 4, MAPPED = 2 };

struct release {
    const char *name;
    uint32_t lists, arena_size, heap_fields;
    uint32_t cache_lists, cache_chunk; /* of a thread's cache: lists; bytes of its chunk */
    uint32_t counts_before;            /* numbers of mapped chunks: bytes before theirs */
    bool mixed, counts_down, has_fast_bins, mapped_has_end;
};

/* In all releases but the last one; from the second on with a larger structure of heaps. */
#define OLDER       .lists = 112, .arena_size = 2200, .has_fast_bins = true
#define NEWER       .heap_fields = 0x30, .counts_before = 20, .mixed = true
#define MANY_CACHES .cache_lists = 76, .cache_chunk = 0x300, .counts_down = true

static const struct release releases[] = {
    {.name = "2.31",
     OLDER,
     .heap_fields = 0x20,
     .cache_lists = 64,
     .cache_chunk = 0x290,
     .counts_before = 16},
    {.name = "2.35", OLDER, NEWER, .cache_lists = 64, .cache_chunk = 0x2a0},
    {.name = "2.42", OLDER, NEWER, MANY_CACHES},
    {.name = "2.43", NEWER, MANY_CACHES, .lists = 24, .arena_size = 2112, .mapped_has_end = true},
};

static const loupe_addr library = 0x7f0000000000, main_heap = 0x555500000000,
                        other_heap = 0x7e0000000000, mappings = 0x7d0000000000;
enum { HEAP_SIZE = 0x8000, COUNT_LIMIT = 7 };

struct glibc {
    struct drawn_allocators *drawn;
    struct drawn_heap *heap;
    const struct release *release;
    loupe_addr at, cache; /* the next chunk; memory of the thread's cache */
    uint64_t flags;       /* of the arena's chunks */
    bool follows_free;
};

static const struct release *release_named(const char *name) {
    for (unsigned i = 0; i < sizeof(releases) / sizeof(releases[0]); i++)
        if (strcmp(releases[i].name, name) == 0)
            return &releases[i];
    abort();
}

/* A chunk that counts as used; its memory. */
static loupe_addr put_chunk(struct glibc *glibc, uint64_t size) {
    loupe_addr chunk = glibc->at;
    drawn_put_word(glibc->heap, chunk + 8, size | glibc->flags | (glibc->follows_free ? 0 : USED));
    glibc->follows_free = false;
    glibc->at += size;
    return chunk + 16;
}

static void put_used(struct glibc *glibc, uint64_t size) {
    add(glibc->drawn, put_chunk(glibc, size), size - 8);
}

static uint64_t link_at(const struct glibc *glibc, loupe_addr place, loupe_addr to) {
    return glibc->release->mixed ? place >> 12 ^ to : to;
}

/* So many freed chunks of a size, linked by headers or by memory; where the first one is. */
static loupe_addr put_list(struct glibc *glibc, uint64_t size, unsigned count, bool by_memory) {
    loupe_addr last = 0;
    while (count--) {
        loupe_addr memory = put_chunk(glibc, size);
        drawn_put_word(glibc->heap, memory, link_at(glibc, memory, last));
        last = by_memory ? memory : memory - 16;
    }
    return last;
}

static void put_cache(struct glibc *glibc) {
    glibc->cache = put_chunk(glibc, glibc->release->cache_chunk);
    for (unsigned i = 0; glibc->release->counts_down && i < glibc->release->cache_lists; i++)
        put_half(glibc->heap, glibc->cache + 2 * (loupe_addr)i, COUNT_LIMIT);
}

static void put_cached(struct glibc *glibc, unsigned list, uint64_t size, unsigned count) {
    const struct release *release = glibc->release;
    put_half(glibc->heap, glibc->cache + 2 * (loupe_addr)list,
             (uint16_t)(release->counts_down ? COUNT_LIMIT - count : count));
    drawn_put_word(glibc->heap, glibc->cache + 2 * release->cache_lists + 8 * (loupe_addr)list,
                   put_list(glibc, size, count, true));
}

static loupe_addr lists_of(const struct glibc *glibc, loupe_addr arena) {
    return arena + glibc->release->lists;
}

static void put_arena(struct glibc *glibc, loupe_addr arena, loupe_addr next, uint64_t memory) {
    loupe_addr lists = lists_of(glibc, arena);
    for (loupe_addr list = lists; list < lists + 127 * 16; list += 16) {
        drawn_put_word(glibc->heap, list, list - 16);
        drawn_put_word(glibc->heap, list + 8, list - 16);
    }
    drawn_put_word(glibc->heap, lists + 2048, next);
    drawn_put_word(glibc->heap, lists + 2072, memory);
}

/* A free chunk on the first list of an arena. */
static void put_free(struct glibc *glibc, loupe_addr arena, uint64_t size) {
    loupe_addr list = lists_of(glibc, arena), memory = put_chunk(glibc, size);
    drawn_put_word(glibc->heap, memory, list - 16);
    drawn_put_word(glibc->heap, memory + 8, list - 16);
    drawn_put_word(glibc->heap, list, memory - 16);
    drawn_put_word(glibc->heap, list + 8, memory - 16);
    drawn_put_word(glibc->heap, glibc->at, size);
    glibc->follows_free = true;
}

static void put_top(struct glibc *glibc, loupe_addr arena, loupe_addr end) {
    drawn_put_word(glibc->heap, lists_of(glibc, arena) - 16, glibc->at);
    drawn_put_word(glibc->heap, glibc->at + 8, (end - glibc->at) | USED);
}

static void put_blocks(struct glibc *glibc, loupe_addr arena) {
    put_cache(glibc);
    put_used(glibc, 0x40);
    put_cached(glibc, 1, 0x30, 3);
    put_used(glibc, 0x30);
    put_cached(glibc, 63, 0x410, 1);
    if (glibc->release->counts_down)
        put_cached(glibc, 64, 0x600, 2);
    put_free(glibc, arena, 0x500);
    put_used(glibc, 0x20);
    if (glibc->release->has_fast_bins)
        drawn_put_word(glibc->heap, lists_of(glibc, arena) - 96 + 8 * 2,
                       put_list(glibc, 0x40, 2, false));
    put_used(glibc, 0x40);
    put_used(glibc, 0x1230);
}

static void put_mapped(struct glibc *glibc, loupe_addr mapping, uint64_t size, uint64_t before) {
    uint64_t end = glibc->release->mapped_has_end ? 16 : 0;
    drawn_put_word(glibc->heap, mapping + 8, (size - end) | MAPPED);
    drawn_put_word(glibc->heap, mapping + before, before);
    drawn_put_word(glibc->heap, mapping + before + 8, (size - before - end) | MAPPED);
    add(glibc->drawn, mapping + before + 16, size - before - 16 - (end ? 8 : 0));
}

/* The numbers of mapped chunks, in front of where the main heap began. */
static void put_counts(struct glibc *glibc, loupe_addr place, uint32_t count, uint64_t bytes) {
    loupe_addr numbers = place - glibc->release->counts_before;
    drawn_put_u32(glibc->heap, numbers, count);
    drawn_put_u32(glibc->heap, numbers + 4, 65536);
    drawn_put_u32(glibc->heap, numbers + 8, count);
    drawn_put_word(glibc->heap, place, bytes);
    drawn_put_word(glibc->heap, place + 16, main_heap);
}

void drawn_glibc(struct drawn_allocators *drawn, struct drawn_heap *heap, const char *release) {
    struct glibc glibc = {.drawn = drawn, .heap = heap, .release = release_named(release)};
    loupe_addr arena = library + 0xc60, other = other_heap + glibc.release->heap_fields;
    begin(drawn, heap);
    add_memory(heap, main_heap, HEAP_SIZE);
    add_memory(heap, mappings, 0x9000);
    add_memory(heap, other_heap, HEAP_SIZE);
    add_memory(heap, library, 0x2000);
    drawn_process_image("/lib/libc.so.6");
    drawn_process_section(".data", library, 0x2000, true);

    glibc.at = main_heap;
    put_arena(&glibc, arena, other, HEAP_SIZE);
    put_blocks(&glibc, arena);
    put_top(&glibc, arena, main_heap + HEAP_SIZE);

    glibc.flags = OTHER_ARENA;
    glibc.at = (other + glibc.release->arena_size + 15) & ~(loupe_addr)15;
    drawn_put_word(heap, other_heap, other);
    drawn_put_word(heap, other_heap + 16, HEAP_SIZE);
    put_arena(&glibc, other, arena, HEAP_SIZE);
    put_blocks(&glibc, other);
    put_top(&glibc, other, other_heap + HEAP_SIZE);

    put_mapped(&glibc, mappings, 0x3000, 0);
    put_mapped(&glibc, mappings + 0x3000, 0x2000, 0x30);
    put_mapped(&glibc, mappings + 0x5000, 0x4000, 0x1ff0);
    put_counts(&glibc, library + 0x200, 3, 0x9000);
}

/* ---- musl ---- */

const loupe_addr drawn_musl_state = 0x7f0000000100, drawn_musl_pages = 0x7e0000000000,
                 drawn_musl_slots = 0x7d0000000000;
static const uint64_t musl_secret = 0x1f3a5c7e9b2d4860;

struct musl {
    struct drawn_allocators *drawn;
    struct drawn_heap *heap;
    loupe_addr page, record; /* that are filled */
};

struct musl_group {
    loupe_addr start, storage;
    uint64_t stride;
};

/* A group of slots of a class; those in the sets are not in use. */
static struct musl_group put_group(struct musl *musl, loupe_addr start, uint64_t shape,
                                   uint64_t stride, uint32_t available, uint32_t freed) {
    loupe_addr record = musl->record;
    musl->record += 40;
    drawn_put_word(musl->heap, record + 16, start);
    drawn_put_word(musl->heap, record + 24, available | (uint64_t)freed << 32);
    drawn_put_word(musl->heap, record + 32, shape);
    drawn_put_word(musl->heap, start, record);
    return (struct musl_group){.start = start, .storage = start + 16, .stride = stride};
}

static void put_musl_header(const struct musl *musl, loupe_addr block, uint32_t slot, uint32_t kind,
                            uint64_t offset) {
    drawn_put_u32(musl->heap, block - 4, slot << 8 | kind << 13 | (uint32_t)(offset / 16) << 16);
}

/* One block; `later`: so many bytes behind its slot's start. */
static void put_slot(const struct musl *musl, const struct musl_group *group, uint32_t slot,
                     uint64_t later, uint32_t unused) {
    loupe_addr start = group->storage + slot * group->stride, block = start + later;
    loupe_addr end = start + group->stride - 4;
    if (later)
        put_musl_header(musl, start, slot, 7, later);
    put_musl_header(musl, block, slot, unused < 5 ? unused : 5, block - group->storage);
    if (unused >= 5)
        drawn_put_u32(musl->heap, end - 4, unused);
    add(musl->drawn, block, end - block - unused);
}

static void begin_musl_page(struct musl *musl, loupe_addr page, loupe_addr next, uint32_t records) {
    musl->page = page;
    musl->record = page + 24;
    drawn_put_word(musl->heap, page, musl_secret);
    drawn_put_word(musl->heap, page + 8, next);
    drawn_put_u32(musl->heap, page + 16, records);
}

void drawn_musl(struct drawn_allocators *drawn, struct drawn_heap *heap) {
    enum { FREEABLE = 1 << 5, CLASS = 6, PAGES = 12, OF_48 = 2, OF_1008 = 19, ALONE = 63 };
    struct musl musl = {.drawn = drawn, .heap = heap};
    loupe_addr second = drawn_musl_pages + 0x1000, mapping = drawn_musl_slots + 0x1000;
    begin(drawn, heap);
    add_memory(heap, drawn_musl_pages, 0x2000);
    add_memory(heap, drawn_musl_slots, DRAWN_MUSL_SLOTS_SIZE + 0x3000);
    add_memory(heap, drawn_musl_state & ~(loupe_addr)0xfff, 0x1000);
    drawn_process_image("/lib/ld-musl-x86_64.so.1");
    drawn_process_section(".data", drawn_musl_state & ~(loupe_addr)0xfff, 0x1000, true);
    drawn_put_word(heap, drawn_musl_state, musl_secret);
    drawn_put_u32(heap, drawn_musl_state + 8, 1);
    drawn_put_word(heap, drawn_musl_state + 56, drawn_musl_pages);
    drawn_put_word(heap, drawn_musl_state + 64, second);

    begin_musl_page(&musl, drawn_musl_pages, second, 3);
    struct musl_group large =
        put_group(&musl, drawn_musl_slots, 3 | FREEABLE | OF_1008 << CLASS, 63 * 16, 0x8, 0x2);
    put_slot(&musl, &large, 0, 0, 4);
    put_slot(&musl, &large, 2, 0, 200);
    /* A group in a slot of the other one's. */
    struct musl_group small =
        put_group(&musl, large.storage + large.stride, 9 | OF_48 << CLASS, 48, 0x300, 0x4);
    put_musl_header(&musl, small.start, 1, 6, small.start - large.storage);
    drawn_put_word(heap, drawn_musl_pages + 24 + 24, 0x8);
    for (uint32_t slot = 0; slot < 8; slot++)
        if (slot != 2)
            put_slot(&musl, &small, slot, slot == 5 ? 16 : 0, slot % 4);

    begin_musl_page(&musl, second, 0, 2);
    struct musl_group alone =
        put_group(&musl, mapping, (uint64_t)ALONE << CLASS | 2 << PAGES, 2 * 0x1000 - 16, 0, 0);
    put_slot(&musl, &alone, 0, 0, 1000);
}
