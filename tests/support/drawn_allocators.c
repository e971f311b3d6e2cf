#include "drawn_allocators.h"

#include <stdlib.h>

static void add(struct drawn_allocators *drawn, loupe_addr start, uint64_t size) {
    if (drawn->count == DRAWN_MAX_BLOCKS)
        abort();
    drawn->starts[drawn->count] = start;
    drawn->sizes[drawn->count++] = size;
}

static void begin(struct drawn_allocators *drawn, struct drawn_heap *heap) {
    drawn->heap = heap;
    drawn->count = 0;
    drawn_process_init(heap);
}

static void add_memory(struct drawn_heap *heap, loupe_addr start, size_t size) {
    drawn_region_add(heap, start, size);
    drawn_process_region(start, start + size);
}

static void put_half(struct drawn_heap *heap, loupe_addr address, uint16_t value) {
    drawn_put(heap, address, &value, sizeof(value));
}

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

/* ---- Apple's zones ---- */

static const loupe_addr zone = 0x100004000, zone_list = 0x100000100;

static void begin_zones(struct drawn_allocators *drawn, struct drawn_heap *heap, const char *name,
                        uint32_t type) {
    enum { VERSION = 16, INTROSPECTION = 0x400, NAME = 0x300 };
    begin(drawn, heap);
    add_memory(heap, 0x100000000, 0x10000);
    drawn_symbol_add(heap, "malloc_num_zones", zone_list - 8);
    drawn_symbol_add(heap, "malloc_zones", zone_list);
    drawn_put_u32(heap, zone_list - 8, 1);
    drawn_put_word(heap, zone_list, zone_list + 0x40);
    drawn_put_word(heap, zone_list + 0x40, zone);
    drawn_put_word(heap, zone + 72, zone_list + NAME);
    drawn_put(heap, zone_list + NAME, name, strlen(name) + 1);
    drawn_put_word(heap, zone + 96, zone_list + INTROSPECTION);
    drawn_put_u32(heap, zone + 104, VERSION);
    drawn_put_u32(heap, zone_list + INTROSPECTION + 128, type);
}

static void put_rack(struct drawn_heap *heap, loupe_addr rack, loupe_addr region,
                     loupe_addr magazines) {
    drawn_put_word(heap, rack + 8, 2); /* regions, one of which was given back */
    drawn_put_word(heap, rack + 16, 1);
    drawn_put_word(heap, rack + 24, rack + 32);
    drawn_put_word(heap, rack + 32, 64);
    drawn_put_word(heap, rack + 40, 6);
    drawn_put_word(heap, rack + 48, rack + 96);
    drawn_put_word(heap, rack + 96 + 8 * 5, region);
    drawn_put_word(heap, rack + 96 + 8 * 6, UINT64_MAX);
    drawn_put_u32(heap, rack + 608, 2);
    drawn_put_word(heap, rack + 624, magazines);
}

/* The magazine of a region that it got last, and what it was given back last. */
static void put_magazine(struct drawn_heap *heap, loupe_addr magazine, loupe_addr region,
                         uint64_t free_at_end, loupe_addr last_free, uint16_t quanta) {
    drawn_put_word(heap, magazine + 8, last_free);
    put_half(heap, magazine + 16, quanta);
    drawn_put_word(heap, magazine + 24, last_free ? region : 0);
    drawn_put_word(heap, magazine + 2128, free_at_end);
    drawn_put_word(heap, magazine + 2144, region);
}

static void put_tiny(struct drawn_heap *heap, loupe_addr region, unsigned index, bool used) {
    loupe_addr pair = region + 40 + 8 * (loupe_addr)(index / 32);
    uint64_t bits;
    drawn_get(heap, pair, &bits, sizeof(bits));
    bits |= UINT64_C(1) << index % 32 | (uint64_t)used << (32 + index % 32);
    drawn_put_word(heap, pair, bits);
}

