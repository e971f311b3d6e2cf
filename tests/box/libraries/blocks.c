/*
 * blocks.c - the blocks of a zone: small ones by size in regions of 1 MB, each with a bit for every
 * block that is in use; large ones in pages of their own, which are kept for a while, with all that
 * stands there, when they were given back (src/magazine_large.c).
 */
#include "malloc.h"

enum {
    REGION = 1 << 20,
    MOST_REGIONS = 2048,
    MOST_BITS = REGION / 16,
    TAG_TINY = 7,
    TAG_LARGE = 3,
    AT_ONCE = 64, /* ranges told in one call */
    MOST_KEPT = 16,
    MOST_KEPT_BYTES = 128 << 20 /* of one */
};

struct region {
    size_t block_size, count, used, hint;
    uintptr_t first;
    uint64_t bits[MOST_BITS / 64];
};

struct known_region {
    uintptr_t start, size;
    bool is_large; /* one block, which begins where the region does */
};

struct heap {
    uint32_t lock;
    unsigned count;
    struct known_region regions[MOST_REGIONS];
    /* Large ones that were given back, the oldest first; nobody is told of them. */
    unsigned kept_count;
    struct known_region kept[MOST_KEPT];
};

void *pages_take(size_t size, unsigned tag) {
    uint64_t address = 0;
    int flags = (int)(tag << 24 | 1);
    return host_mach_vm_allocate(host_box_task_self(), &address, size, flags)
               ? NULL
               : (void *)(uintptr_t)address;
}

/* ---- The zone and its heap ---- */

/* Behind the structure, and as far behind as any version's is long. */
static struct heap *heap_of(struct zone *zone) {
    return (struct heap *)((char *)zone + 512);
}

static size_t zone_size(struct zone *zone, const void *block) {
    return blocks_size(zone, block);
}

static void *zone_malloc(struct zone *zone, size_t size) {
    return blocks_take(zone, size, 16);
}

static void *zone_calloc(struct zone *zone, size_t count, size_t size) {
    size_t whole;
    if (__builtin_mul_overflow(count, size, &whole))
        return NULL;
    void *block = blocks_take(zone, whole, 16);
    return block ? host_memset(block, 0, whole) : NULL;
}

static void *zone_valloc(struct zone *zone, size_t size) {
    return blocks_take(zone, size, host_box_page_size());
}

static void zone_free(struct zone *zone, void *block) {
    if (block)
        blocks_give(zone, block);
}

static void *zone_realloc(struct zone *zone, void *block, size_t size) {
    size_t before = block ? blocks_size(zone, block) : 0;
    if (before && size <= before && size > before / 2)
        return block;
    void *other = blocks_take(zone, size, 16);
    if (!other || !block)
        return other;
    host_memcpy(other, block, before < size ? before : size);
    blocks_give(zone, block);
    return other;
}

static void zone_free_definite_size(struct zone *zone, void *block, size_t size) {
    (void)size;
    zone_free(zone, block);
}

static void *zone_memalign(struct zone *zone, size_t alignment, size_t size) {
    return blocks_take(zone, size, alignment);
}

/* ---- Telling of them ---- */

/* Whole structures are read through the reader, as from outside of the process. */
static int tell_region(uint32_t task, void *context, const struct known_region *known, reader *read,
                       recorder *record) {
    struct range ranges[AT_ONCE];
    unsigned count = 0;
    void *local;
    if (known->is_large) {
        ranges[0] = (struct range){known->start, known->size};
        record(task, context, RANGE_IN_USE, ranges, 1);
        return 0;
    }
    int failed = read(task, known->start, sizeof(struct region), &local);
    const struct region *region = local;
    for (size_t i = 0; !failed && i < region->count; i++) {
        if (!(region->bits[i / 64] >> i % 64 & 1))
            continue;
        ranges[count++] =
            (struct range){region->first + i * region->block_size, region->block_size};
        if (count == AT_ONCE) {
            record(task, context, RANGE_IN_USE, ranges, count);
            count = 0;
        }
    }
    if (!failed && count)
        record(task, context, RANGE_IN_USE, ranges, count);
    return failed;
}

