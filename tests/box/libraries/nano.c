/*
 * nano.c - the zone that is the first one of every Mac's process (BOX_NANO=0: not here): blocks of
 * up to 256 bytes, all else is of the zone behind it.
 *
 * After libmalloc-792.41.1: nanov2_zone.h for what stands where, nano_zone_common.h for addresses,
 * nanov2_malloc.c for the rest. A region of 512 MB stands at an address that begins with 6, further
 * ones behind it, where there is room. It has eight arenas of 4,096 blocks of 16 kB; of an arena so
 * many rows of 64 blocks are for slots of 16 bytes, so many for slots of 32 and so on. Which block
 * is which is mixed up by a cookie. One block has a word for each of the others, and the place of
 * its own word leads to the next region. Free slots are zeroed, but for a guard and the number of
 * the next one.
 *
 * What enumerators of other zones do not do: this one asks for a region as a whole, and where it is
 * told of its own process it takes memory of the zone behind it, once for each block with free
 * slots.
 *
 * The double's own: one lock for who takes and gives, one current block for each size, and cookies
 * that are always the same, so that what was seen once is seen again.
 */
#include "malloc.h"

void *calloc(size_t count, size_t size);
void free(void *block);

enum {
    CLASSES = 16,
    QUANTUM = 16,
    MOST_SIZE = CLASSES * QUANTUM,
    PROCESSORS = 64,
    ROW = 64,

    BLOCK_SHIFT = 14,
    BLOCK = 1 << BLOCK_SHIFT,
    BLOCKS = 4096,
    ARENA = BLOCKS * BLOCK,
    REGION = 8 * ARENA,
    LAST_REGION = (1 << 15) - 1,
    MOST_SLOTS = BLOCK / QUANTUM,
    TAG_NANO = 11,
    ZONE_PAGE = 16384,

    /* In place of the number of the next free slot, from 1 on. */
    NEVER_USED = 0,
    GUARD = 0x7fa,
    NONE_BEFORE = 0x7fb, /* slots behind the last one that was ever used are free */
    FULL = 0x7fc,
    EMPTY = 0x7fd,
    GOING = 0x7fe,
    GONE = 0x7ff
};

#define FIRST_REGION ((uintptr_t)6 << 44)

static const uint8_t rows[CLASSES] = {2, 10, 11, 10, 5, 3, 3, 4, 3, 2, 2, 2, 2, 2, 1, 2};

/* Of a block. */
struct word {
    uint32_t next : 11, free_but_one : 10, generation : 10, in_use : 1;
};

struct slot {
    uint64_t guard, next;
};

struct nano {
    struct zone zone;
    char unused[ZONE_PAGE - sizeof(struct zone)];
    struct word *current[CLASSES][PROCESSORS];
    uint32_t locks[CLASSES][PROCESSORS];
    uint16_t delegated; /* sizes for which there is no room any more */
    unsigned flags;
    uint64_t cookie, shifted_cookie;
    uintptr_t free_cookie;
    struct zone *behind;
    uint32_t lock, regions_lock;
    uintptr_t first_region, next_arena;
};
_Static_assert(offsetof(struct nano, cookie) == 28680, "nanozonev2_s");
_Static_assert(offsetof(struct nano, next_arena) == 28728, "nanozonev2_s");

/* ---- Addresses ---- */

static uintptr_t start_of(uintptr_t address, uintptr_t size) {
    return address & ~(size - 1);
}

static uint32_t number_of(uintptr_t address) {
    return (uint32_t)(address >> BLOCK_SHIFT) % BLOCKS;
}

/* Words of blocks that are neighbours stand apart. */
static uint32_t exchange_halves(uint32_t number) {
    return (number >> 6 | number << 6) % BLOCKS;
}

static unsigned class_of(const struct nano *nano, uint32_t number) {
    unsigned row = (unsigned)(number ^ nano->cookie) / ROW, class = 0;
    while (row >= rows[class])
        row -= rows[class ++];
    return class;
}

static unsigned size_of_class(unsigned class) {
    return (class + 1) * QUANTUM;
}

static unsigned slots_of_class(unsigned class) {
    return BLOCK / size_of_class(class);
}