static void draw_tiny(struct drawn_allocators *drawn, loupe_addr rack, loupe_addr region,
                      loupe_addr magazines) {
    struct drawn_heap *heap = drawn->heap;
    loupe_addr blocks = region + (1 << 20) - 64504 * 16;
    add_memory(heap, region, 1 << 20);
    put_rack(heap, rack, region, magazines);
    put_tiny(heap, region, 0, true);
    put_tiny(heap, region, 3, false);
    put_tiny(heap, region, 30, true); /* what was given back last */
    put_tiny(heap, region, 31, true);
    put_tiny(heap, region, 70, true);
    put_tiny(heap, region, 71, true); /* where the part begins that was never given out */
    drawn_put_u32(heap, region + 16, (3 + 1 + 39 + 1) * 16);
    drawn_put_u32(heap, region + 20, 4);
    drawn_put_u32(heap, region + 24, 1);
    put_magazine(heap, magazines + 2560, region, (64504 - 71) * 16, blocks + 30 * 16, 1);
    add(drawn, blocks, 3 * 16);
    add(drawn, blocks + 31 * 16, 39 * 16);
    add(drawn, blocks + 70 * 16, 16);
}

static void draw_small(struct drawn_allocators *drawn, loupe_addr rack, loupe_addr region,
                       loupe_addr magazines) {
    struct drawn_heap *heap = drawn->heap;
    loupe_addr blocks = region + (8 << 20) - 16319 * 512, table = region + 40;
    add_memory(heap, region, 8 << 20);
    put_rack(heap, rack, region, magazines);
    put_half(heap, table, 2);
    put_half(heap, table + 2 * 2, 3 | 1 << 15);
    put_half(heap, table + 2 * 5, 1);
    put_half(heap, table + 2 * 6, 4);
    drawn_put_u32(heap, region + 16, 7 * 512);
    drawn_put_u32(heap, region + 24, UINT32_MAX); /* of the magazine that is nobody's */
    put_magazine(heap, magazines - 2560, region, (16319 - 10) * 512, blocks + 6 * 512, 4);
    add(drawn, blocks, 2 * 512);
    add(drawn, blocks + 5 * 512, 512);
}

void drawn_scalable_zone(struct drawn_allocators *drawn, struct drawn_heap *heap) {
    const loupe_addr tables = zone + 16384, large = 0x100008000 + 0x3000;
    begin_zones(drawn, heap, "DefaultMallocZone", 0);
    add_memory(heap, 0x110000000, 0x8000);
    draw_tiny(drawn, tables + 128, 0x200000000, 0x110000000 + 2560);
    draw_small(drawn, tables + 896, 0x280000000, 0x110004000 + 2560);
    drawn_put_u32(heap, tables + 2436, 1);
    drawn_put_u32(heap, tables + 2440, 4);
    drawn_put_word(heap, tables + 2448, large);
    drawn_put_word(heap, tables + 2456, 0x21000);
    drawn_put_word(heap, large + 2 * 24, 0x300000000);
    drawn_put_word(heap, large + 2 * 24 + 8, 0x21000);
    add(drawn, 0x300000000, 0x21000);
}

/* ---- nano ---- */

static void put_nano_word(struct drawn_heap *heap, loupe_addr words, uint32_t block, uint32_t next,
                          uint32_t free_count) {
    uint32_t index = (block >> 6 | block << 6) & 0xfff;
    drawn_put_u32(heap, words + 4 * (loupe_addr)index,
                  next | (free_count - 1) % 1024 << 11 | UINT32_C(1) << 31);
}

static void put_nano_free(struct drawn_heap *heap, loupe_addr place, uint64_t cookie,
                          uint64_t next) {
    drawn_put_word(heap, place, cookie ^ place);
    drawn_put_word(heap, place + 8, next);
}

