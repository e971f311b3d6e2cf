/*
 * malloc.c - what programs call of libmalloc: the zones by name, and the first of them without one.
 */
#include "malloc.h"

enum {
    MOST_ZONES = 64,
    LOG_ALLOCATES = 2,
    LOG_FREES = 4,
    LOG_HAS_ZONE = 8,
    LOG_CLEARED = 64,
    NO_MEMORY = 12,
    INVALID = 22
};

typedef void logger(uint32_t type, uintptr_t zone, uintptr_t second, uintptr_t third,
                    uintptr_t result, uint32_t skipped_frames);

logger *malloc_logger;

/* For debuggers, too. */
unsigned malloc_num_zones;
struct zone **malloc_zones;
static struct zone *listed[MOST_ZONES];

static unsigned version = 16, words = ZONE_WORDS_646;

static void log_call(uint32_t type, struct zone *zone, uintptr_t second, uintptr_t third,
                     const void *result) {
    logger *log = malloc_logger;
    if (log)
        log(type | LOG_HAS_ZONE, (uintptr_t)zone, second, third, (uintptr_t)result, 0);
}

/* ---- Zones ---- */

static void choose_release(void) {
    const char *release = host_getenv("BOX_LIBMALLOC");
    if (release && host_strcmp(release, "474") == 0) {
        version = 14;
        words = ZONE_WORDS_474;
    } else if (release && host_strcmp(release, "521") == 0) {
        version = 15;
        words = ZONE_WORDS_521;
    }
}

static void add_zone(struct zone *zone) {
    if (malloc_num_zones == MOST_ZONES)
        host_box_stop("too many zones", zone);
    malloc_zones[malloc_num_zones++] = zone;
}

/* The nano zone; NULL: there is none. */
static struct zone *small;

static void each_zone(void (*call)(struct zone *zone)) {
    for (unsigned i = 0; i < malloc_num_zones; i++)
        call(malloc_zones[i]);
}

static void lock(struct zone *zone) {
    zone->introspect->force_lock(zone);
}

static void unlock(struct zone *zone) {
    zone->introspect->force_unlock(zone);
}

static void reinit(struct zone *zone) {
    zone->introspect->reinit_lock(zone);
}

static void before_fork(void) {
    each_zone(lock);
}

static void after_fork(void) {
    each_zone(unlock);
}

static void in_copy(void) {
    each_zone(reinit);
    if (small)
        nano_zone_forked(small);
}

/* The name of the first zone is always the same. A guarding zone takes the place of the one that it
 * wraps; the one behind a nano zone keeps its own. */
__attribute__((constructor)) static void begin(void) {
    static const char name[] = "DefaultMallocZone";
    const char *nano = host_getenv("BOX_NANO");
    bool has_nano = !nano || host_strcmp(nano, "0") != 0;
    if (malloc_num_zones)
        return;
    choose_release();
    malloc_zones = listed;
    struct zone *most = blocks_zone(has_nano ? "MallocHelperZone" : name, version, words);
    small = has_nano ? nano_zone(most, name, version, words) : NULL;
    struct zone *first = small ? small : most;
    add_zone(host_getenv("BOX_MALLOC_GUARD") ? guarded_zone(first, version, words) : first);
    if (small)
        add_zone(most);
    host_pthread_atfork(before_fork, after_fork, in_copy);
}

struct zone *malloc_default_zone(void) {
    if (!malloc_num_zones)
        begin();
    return malloc_zones[0];
}

struct zone *malloc_create_zone(size_t start_size, unsigned flags) {
    (void)start_size;
    (void)flags;
    struct zone *zone = blocks_zone(NULL, version, words);
    add_zone(zone);
    return zone;
}

void malloc_set_zone_name(struct zone *zone, const char *name) {
    zone->name = name;
}

int malloc_get_all_zones(uint32_t task, reader *read, uintptr_t **zones, unsigned *count) {
    (void)task;
    (void)read; /* of this process: nothing needs to be copied */
    *zones = (uintptr_t *)malloc_zones;
    *count = malloc_num_zones;
    return 0;
}

struct zone *malloc_zone_from_ptr(const void *block) {
    for (unsigned i = 0; i < malloc_num_zones; i++)
        if (malloc_zones[i]->size(malloc_zones[i], block))
            return malloc_zones[i];
    return NULL;
}

size_t malloc_size(const void *block) {
    struct zone *zone = block ? malloc_zone_from_ptr(block) : NULL;
    return zone ? zone->size(zone, block) : 0;
}

/* ---- By zone ---- */

void *malloc_zone_malloc(struct zone *zone, size_t size) {
    void *block = zone->malloc(zone, size);
    log_call(LOG_ALLOCATES, zone, size, 0, block);
    return block;
}

void *malloc_zone_calloc(struct zone *zone, size_t count, size_t size) {
    void *block = zone->calloc(zone, count, size);
    log_call(LOG_ALLOCATES | LOG_CLEARED, zone, count * size, 0, block);
    return block;
}

void *malloc_zone_valloc(struct zone *zone, size_t size) {
    void *block = zone->valloc(zone, size);
    log_call(LOG_ALLOCATES, zone, size, 0, block);
    return block;
}

void *malloc_zone_realloc(struct zone *zone, void *block, size_t size) {
    void *other = zone->realloc(zone, block, size);
    log_call(LOG_ALLOCATES | LOG_FREES, zone, (uintptr_t)block, size, other);
    return other;
}

void *malloc_zone_memalign(struct zone *zone, size_t alignment, size_t size) {
    void *block = zone->memalign(zone, alignment, size);
    log_call(LOG_ALLOCATES, zone, size, 0, block);
    return block;
}

/* Told before it is done: afterwards the place may be somebody else's. */
void malloc_zone_free(struct zone *zone, void *block) {
    log_call(LOG_FREES, zone, (uintptr_t)block, 0, NULL);
    zone->free(zone, block);
}

/* ---- Without a zone ---- */

int *host___error(void);

static void *or_error(void *block) {
    if (!block)
        *host___error() = NO_MEMORY;
    return block;
}

void *malloc(size_t size) {
    return or_error(malloc_zone_malloc(malloc_default_zone(), size));
}

void *calloc(size_t count, size_t size) {
    return or_error(malloc_zone_calloc(malloc_default_zone(), count, size));
}

void *valloc(size_t size) {
    return or_error(malloc_zone_valloc(malloc_default_zone(), size));
}

static struct zone *zone_of(const void *block) {
    struct zone *zone = malloc_zone_from_ptr(block);
    if (!zone)
        host_box_stop("pointer being freed was not allocated", block);
    return zone;
}

void *realloc(void *block, size_t size) {
    return or_error(
        malloc_zone_realloc(block ? zone_of(block) : malloc_default_zone(), block, size));
}

void free(void *block) {
    if (block)
        malloc_zone_free(zone_of(block), block);
}

int posix_memalign(void **ret, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || alignment & (alignment - 1))
        return INVALID;
    void *block = malloc_zone_memalign(malloc_default_zone(), alignment, size);
    if (!block)
        return NO_MEMORY;
    *ret = block;
    return 0;
}

void *aligned_alloc(size_t alignment, size_t size) {
    void *block = NULL;
    posix_memalign(&block, alignment < sizeof(void *) ? sizeof(void *) : alignment, size);
    return or_error(block);
}