static struct word *words_of(const struct nano *nano, uintptr_t arena) {
    return (struct word *)(arena ^ nano->shifted_cookie);
}

static struct word *word_of(const struct nano *nano, uintptr_t block) {
    return words_of(nano, start_of(block, ARENA)) + exchange_halves(number_of(block));
}

static uintptr_t block_of(const struct word *word) {
    uint32_t number = (uint32_t)((uintptr_t)word % BLOCK / sizeof(*word));
    return start_of((uintptr_t)word, ARENA) + (uintptr_t)exchange_halves(number) * BLOCK;
}

/* The word of the words' own block. */
static uint32_t *link_of(const struct nano *nano, uintptr_t region) {
    return (uint32_t *)words_of(nano, region) + exchange_halves((uint32_t)nano->cookie);
}

static uintptr_t next_region(const struct nano *nano, uintptr_t region) {
    uintptr_t next = region + (*link_of(nano, region) & 0xffff) * (uintptr_t)REGION;
    return next != region && next < nano->next_arena ? next : 0;
}

/* next_arena at a region's start is the end of the one before. */
static uintptr_t end_of_arenas(const struct nano *nano, uintptr_t region) {
    bool is_last = start_of(nano->next_arena - 1, REGION) == region;
    return is_last ? nano->next_arena : region + REGION;
}

static bool is_active(struct word word) {
    return word.next != NEVER_USED && word.next != GOING && word.next != GONE && word.next != GUARD;
}

/* ---- Regions and arenas ---- */

static bool map_region(uintptr_t region) {
    uint64_t address = region;
    return !host_mach_vm_allocate(host_box_task_self(), &address, REGION, TAG_NANO << 24);
}

/* The first arena of a new region; 0: there is no room. */
static uintptr_t add_region(struct nano *nano) {
    uintptr_t current = start_of(nano->next_arena - 1, REGION), next = current + REGION;
    while (next <= FIRST_REGION + (uintptr_t)LAST_REGION * REGION && !map_region(next))
        next += REGION;
    if (next > FIRST_REGION + (uintptr_t)LAST_REGION * REGION)
        return 0;
    *link_of(nano, current) = (uint32_t)((next - current) / REGION);
    nano->next_arena = next + ARENA;
    return next;
}

static uintptr_t add_arena(struct nano *nano) {
    if (nano->next_arena % REGION == 0)
        return add_region(nano);
    nano->next_arena += ARENA;
    return nano->next_arena - ARENA;
}

/* ---- Taking ---- */

static bool may_begin_with(struct word word) {
    return !word.in_use && word.next != FULL && word.next != GOING && word.next != GUARD;
}

static struct word *find_in_arena(const struct nano *nano, uintptr_t arena, unsigned class) {
    unsigned first = 0;
    for (unsigned i = 0; i < class; i++)
        first += rows[i] * ROW;
    for (unsigned i = first; i < first + rows[class] * ROW; i++) {
        uint32_t number = i ^ (uint32_t)nano->cookie;
        struct word *word = words_of(nano, arena) + exchange_halves(number);
        if (i && may_begin_with(*word)) /* 0 is the block of the words */
            return word;
    }
    return NULL;
}

static struct word *find_block(struct nano *nano, unsigned class) {
    for (uintptr_t region = nano->first_region; region; region = next_region(nano, region))
        for (uintptr_t arena = region; arena < end_of_arenas(nano, region); arena += ARENA) {
            struct word *word = find_in_arena(nano, arena, class);
            if (word)
                return word;
        }
    uintptr_t arena = add_arena(nano);
    return arena ? find_in_arena(nano, arena, class) : NULL;
}

static void begin_with(struct word *word, unsigned class) {
    if (!is_active(*word) || word->next == EMPTY) {
        word->next = NONE_BEFORE;
        word->free_but_one = slots_of_class(class) - 1;
    }
    word->generation++;
    word->in_use = 1;
}