void drawn_nano_zone(struct drawn_allocators *drawn, struct drawn_heap *heap) {
    const loupe_addr arena = 0x600000000000;
    const uint64_t cookie = 0x5a, free_cookie = 0x1234567890abcdef;
    const uint32_t of_32 = (2 * 64 + 5) ^ 0x5a, of_256 = (63 * 64 + 1) ^ 0x5a;
    loupe_addr words = arena ^ cookie << 14;
    loupe_addr block = arena + ((loupe_addr)of_32 << 14), full = arena + ((loupe_addr)of_256 << 14);
    begin_zones(drawn, heap, "DefaultMallocZone", 0);
    drawn_put_word(heap, zone + 28680, cookie);
    drawn_put_word(heap, zone + 28688, cookie << 14);
    drawn_put_word(heap, zone + 28696, free_cookie);
    drawn_put_word(heap, zone + 28720, arena);
    drawn_put_word(heap, zone + 28728, arena + (64 << 20));
    add_memory(heap, words, 1 << 14);
    add_memory(heap, block, 1 << 14);
    add_memory(heap, full, 1 << 14);
    /* Ten slots were ever used; the third and the eighth one are free. */
    put_nano_word(heap, words, of_32, 3, 512 - 8);
    put_nano_free(heap, block + 2 * 32, free_cookie, 8);
    put_nano_free(heap, block + 7 * 32, free_cookie, 0x7fb);
    for (unsigned i = 0; i < 10; i++)
        if (i != 2 && i != 7)
            add(drawn, block + i * 32, 32);
    put_nano_word(heap, words, of_256, 0x7fc, 1);
    for (unsigned i = 0; i < 64; i++)
        add(drawn, full + i * 256, 256);
}

/* ---- xzone ---- */

static void put_slice(struct drawn_heap *heap, loupe_addr segment, unsigned slice, uint64_t word,
                      uint32_t kind, uint32_t xzone, uint32_t count) {
    loupe_addr description = segment + 2104 + 48 * (loupe_addr)slice;
    drawn_put_word(heap, description, word);
    drawn_put_u32(heap, description + 32, kind | xzone << 8 | 1 << 16);
    drawn_put_u32(heap, description + 40, count);
}

static void put_xzone(struct drawn_heap *heap, loupe_addr xzone, uint64_t block,
                      uint32_t capacity) {
    drawn_put_word(heap, xzone + 48, block);
    drawn_put_u32(heap, xzone + 68, capacity);
    put_half(heap, xzone + 82, 1);
}

void drawn_xzone_zone(struct drawn_allocators *drawn, struct drawn_heap *heap) {
    const loupe_addr xzones = 0x100009000, table = 0x120000000, segment = 0x130000000,
                     body = 0x140000000;
    begin_zones(drawn, heap, "DefaultMallocZone", 1);
    drawn_put_word(heap, zone + 216, xzones);
    drawn_put_word(heap, zone + 488, table);
    put_xzone(heap, xzones + 96, 64, 256);
    put_xzone(heap, xzones + 2 * 96, 5120, 12);
    add_memory(heap, table, 1 << 16);
    drawn_put_u32(heap, table + 4 * 80, (uint32_t)(segment >> 14) | UINT32_C(1) << 31);
    add_memory(heap, segment, 1 << 14);
    add_memory(heap, body, 10 << 14);
    drawn_put_u32(heap, segment + 16, 10);
    drawn_put_word(heap, segment + 40, body);
    /* 250 blocks were never used; of the others the second and the fifth one are free. */
    put_slice(heap, segment, 0, (1 * 64 / 16) | 252 << 11, 2, 1, 0);
    drawn_put_word(heap, body + 1 * 64 + 8, 4 * 64 / 16);
    drawn_put_word(heap, body + 4 * 64 + 8, 0x400);
    for (unsigned i = 0; i < 6; i++)
        if (i != 1 && i != 4)
            add(drawn, body + i * 64, 64);
    put_slice(heap, segment, 2, 0xff0, 5, 2, 4); /* four of twelve in use */
    for (unsigned i = 0; i < 4; i++)
        add(drawn, body + (2 << 14) + i * 5120, 5120);
    put_slice(heap, segment, 6, 0, 7, 0, 3);
    add(drawn, body + (6 << 14), 3 << 14);
}

void drawn_unknown_zone(struct drawn_allocators *drawn, struct drawn_heap *heap) {
    begin_zones(drawn, heap, "SomebodysZone", 0);
}
