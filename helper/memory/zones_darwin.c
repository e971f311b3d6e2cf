/*
 * Of a zone only its start is used as the SDK's header declares it, which is the same in all
 * versions; sizes that differ are told by zone->version, not by the header this is compiled with.
 */
#include "memory/zones.h"

#include "base/text.h"
#include "memory/machine.h"

#include <mach/mach.h>
#include <malloc/malloc.h>
#include <stddef.h>
#include <string.h>

enum {
    MAX_ZONES = 1 << 12,
    MAX_NAME = 128,
    START_OF_ZONE = offsetof(malloc_zone_t, version) + sizeof(unsigned),
    FIRST_WITH_TYPE = 14,
    TYPE_GUARDED = 2, /* these have another zone behind them, for most of their blocks */
    TYPE_SANITIZER = 3
};

/* ---- Memory that can be read ---- */

/* Enumerators hand their reader no context. The helper answers one question at a time. */
static const struct loupe_zone_host *asking_host;

static bool is_readable(vm_address_t address, uint64_t size) {
    loupe_addr at = address;
    while (size) {
        struct loupe_window window;
        if (!loupe_regions_window(asking_host->regions, at, &window))
            return false;
        uint64_t there = window.end - at;
        size -= there < size ? there : size;
        at += there;
    }
    return true;
}

static kern_return_t read_in_place(task_t task, vm_address_t address, vm_size_t size,
                                   void **local) {
    (void)task;
    if (!is_readable(address, size))
        return 1;
    *local = (void *)address;
    return KERN_SUCCESS;
}

/* ---- One zone ---- */

struct asking {
    loupe_zone_visit visit;
    loupe_block_visit visit_block;
    void *visitor;
    enum loupe_status status;
    struct loupe_process_zone zone;
    bool has_nano;   /* one of the zones is libmalloc's for small blocks */
    bool is_visited; /* the zone itself */
    bool broke_off;  /* some zone did */
};

static void visit_zone(struct asking *asking, bool told) {
    asking->zone.told = told;
    asking->is_visited = true;
    if (!asking->status)
        asking->status = asking->visit(asking->visitor, &asking->zone);
}

static void take_ranges(task_t task, void *context, unsigned type, vm_range_t *ranges,
                        unsigned count) {
    struct asking *asking = context;
    (void)task;
    for (unsigned i = 0; type & MALLOC_PTR_IN_USE_RANGE_TYPE && i < count; i++) {
        if (!ranges[i].address || ranges[i].size > UINTPTR_MAX - ranges[i].address)
            continue;
        if (!asking->is_visited)
            visit_zone(asking, true);
        if (!asking->status)
            asking->status =
                asking->visit_block(asking->visitor, ranges[i].address, ranges[i].size);
    }
}

static void copy_name(const malloc_zone_t *zone, char name[MAX_NAME]) {
    const vm_address_t text = (vm_address_t)zone->zone_name;
    size_t length = 0;
    /* Cap: a name is cut, as one that the core reads. */
    while (text && length + 1 < MAX_NAME && is_readable(text + length, 1) &&
           zone->zone_name[length]) {
        name[length] = zone->zone_name[length];
        length++;
    }
    name[length] = '\0';
}

static loupe_addr without_signature(loupe_addr code) {
#if defined(__aarch64__)
    return loupe_own_strip(NULL, code);
#else
    return code;
#endif
}

/* What is no zone in truth has no code of a library there, which is about to be called. */
static bool can_ask(const malloc_zone_t *zone) {
    vm_address_t introspect = (vm_address_t)zone->introspect;
    return is_readable(introspect, sizeof(zone->introspect->enumerator)) &&
           zone->introspect->enumerator &&
           asking_host->is_in_image(asking_host->ctx,
                                    without_signature((uintptr_t)zone->introspect->enumerator));
}

static bool is_named(const malloc_zone_t *zone, const char *wanted) {
    char name[MAX_NAME];
    copy_name(zone, name);
    return strcmp(name, wanted) == 0;
}

/*
 * Other people's zones have enumerators that fail, or that succeed and tell nothing. Zones of the
 * system may be empty; but never the first one, which malloc() takes from. And that for small
 * blocks takes memory of the zone behind it while it tells: of a thread that waits in that one the
 * lock would never come free, and what is taken then stands in no list of regions.
 */