static int enumerate(uint32_t task, void *context, unsigned types, uintptr_t zone, reader *read,
                     recorder *record) {
    void *local;
    int failed = read(task, (uintptr_t)heap_of((struct zone *)zone), sizeof(struct heap), &local);
    const struct heap *heap = local;
    for (unsigned i = 0; !failed && i < heap->count; i++) {
        struct range whole = {heap->regions[i].start, heap->regions[i].size};
        if (types & RANGE_REGION)
            record(task, context, RANGE_REGION, &whole, 1);
        if (types & RANGE_IN_USE)
            failed = tell_region(task, context, &heap->regions[i], read, record);
    }
    return failed;
}

/* ---- Around a fork() ---- */

static void force_lock(struct zone *zone) {
    host_os_unfair_lock_lock(&heap_of(zone)->lock);
}

static void force_unlock(struct zone *zone) {
    host_os_unfair_lock_unlock(&heap_of(zone)->lock);
}

/* The thread of the copy is another one than that which locked it. */
static void reinit_lock(struct zone *zone) {
    heap_of(zone)->lock = 0;
}

static struct introspection introspection = {.enumerator = enumerate,
                                             .force_lock = force_lock,
                                             .force_unlock = force_unlock,
                                             .reinit_lock = reinit_lock};

struct zone *blocks_zone(const char *name, unsigned version, unsigned words) {
    struct zone *zone = pages_take(512 + sizeof(struct heap), 1);
    struct zone all = {.size = zone_size,
                       .malloc = zone_malloc,
                       .calloc = zone_calloc,
                       .valloc = zone_valloc,
                       .free = zone_free,
                       .realloc = zone_realloc,
                       .name = name,
                       .introspect = &introspection,
                       .version = version,
                       .memalign = zone_memalign,
                       .free_definite_size = zone_free_definite_size};
    if (!zone)
        host_box_stop("no memory for a zone", NULL);
    host_memcpy(zone, &all, words * sizeof(void *));
    return zone;
}

/* ---- Regions; under the heap's lock ---- */

static struct known_region *add_region(struct heap *heap, size_t size, unsigned tag) {
    if (heap->count == MOST_REGIONS)
        return NULL;
    void *pages = pages_take(size, tag);
    if (!pages)
        return NULL;
    struct known_region *known = &heap->regions[heap->count++];
    *known = (struct known_region){.start = (uintptr_t)pages, .size = size};
    return known;
}

static size_t block_size_for(size_t size) {
    static const unsigned sizes[] = {16,   32,   48,   64,   80,   96,    112,  128,
                                     160,  192,  256,  320,  384,  512,   768,  1024,
                                     1536, 2048, 3072, 4096, 8192, 16384, 32768};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (size <= sizes[i])
            return sizes[i];
    return 0;
}

static struct region *region_for(struct heap *heap, size_t block_size) {
    for (unsigned i = heap->count; i-- > 0;) {
        struct region *region = (struct region *)heap->regions[i].start;
        if (!heap->regions[i].is_large && region->block_size == block_size &&
            region->used < region->count)
            return region;
    }
    struct known_region *known = add_region(heap, REGION, TAG_TINY);
    if (!known)
        return NULL;
    struct region *region = (struct region *)known->start;
    size_t header = (sizeof(*region) + 4095) & ~(size_t)4095;
    *region = (struct region){.block_size = block_size};
    region->first = known->start + header;
    region->count = (REGION - header) / block_size;
    return region;
}

static void *take_small(struct heap *heap, size_t block_size) {
    struct region *region = region_for(heap, block_size);
    if (!region)
        return NULL;
    size_t at = region->hint;
    while (region->bits[at / 64] >> at % 64 & 1)
        at = (at + 1) % region->count;
    region->bits[at / 64] |= (uint64_t)1 << at % 64;
    region->used++;
    region->hint = (at + 1) % region->count;
    return (void *)(region->first + at * region->block_size);
}

static void forget_kept(struct heap *heap, unsigned number) {
    heap->kept_count--;
    for (unsigned i = number; i < heap->kept_count; i++)
        heap->kept[i] = heap->kept[i + 1];
}