/* The block is in use and not full. */
static void *take_slot(const struct nano *nano, struct word *word, unsigned class) {
    unsigned was_free = word->free_but_one + 1u, next = word->next;
    bool is_listed = next != NONE_BEFORE;
    unsigned number = is_listed ? next - 1 : slots_of_class(class) - was_free;
    struct slot *slot = (struct slot *)(block_of(word) + number * size_of_class(class));
    if (is_listed) {
        if (slot->guard != (nano->free_cookie ^ (uintptr_t)slot))
            host_box_stop("heap corruption detected, free list is damaged", slot);
        next = (unsigned)slot->next;
    }
    word->next = was_free == 1 ? FULL : next;
    word->free_but_one = was_free - 2;
    word->generation++;
    *slot = (struct slot){0};
    return slot;
}

static void *take(struct nano *nano, unsigned class) {
    struct word **current = &nano->current[class][0];
    if (*current && (*current)->next == FULL) {
        (*current)->in_use = 0;
        *current = NULL;
    }
    if (!*current && !(nano->delegated >> class & 1)) {
        *current = find_block(nano, class);
        if (*current)
            begin_with(*current, class);
        else
            nano->delegated |= (uint16_t)(1u << class);
    }
    return *current ? take_slot(nano, *current, class) : NULL;
}

static void *nano_malloc(struct zone *zone, size_t size) {
    struct nano *nano = (struct nano *)zone;
    void *block = NULL;
    if (size <= MOST_SIZE) {
        host_os_unfair_lock_lock(&nano->lock);
        block = take(nano, size ? (unsigned)(size - 1) / QUANTUM : 0);
        host_os_unfair_lock_unlock(&nano->lock);
    }
    return block ? block : nano->behind->malloc(nano->behind, size);
}

/* What is handed out is cleared, because it was when it was given back. */
static void *nano_calloc(struct zone *zone, size_t count, size_t size) {
    struct zone *behind = ((struct nano *)zone)->behind;
    size_t whole;
    if (__builtin_mul_overflow(count, size, &whole))
        return NULL;
    return whole <= MOST_SIZE ? nano_malloc(zone, whole) : behind->calloc(behind, 1, whole);
}

static void *nano_valloc(struct zone *zone, size_t size) {
    struct zone *behind = ((struct nano *)zone)->behind;
    return behind->valloc(behind, size);
}

static void *nano_memalign(struct zone *zone, size_t alignment, size_t size) {
    struct zone *behind = ((struct nano *)zone)->behind;
    return alignment <= QUANTUM ? nano_malloc(zone, size)
                                : behind->memalign(behind, alignment, size);
}

/* ---- Giving ---- */

static bool is_of_region(const struct nano *nano, uintptr_t address) {
    uintptr_t region = nano->first_region;
    while (region && region != start_of(address, REGION))
        region = next_region(nano, region);
    return region && address < nano->next_arena;
}

/* 0: no slot that is in use begins there. */
static size_t own_size(const struct nano *nano, const void *pointer) {
    uintptr_t address = (uintptr_t)pointer;
    if (address >> 44 != 6 || address % QUANTUM || !is_of_region(nano, address))
        return 0;
    unsigned class = class_of(nano, number_of(address));
    const struct word *word = word_of(nano, address);
    const struct slot *slot = pointer;
    bool has_any =
        is_active(*word) && (word->next == FULL || word->free_but_one != slots_of_class(class) - 1);
    return has_any && address % BLOCK % size_of_class(class) == 0 &&
                   slot->guard != (nano->free_cookie ^ address)
               ? size_of_class(class)
               : 0;
}

/* Also for blocks of the zone behind: who asks which zone a block is of, hears of this one. */
static size_t nano_size(struct zone *zone, const void *block) {
    const struct nano *nano = (const struct nano *)zone;
    size_t size = own_size(nano, block);
    return size ? size : nano->behind->size(nano->behind, block);
}

