/*
 * Lists of free chunks. Of those that count as used, fast bins of arenas and what threads keep for
 * themselves, the chunks are taken away; all others have to agree with the headers. A
 * cache is a block like any other, which a variable of its thread leads to; it is told by its
 * lists, all of whose chunks have the size of the list.
 */
#include "heap/allocators/glibc.h"

enum { SIZE_STEP = 16 };

/* A list as it is walked: the sizes of its chunks, and how far behind a header a link leads. */
struct list {
    struct glibc *glibc;
    uint64_t smallest, largest;
    uint32_t behind;
};

static bool is_on(const struct list *list, loupe_addr chunk) {
    struct loupe_glibc_chunk read;
    return loupe_glibc_chunk_read(list->glibc->memory, chunk, &read) &&
           read.size >= list->smallest && read.size <= list->largest;
}

/* The link that stands in a chunk; since 2.32 mixed with its place. False: it leads nowhere. */
static bool next_of(const struct list *list, loupe_addr chunk, loupe_addr *ret) {
    uint64_t link;
    loupe_addr place = chunk + LOUPE_GLIBC_HEADER;
    if (!list->glibc->links_left || !glibc_word(list->glibc, place, &link))
        return false;
    list->glibc->links_left--;
    const loupe_addr ways[] = {loupe_glibc_unmixed(place, link), link};
    for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        *ret = ways[i] ? ways[i] - list->behind : 0;
        if (!*ret || is_on(list, *ret))
            return true;
    }
    return false;
}

/* How many chunks there are from one on; false where it does not end as lists do. */
static bool length_of(const struct list *list, loupe_addr first, uint32_t most, uint32_t *ret) {
    uint32_t length = 0;
    if (first && !is_on(list, first))
        return false;
    for (; first && length <= most; length++)
        if (!next_of(list, first, &first))
            return false;
    *ret = length;
    return length <= most;
}

static enum loupe_status add_list(const struct list *list, loupe_addr first) {
    enum loupe_status status = LOUPE_OK;
    while (!status && first) {
        status = loupe_allocation_scan_add_freed(list->glibc->scan, first + LOUPE_GLIBC_HEADER);
        if (!next_of(list, first, &first))
            break;
    }
    return status;
}

/* ---- Caches of threads: numbers of chunks, then where each list begins ---- */

enum { SMALL_LISTS = 64, MOST_LISTS = 76, MOST_IN_LIST = UINT16_MAX };

struct cache_layout {
    uint8_t lists, number_size;
    bool counts_down; /* the numbers are those of chunks that still have room */
};

static const struct cache_layout cache_layouts[] = {
    {.lists = 64, .number_size = 2, .counts_down = false}, /* 2.30 to 2.41 */
    {.lists = 76, .number_size = 2, .counts_down = true},  /* since 2.42 */
    {.lists = 64, .number_size = 1, .counts_down = false}, /* up to 2.29 */
};

struct cache {
    const struct cache_layout *layout;
    uint32_t numbers[MOST_LISTS];
    loupe_addr firsts[MOST_LISTS]; /* headers; 0: empty */
    uint32_t lengths[MOST_LISTS];  /* of those that end as lists do */
    bool ends[MOST_LISTS];
};

/* Those behind the small ones have chunks of twice the size of the list before, and any between. */
static struct list list_of_cache(struct glibc *glibc, unsigned number) {
    struct list list = {.glibc = glibc, .behind = LOUPE_GLIBC_HEADER};
    if (number < SMALL_LISTS) {
        list.smallest = list.largest = LOUPE_GLIBC_SMALLEST + SIZE_STEP * (uint64_t)number;
    } else {
        list.smallest = UINT64_C(1024) << (number - SMALL_LISTS);
        list.largest = 2 * list.smallest - 1;
    }
    return list;
}