/* The smallest that is large enough, and not twice as large; the newest of those. */
static struct known_region *take_kept(struct heap *heap, size_t whole) {
    unsigned best = heap->kept_count;
    for (unsigned i = heap->kept_count; i-- > 0;) {
        size_t size = heap->kept[i].size;
        if (size >= whole && size - whole < whole &&
            (best == heap->kept_count || size < heap->kept[best].size))
            best = i;
    }
    if (best == heap->kept_count || heap->count == MOST_REGIONS)
        return NULL;
    struct known_region *known = &heap->regions[heap->count++];
    *known = heap->kept[best];
    forget_kept(heap, best);
    return known;
}

static void keep(struct heap *heap, struct known_region gone) {
    if (gone.size > MOST_KEPT_BYTES) {
        host_mach_vm_deallocate(host_box_task_self(), gone.start, gone.size);
        return;
    }
    if (heap->kept_count == MOST_KEPT) {
        host_mach_vm_deallocate(host_box_task_self(), heap->kept[0].start, heap->kept[0].size);
        forget_kept(heap, 0);
    }
    heap->kept[heap->kept_count++] = gone;
}

static void *take_large(struct heap *heap, size_t size, size_t alignment) {
    size_t page = host_box_page_size(), whole = (size + page - 1) & ~(page - 1);
    if (whole < size || alignment > page)
        return NULL;
    struct known_region *known = take_kept(heap, whole);
    if (!known && !(known = add_region(heap, whole, TAG_LARGE)))
        return NULL;
    known->is_large = true;
    return (void *)known->start;
}

void *blocks_take(struct zone *zone, size_t size, size_t alignment) {
    struct heap *heap = heap_of(zone);
    size_t block_size = alignment <= 16 ? block_size_for(size) : 0;
    host_os_unfair_lock_lock(&heap->lock);
    void *block = block_size ? take_small(heap, block_size) : take_large(heap, size, alignment);
    host_os_unfair_lock_unlock(&heap->lock);
    return block;
}

static struct known_region *region_of(struct heap *heap, const void *block) {
    for (unsigned i = heap->count; i-- > 0;)
        if ((uintptr_t)block - heap->regions[i].start < heap->regions[i].size)
            return &heap->regions[i];
    return NULL;
}

/* The number of the block that begins there, or one past the last. */
static size_t number_of(const struct region *region, const void *block) {
    uintptr_t offset = (uintptr_t)block - region->first;
    size_t at = offset / region->block_size;
    bool is_one = (uintptr_t)block >= region->first && offset % region->block_size == 0 &&
                  at < region->count && region->bits[at / 64] >> at % 64 & 1;
    return is_one ? at : region->count;
}

static size_t size_of(const struct known_region *known, const void *block) {
    if (!known)
        return 0;
    if (known->is_large)
        return (uintptr_t)block == known->start ? known->size : 0;
    const struct region *region = (const struct region *)known->start;
    return number_of(region, block) < region->count ? region->block_size : 0;
}

size_t blocks_size(struct zone *zone, const void *block) {
    struct heap *heap = heap_of(zone);
    host_os_unfair_lock_lock(&heap->lock);
    size_t size = size_of(region_of(heap, block), block);
    host_os_unfair_lock_unlock(&heap->lock);
    return size;
}

static void give(struct heap *heap, struct known_region *known, void *block) {
    if (known->is_large) {
        struct known_region gone = *known;
        *known = heap->regions[--heap->count];
        keep(heap, gone);
        return;
    }
    struct region *region = (struct region *)known->start;
    size_t at = number_of(region, block);
    region->bits[at / 64] &= ~((uint64_t)1 << at % 64);
    region->used--;
    region->hint = at; /* the next one to be given, as a magazine does with its last free block */
}

void blocks_give(struct zone *zone, void *block) {
    struct heap *heap = heap_of(zone);
    host_os_unfair_lock_lock(&heap->lock);
    struct known_region *known = region_of(heap, block);
    bool is_one = size_of(known, block) > 0;
    if (is_one)
        give(heap, known, block);
    host_os_unfair_lock_unlock(&heap->lock);
    if (!is_one)
        host_box_stop("pointer being freed was not allocated", block);
}