static void ask_zone(struct asking *asking, const malloc_zone_t *zone, bool is_first) {
    char name[MAX_NAME];
    copy_name(zone, name);
    asking->zone = (struct loupe_process_zone){.name = *name ? name : "a zone without a name",
                                               .address = (vm_address_t)zone};
    asking->is_visited = false;
    if (asking->has_nano && strcmp(name, "DefaultMallocZone") == 0) {
        asking->zone.unasked = true;
        visit_zone(asking, false);
        return;
    }
    bool answered = can_ask(zone) && !zone->introspect->enumerator(
                                         mach_task_self(), asking, MALLOC_PTR_IN_USE_RANGE_TYPE,
                                         (vm_address_t)zone, read_in_place, take_ranges);
    asking->broke_off |= asking->is_visited && !answered;
    if (!asking->is_visited)
        visit_zone(asking, answered && !is_first);
}

/* ---- All zones ---- */

static bool is_listed(const vm_address_t *zones, unsigned count, vm_address_t zone) {
    for (unsigned i = 0; i < count; i++)
        if (zones[i] == zone)
            return true;
    return false;
}

/* What zones of version 14 have for tools. Headers before those of macOS 14 have no type. */
struct typed_introspection {
    void (*functions[16])(void);
    unsigned zone_type;
};

static bool wraps_another(const malloc_zone_t *zone) {
    const struct typed_introspection *introspect = (const void *)zone->introspect;
    if (zone->version < FIRST_WITH_TYPE ||
        !is_readable((vm_address_t)introspect, sizeof(*introspect)))
        return false;
    return introspect->zone_type == TYPE_GUARDED || introspect->zone_type == TYPE_SANITIZER;
}

/* So many words zones have of each version since the first with a type: those of macOS 14, 14.4 and
 * 15. 0: it is not known. */
static unsigned words_of(const malloc_zone_t *zone) {
    static const uint8_t words[] = {19, 20, 25};
    unsigned number = zone->version - FIRST_WITH_TYPE;
    return number < sizeof(words) ? words[number] : 0;
}

/* One that wraps another keeps its address behind its own functions. NULL: it cannot be told. */
static const malloc_zone_t *wrapped_by(const malloc_zone_t *zone) {
    unsigned words = words_of(zone);
    const malloc_zone_t *const *wrapped =
        (const malloc_zone_t *const *)(vm_address_t)((vm_address_t)zone + words * sizeof(void *));
    return words && is_readable((vm_address_t)wrapped, sizeof(*wrapped)) &&
                   is_readable((vm_address_t)*wrapped, START_OF_ZONE)
               ? *wrapped
               : NULL;
}

/* Most of the blocks are in the zone behind it. */
static void ask_wrapped(struct asking *asking, const malloc_zone_t *wrapper, bool is_first,
                        const vm_address_t *zones, unsigned count) {
    const malloc_zone_t *wrapped = wrapped_by(wrapper);
    char name[MAX_NAME], text[MAX_NAME];
    if (wrapped && is_listed(zones, count, (vm_address_t)wrapped))
        return;
    if (wrapped) {
        ask_zone(asking, wrapped, is_first);
        return;
    }
    copy_name(wrapper, name);
    loupe_format(text, sizeof(text), "the zone after %s", name);
    asking->zone = (struct loupe_process_zone){.name = text, .address = (vm_address_t)wrapper};
    visit_zone(asking, false);
}

/* The zone behind has this name only where there is one for small blocks before it. */
static bool has_nano(const vm_address_t *zones, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (is_readable(zones[i], START_OF_ZONE) &&
            is_named((const malloc_zone_t *)zones[i], "MallocHelperZone"))
            return true;
    return false;
}

static void ask_all(struct asking *asking, const vm_address_t *zones, unsigned count) {
    asking->has_nano = has_nano(zones, count);
    for (unsigned i = 0; i < count && !asking->status; i++) {
        if (is_listed(zones, i, zones[i]) || !is_readable(zones[i], START_OF_ZONE))
            continue;
        const malloc_zone_t *zone = (const malloc_zone_t *)zones[i];
        bool wraps = wraps_another(zone);
        ask_zone(asking, zone, i == 0 && !wraps);
        if (wraps && !asking->status)
            ask_wrapped(asking, zone, i == 0, zones, count);
    }
}

enum loupe_status loupe_zones_visit(const struct loupe_zone_host *host, loupe_zone_visit visit,
                                    loupe_block_visit visit_block, void *visitor) {
    struct asking asking = {.visit = visit, .visit_block = visit_block, .visitor = visitor};
    vm_address_t *zones = NULL;
    unsigned count = 0;
    asking_host = host;
    if (host->regions->may_change || malloc_get_all_zones(mach_task_self(), NULL, &zones, &count) ||
        count > MAX_ZONES || !is_readable((vm_address_t)zones, count * sizeof(*zones)))
        return LOUPE_EFAULT;
    ask_all(&asking, zones, count);
    return asking.status ? asking.status : asking.broke_off ? LOUPE_EFAULT : LOUPE_OK;
}