static void give_slot(struct nano *nano, struct slot *slot, size_t size) {
    struct word *word = word_of(nano, (uintptr_t)slot);
    unsigned slots = BLOCK / (unsigned)size;
    unsigned was = word->next, free = was == FULL ? 1 : word->free_but_one + 2u;
    host_memset(slot, 0, size);
    slot->guard = nano->free_cookie ^ (uintptr_t)slot;
    if (free == slots) {
        word->next = word->in_use ? NONE_BEFORE : GONE;
    } else {
        slot->next = was == FULL ? NONE_BEFORE : was;
        word->next = (uint32_t)((uintptr_t)slot % BLOCK / size) + 1;
    }
    word->free_but_one = free - 1;
    word->generation++;
    if (!word->in_use && free > slots - slots / 4)
        nano->delegated &= (uint16_t) ~(1u << (size / QUANTUM - 1));
}

static void nano_free(struct zone *zone, void *block) {
    struct nano *nano = (struct nano *)zone;
    host_os_unfair_lock_lock(&nano->lock);
    size_t size = own_size(nano, block);
    if (size)
        give_slot(nano, block, size);
    host_os_unfair_lock_unlock(&nano->lock);
    if (!size)
        nano->behind->free(nano->behind, block);
}

static void nano_free_definite_size(struct zone *zone, void *block, size_t size) {
    (void)size;
    nano_free(zone, block);
}

/* In place where at least half of it is needed. */
static void *nano_realloc(struct zone *zone, void *block, size_t size) {
    struct nano *nano = (struct nano *)zone;
    size_t before = block ? own_size(nano, block) : 0;
    if (block && !before)
        return nano->behind->realloc(nano->behind, block, size);
    if (block && size && size <= before && size > before / 2)
        return block;
    void *other = nano_malloc(zone, size);
    if (!block || !other)
        return other;
    host_memcpy(other, block, before < size ? before : size);
    nano_free(zone, block);
    return other;
}

/* ---- Telling of them ---- */

struct telling {
    uint32_t task;
    void *context;
    recorder *record;
    const struct nano *nano; /* a copy */
    bool is_own;
};

/* Sets a bit for each slot that is on the list of free ones, and returns how many those are. */
static unsigned follow_free(const struct word *word, uintptr_t block, unsigned size,
                            uint64_t *free) {
    unsigned next = word->next, count = 0, slots = BLOCK / size;
    while (next != NONE_BEFORE && next - 1 < slots &&
           !(free[(next - 1) / 64] >> (next - 1) % 64 & 1)) {
        free[(next - 1) / 64] |= (uint64_t)1 << (next - 1) % 64;
        next = (uint16_t)((const struct slot *)(block + (next - 1) * size))->next;
        count++;
    }
    return count;
}

/* Taken from the zone behind, or by malloc(), as there. */
static void tell_slots(const struct telling *telling, const struct word *word, uintptr_t block) {
    struct range ranges[MOST_SLOTS];
    unsigned size = size_of_class(class_of(telling->nano, number_of(block))), slots = BLOCK / size;
    unsigned used = word->next == FULL ? slots : slots - word->free_but_one - 1, count = 0;
    struct zone *behind = telling->nano->behind;
    uint64_t *free_slots = NULL;
    if (word->next != FULL && word->next != NONE_BEFORE) {
        const size_t bytes = MOST_SLOTS / 8;
        free_slots = telling->is_own ? behind->calloc(behind, 1, bytes) : calloc(1, bytes);
        used += follow_free(word, block, size, free_slots);
    }
    for (unsigned i = 0; i < used && i < slots; i++)
        if (!free_slots || !(free_slots[i / 64] >> i % 64 & 1))
            ranges[count++] = (struct range){block + i * size, size};
    if (free_slots)
        free(free_slots);
    if (count)
        telling->record(telling->task, telling->context, RANGE_IN_USE, ranges, count);
}

static void tell_arena(const struct telling *telling, unsigned types, uintptr_t arena) {
    const struct word *words = words_of(telling->nano, arena);
    for (unsigned i = 0; i < BLOCKS; i++) {
        struct range whole = {arena + (uintptr_t)exchange_halves(i) * BLOCK, BLOCK};
        if (exchange_halves(i) == telling->nano->cookie || !is_active(words[i]))
            continue;
        if (types & RANGE_REGION)
            telling->record(telling->task, telling->context, RANGE_REGION, &whole, 1);
        if (types & RANGE_IN_USE)
            tell_slots(telling, &words[i], whole.address);
    }
}