static bool read_cache(struct glibc *glibc, loupe_addr address, const struct cache_layout *layout,
                       struct cache *ret) {
    uint8_t numbers[MOST_LISTS * 2];
    size_t size = (size_t)layout->lists * layout->number_size;
    loupe_addr entries[MOST_LISTS];
    if (loupe_memory_read(glibc->memory, address, numbers, size) ||
        loupe_memory_read(glibc->memory, address + size, entries,
                          layout->lists * sizeof(entries[0])))
        return false;
    *ret = (struct cache){.layout = layout};
    for (unsigned i = 0; i < layout->lists; i++) {
        ret->numbers[i] = layout->number_size == 1
                              ? numbers[i]
                              : numbers[2 * i] | (uint32_t)numbers[2 * i + 1] << 8;
        ret->firsts[i] = entries[i] ? entries[i] - LOUPE_GLIBC_HEADER : 0;
    }
    return true;
}

/* Where numbers count down, what they count down from: at least two of the first three say it. */
static uint32_t limit_of(const struct cache *cache) {
    uint32_t sums[3];
    for (unsigned i = 0; i < 3; i++)
        sums[i] = cache->numbers[i] + cache->lengths[i];
    return sums[0] == sums[1] || sums[0] == sums[2] ? sums[0] : sums[1];
}

static uint32_t number_of(const struct cache *cache, unsigned list, uint32_t limit) {
    if (!cache->layout->counts_down)
        return cache->numbers[list];
    return limit >= cache->numbers[list] ? limit - cache->numbers[list] : UINT32_MAX;
}

/* What was seen of a cache: lists with as many chunks as it counts, with one more or less, and
 * others. */
struct sight {
    uint32_t right, near, wrong;
};

static struct sight look_at(struct glibc *glibc, struct cache *cache) {
    struct sight sight = {0};
    for (unsigned i = 0; i < cache->layout->lists; i++) {
        struct list list = list_of_cache(glibc, i);
        cache->ends[i] = length_of(&list, cache->firsts[i], MOST_IN_LIST, &cache->lengths[i]);
    }
    uint32_t limit = limit_of(cache);
    for (unsigned i = 0; i < cache->layout->lists; i++) {
        uint32_t number = number_of(cache, i, limit), length = cache->lengths[i];
        if (cache->ends[i] && number == length)
            sight.right += length > 0;
        else if (cache->ends[i] && (number == length + 1 || number + 1 == length))
            sight.near++;
        else
            sight.wrong++;
    }
    return sight;
}

/*
 * A thread that is just changing a list may not have counted that yet. Where more is wrong, it
 * takes some lists that are right to believe in a cache: in memory that was used before, what looks
 * like one list can stand anywhere.
 */
static bool is_cache(const struct sight *sight) {
    enum { CONVINCING = 3 };
    return sight->right &&
           ((!sight->wrong && sight->near <= 1) ||
            (sight->right >= CONVINCING && sight->right > sight->wrong + sight->near));
}

static enum loupe_status take_lists(struct glibc *glibc, const struct cache *cache) {
    enum loupe_status status = LOUPE_OK;
    for (unsigned i = 0; !status && i < cache->layout->lists; i++) {
        struct list list = list_of_cache(glibc, i);
        if (cache->ends[i])
            status = add_list(&list, cache->firsts[i]);
    }
    return status;
}

/* An empty one cannot be told from zeros, and there is nothing to be taken from it. */
static enum loupe_status take_cache(struct glibc *glibc, const struct glibc_cache *place) {
    for (unsigned i = 0; i < sizeof(cache_layouts) / sizeof(cache_layouts[0]); i++) {
        struct cache cache;
        if (!read_cache(glibc, place->address, &cache_layouts[i], &cache))
            return LOUPE_OK;
        struct sight sight = look_at(glibc, &cache);
        if (!is_cache(&sight))
            continue;
        if (sight.wrong || sight.near > 1)
            loupe_allocation_scan_damage(glibc->scan, place->allocator, place->address,
                                         "a thread's list of free chunks makes no sense");
        enum loupe_status status = loupe_allocation_scan_add_own(glibc->scan, place->address);
        return status ? status : take_lists(glibc, &cache);
    }
    return LOUPE_OK;
}

/* ---- Fast bins ---- */

