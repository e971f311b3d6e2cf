/*
 * guarded.c - the zone that stands before another one: every 100th block is its own, between
 * pages that nobody may touch; of all others it knows nothing and hands the call on. The zone that
 * it wraps is not in the list of zones any more; its address follows the structure.
 */
#include "malloc.h"

enum { EVERY = 100, MOST_GUARDED = 64 };

struct guarded {
    struct zone *wrapped; /* behind the zone's structure, however long that is */
    uint32_t lock;
    unsigned until_next, count;
    struct range blocks[MOST_GUARDED];
};

static unsigned structure_words;

static struct guarded *guarded_of(struct zone *zone) {
    return (struct guarded *)((void **)zone + structure_words);
}

/* The block ends where the page does. */
static void *take(struct guarded *guarded, size_t size) {
    size_t page = host_box_page_size(), length = (size + 15) & ~(size_t)15;
    if (length > page || guarded->count == MOST_GUARDED)
        return NULL;
    char *pages = pages_take(3 * page, 1);
    if (!pages)
        return NULL;
    host_mach_vm_protect(host_box_task_self(), (uintptr_t)pages, page, 0, 0);
    host_mach_vm_protect(host_box_task_self(), (uintptr_t)pages + 2 * page, page, 0, 0);
    char *block = pages + 2 * page - length;
    guarded->blocks[guarded->count++] = (struct range){(uintptr_t)block, length};
    return block;
}

static struct range *find(struct guarded *guarded, const void *block) {
    for (unsigned i = 0; i < guarded->count; i++)
        if (guarded->blocks[i].address == (uintptr_t)block)
            return &guarded->blocks[i];
    return NULL;
}

static void *guarded_malloc(struct zone *zone, size_t size) {
    struct guarded *guarded = guarded_of(zone);
    host_os_unfair_lock_lock(&guarded->lock);
    void *block = guarded->until_next-- ? NULL : take(guarded, size ? size : 1);
    if (guarded->until_next > EVERY)
        guarded->until_next = EVERY;
    host_os_unfair_lock_unlock(&guarded->lock);
    return block ? block : guarded->wrapped->malloc(guarded->wrapped, size);
}

static void *guarded_calloc(struct zone *zone, size_t count, size_t size) {
    size_t whole;
    if (__builtin_mul_overflow(count, size, &whole))
        return NULL;
    void *block = guarded_malloc(zone, whole);
    return block ? host_memset(block, 0, whole) : NULL;
}

static size_t guarded_size(struct zone *zone, const void *block) {
    struct guarded *guarded = guarded_of(zone);
    const struct range *own = find(guarded, block);
    return own ? own->size : guarded->wrapped->size(guarded->wrapped, block);
}

static void guarded_free(struct zone *zone, void *block) {
    struct guarded *guarded = guarded_of(zone);
    host_os_unfair_lock_lock(&guarded->lock);
    struct range *own = find(guarded, block);
    if (own) {
        size_t page = host_box_page_size();
        uintptr_t middle = own->address & ~(page - 1);
        *own = guarded->blocks[--guarded->count];
        host_mach_vm_deallocate(host_box_task_self(), middle - page, 3 * page);
    }
    host_os_unfair_lock_unlock(&guarded->lock);
    if (!own)
        guarded->wrapped->free(guarded->wrapped, block);
}

static void *guarded_realloc(struct zone *zone, void *block, size_t size) {
    struct guarded *guarded = guarded_of(zone);
    const struct range *own = find(guarded, block);
    if (!own)
        return guarded->wrapped->realloc(guarded->wrapped, block, size);
    void *other = guarded->wrapped->malloc(guarded->wrapped, size);
    if (other) {
        host_memcpy(other, block, own->size < size ? own->size : size);
        guarded_free(zone, block);
    }
    return other;
}

static void *guarded_memalign(struct zone *zone, size_t alignment, size_t size) {
    struct zone *wrapped = guarded_of(zone)->wrapped;
    return wrapped->memalign(wrapped, alignment, size);
}

static void *guarded_valloc(struct zone *zone, size_t size) {
    return guarded_memalign(zone, host_box_page_size(), size);
}

/* Of its own blocks alone. */
static int guarded_enumerate(uint32_t task, void *context, unsigned types, uintptr_t zone,
                             reader *read, recorder *record) {
    void *local;
    int failed =
        read(task, (uintptr_t)guarded_of((struct zone *)zone), sizeof(struct guarded), &local);
    struct guarded *guarded = local;
    if (!failed && types & RANGE_IN_USE && guarded->count)
        record(task, context, RANGE_IN_USE, guarded->blocks, guarded->count);
    return failed;
}

/* Around a fork(), with the zone that only it knows. */
static void force_lock(struct zone *zone) {
    struct guarded *guarded = guarded_of(zone);
    host_os_unfair_lock_lock(&guarded->lock);
    guarded->wrapped->introspect->force_lock(guarded->wrapped);
}

static void force_unlock(struct zone *zone) {
    struct guarded *guarded = guarded_of(zone);
    guarded->wrapped->introspect->force_unlock(guarded->wrapped);
    host_os_unfair_lock_unlock(&guarded->lock);
}

static void reinit_lock(struct zone *zone) {
    struct guarded *guarded = guarded_of(zone);
    guarded->wrapped->introspect->reinit_lock(guarded->wrapped);
    guarded->lock = 0;
}

static struct introspection introspection = {.enumerator = guarded_enumerate,
                                             .force_lock = force_lock,
                                             .force_unlock = force_unlock,
                                             .reinit_lock = reinit_lock,
                                             .zone_type = ZONE_TYPE_GUARDED};

struct zone *guarded_zone(struct zone *wrapped, unsigned version, unsigned words) {
    struct zone *zone = pages_take(4096, 1);
    struct zone all = {.size = guarded_size,
                       .malloc = guarded_malloc,
                       .calloc = guarded_calloc,
                       .valloc = guarded_valloc,
                       .free = guarded_free,
                       .realloc = guarded_realloc,
                       .name = "ProbGuardMallocZone",
                       .introspect = &introspection,
                       .version = version,
                       .memalign = guarded_memalign};
    if (!zone)
        host_box_stop("no memory for a zone", NULL);
    structure_words = words;
    host_memcpy(zone, &all, words * sizeof(void *));
    *guarded_of(zone) = (struct guarded){.wrapped = wrapped, .until_next = EVERY / 2};
    return zone;
}