/* Of this process alone: regions are looked at where they are. */
static int nano_enumerate(uint32_t task, void *context, unsigned types, uintptr_t zone,
                          reader *read, recorder *record) {
    struct telling telling = {.task = task, .context = context, .record = record};
    struct nano copy;
    void *local;
    if (!(types & (RANGE_IN_USE | RANGE_REGION)))
        return 0;
    int failed = read(task, zone, sizeof(struct nano), &local);
    if (failed)
        return failed;
    host_memcpy(&copy, local, sizeof(copy));
    telling.nano = &copy;
    telling.is_own = (uintptr_t)local == zone;
    for (uintptr_t region = copy.first_region; region; region = next_region(&copy, region)) {
        failed = read(task, region, REGION, &local);
        if (failed)
            return failed;
        for (uintptr_t arena = region; arena < end_of_arenas(&copy, region); arena += ARENA)
            tell_arena(&telling, types, arena);
    }
    return 0;
}

/* Nobody locks it: there, who takes and gives does not wait for others. */
static void no_lock(struct zone *zone) {
    (void)zone;
}

static struct introspection introspection = {.enumerator = nano_enumerate,
                                             .force_lock = no_lock,
                                             .force_unlock = no_lock,
                                             .reinit_lock = no_lock};

/* ---- The zone ---- */

/* In the copy that fork() makes nothing of it is given out or taken back any more: another thread
 * may have been at it. */

static void *forked_malloc(struct zone *zone, size_t size) {
    struct zone *behind = ((struct nano *)zone)->behind;
    return behind->malloc(behind, size);
}

static void *forked_calloc(struct zone *zone, size_t count, size_t size) {
    struct zone *behind = ((struct nano *)zone)->behind;
    return behind->calloc(behind, count, size);
}

static void forked_free(struct zone *zone, void *block) {
    struct zone *behind = ((struct nano *)zone)->behind;
    if ((uintptr_t)block >> 44 != 6)
        behind->free(behind, block);
}

static void *forked_realloc(struct zone *zone, void *block, size_t size) {
    struct zone *behind = ((struct nano *)zone)->behind;
    size_t before = block ? own_size((struct nano *)zone, block) : 0;
    if (!before)
        return behind->realloc(behind, block, size);
    void *other = behind->malloc(behind, size ? size : 1);
    return other ? host_memcpy(other, block, before < size ? before : size) : NULL;
}

static void protect(struct nano *nano, int protection) {
    host_mach_vm_protect(host_box_task_self(), (uintptr_t)nano, sizeof(nano->zone), 0, protection);
}

void nano_zone_forked(struct zone *zone) {
    enum { READ = 1, WRITE = 2 };
    protect((struct nano *)zone, READ | WRITE);
    zone->malloc = forked_malloc;
    zone->calloc = forked_calloc;
    zone->free = forked_free;
    zone->realloc = forked_realloc;
    zone->free_definite_size = NULL;
    protect((struct nano *)zone, READ);
}

struct zone *nano_zone(struct zone *behind, const char *name, unsigned version, unsigned words) {
    struct nano *nano = map_region(FIRST_REGION) ? pages_take(sizeof(*nano), 1) : NULL;
    struct zone all = {.size = nano_size,
                       .malloc = nano_malloc,
                       .calloc = nano_calloc,
                       .valloc = nano_valloc,
                       .free = nano_free,
                       .realloc = nano_realloc,
                       .name = name,
                       .introspect = &introspection,
                       .version = version,
                       .memalign = nano_memalign,
                       .free_definite_size = nano_free_definite_size};
    if (!nano)
        host_box_stop("no room for a nano zone", (void *)FIRST_REGION);
    host_memcpy(&nano->zone, &all, words * sizeof(void *));
    nano->free_cookie = 0x3a7c51e90000;
    nano->cookie = 0xa5c;
    nano->shifted_cookie = nano->cookie << BLOCK_SHIFT;
    nano->behind = behind;
    nano->first_region = FIRST_REGION;
    nano->next_arena = FIRST_REGION + ARENA;
    protect(nano, 1);
    return &nano->zone;
}