static enum loupe_status take_fast_bins(struct glibc *glibc, const struct glibc_arena *arena) {
    enum loupe_status status = LOUPE_OK;
    /* Cap: all of an arena. */
    for (unsigned i = 0; !status && i < GLIBC_FAST_BINS; i++) {
        uint64_t size = LOUPE_GLIBC_SMALLEST + SIZE_STEP * (uint64_t)i;
        struct list list = {.glibc = glibc, .smallest = size, .largest = size};
        loupe_addr place = arena->lists + (loupe_addr)GLIBC_FAST_BIN_0 + 8 * i, first;
        uint32_t length;
        if (glibc_word(glibc, place, &first) &&
            length_of(&list, first, glibc->scan->taken.count, &length))
            status = add_list(&list, first);
        else
            loupe_allocation_scan_damage(glibc->scan, arena->allocator, place,
                                         "a list of free chunks does not end");
    }
    return status;
}

/* ---- Bins: their chunks count as free ---- */

static bool is_free(const struct glibc *glibc, loupe_addr address) {
    struct loupe_glibc_chunk chunk;
    uint64_t before, next;
    return loupe_glibc_chunk_read(glibc->memory, address, &chunk) &&
           glibc_word(glibc, address + chunk.size, &before) && before == chunk.size &&
           glibc_word(glibc, address + chunk.size + LOUPE_GLIBC_WORD, &next) &&
           !(next & LOUPE_GLIBC_FOLLOWS_USED);
}

/*
 * A chunk on a list whose headers say something else has a size that is not its own any more. The
 * links forward are right even while a thread is changing the list.
 */
static enum loupe_status check_bin(struct glibc *glibc, const struct glibc_arena *arena,
                                   loupe_addr list) {
    enum loupe_status status = LOUPE_OK;
    uint64_t chunk = list;
    while (!status) {
        if (!glibc->links_left || !glibc_word(glibc, chunk + LOUPE_GLIBC_HEADER, &chunk)) {
            loupe_allocation_scan_damage(glibc->scan, arena->allocator, list,
                                         "a list of free chunks does not end");
            break;
        }
        glibc->links_left--;
        if (chunk == list)
            break;
        if (is_free(glibc, chunk))
            continue;
        loupe_allocation_scan_damage(glibc->scan, arena->allocator, chunk,
                                     "a chunk on a list of free ones does not count as free");
        status = loupe_allocation_scan_add_freed(glibc->scan, chunk + LOUPE_GLIBC_HEADER);
    }
    return status;
}

static enum loupe_status check_bins(struct glibc *glibc, const struct glibc_arena *arena) {
    enum loupe_status status = LOUPE_OK;
    /* Cap: all of an arena. */
    for (unsigned i = 0; !status && i < GLIBC_LISTS; i++) {
        uint64_t first;
        loupe_addr list = arena->lists + (loupe_addr)i * GLIBC_LIST - LOUPE_GLIBC_HEADER;
        if (arena->top_size &&
            (!glibc_word(glibc, list + LOUPE_GLIBC_HEADER, &first) || first != list))
            status = check_bin(glibc, arena, list);
    }
    return status;
}

enum loupe_status glibc_walk_lists(struct glibc *glibc) {
    enum { LINKS_A_BLOCK = 64, LINKS_MORE = 1 << 20 };
    enum loupe_status status = LOUPE_OK;
    glibc->links_left = (uint64_t)glibc->scan->taken.count * LINKS_A_BLOCK + LINKS_MORE;
    for (uint32_t i = 0; !status && i < glibc->arenas.count; i++)
        if (glibc->release->has_fast_bins)
            status = take_fast_bins(glibc, glibc_arena(glibc, i));
    for (uint32_t i = 0; !status && i < glibc->caches.count; i++)
        status = take_cache(glibc, loupe_vector_at(&glibc->caches, i, sizeof(struct glibc_cache)));
    for (uint32_t i = 0; !status && i < glibc->arenas.count; i++)
        status = check_bins(glibc, glibc_arena(glibc, i));
    if (!status && !glibc->links_left)
        loupe_allocation_scan_damage(glibc->scan, glibc_arena(glibc, 0)->allocator, 0,
                                     "its lists of free chunks were not all followed");
    return status;
}
