#include "memory/zones.h"

#include <mach/mach.h>
#include <malloc/malloc.h>

enum {
    MAX_ZONES = 1 << 12,
    MAX_NAME = 128,
    FIRST_WITH_TYPE = 14,
    TYPE_GUARDED = 2, /* these have another zone behind them, for most of their blocks */
    TYPE_SANITIZER = 3
};

/* ---- Memory that can be read ---- */

/* Enumerators hand their reader no context. The helper answers one question at a time. */
static struct loupe_regions *readable;

static bool is_readable(vm_address_t address, uint64_t size) {
    loupe_addr at = address;
    while (size) {
        struct loupe_window window;
        if (!loupe_regions_window(readable, at, &window))
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
    while (text && length + 1 < MAX_NAME && is_readable(text + length, 1) &&
           zone->zone_name[length]) {
        name[length] = zone->zone_name[length];
        length++;
    }
    name[length] = '\0';
}

/*
 * Other people's zones have enumerators that fail, or that succeed and tell nothing. Zones of the
 * system may be empty; but never the first one, which malloc() takes from.
 */
static void ask_zone(struct asking *asking, const malloc_zone_t *zone, bool is_first) {
    char name[MAX_NAME];
    copy_name(zone, name);
    asking->zone = (struct loupe_process_zone){.name = *name ? name : "a zone without a name",
                                               .address = (vm_address_t)zone};
    asking->is_visited = false;
    bool can_ask = is_readable((vm_address_t)zone->introspect, sizeof(*zone->introspect)) &&
                   zone->introspect->enumerator;
    bool answered = can_ask && !zone->introspect->enumerator(
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

/* One that wraps another keeps its address behind its own functions. */
static const malloc_zone_t *wrapped_by(const malloc_zone_t *zone) {
    const struct typed_introspection *introspect = (const void *)zone->introspect;
    bool has_type = zone->version >= FIRST_WITH_TYPE &&
                    is_readable((vm_address_t)introspect, sizeof(*introspect));
    unsigned type = has_type ? introspect->zone_type : 0;
    const malloc_zone_t *const *wrapped = (const void *)(zone + 1);
    bool wraps = (type == TYPE_GUARDED || type == TYPE_SANITIZER) &&
                 is_readable((vm_address_t)wrapped, sizeof(*wrapped));
    return wraps && is_readable((vm_address_t)*wrapped, sizeof(**wrapped)) ? *wrapped : NULL;
}

static void ask_all(struct asking *asking, const vm_address_t *zones, unsigned count) {
    for (unsigned i = 0; i < count && !asking->status; i++) {
        if (is_listed(zones, i, zones[i]) || !is_readable(zones[i], sizeof(malloc_zone_t)))
            continue;
        const malloc_zone_t *zone = (const malloc_zone_t *)zones[i], *wrapped = wrapped_by(zone);
        ask_zone(asking, zone, i == 0 && !wrapped);
        if (wrapped && !asking->status && !is_listed(zones, count, (vm_address_t)wrapped))
            ask_zone(asking, wrapped, i == 0);
    }
}

enum loupe_status loupe_zones_visit(struct loupe_regions *regions, loupe_zone_visit visit,
                                    loupe_block_visit visit_block, void *visitor) {
    struct asking asking = {.visit = visit, .visit_block = visit_block, .visitor = visitor};
    vm_address_t *zones = NULL;
    unsigned count = 0;
    readable = regions;
    if (regions->may_change || malloc_get_all_zones(mach_task_self(), NULL, &zones, &count) ||
        count > MAX_ZONES || !is_readable((vm_address_t)zones, count * sizeof(*zones)))
        return LOUPE_EFAULT;
    ask_all(&asking, zones, count);
    return asking.status ? asking.status : asking.broke_off ? LOUPE_EFAULT : LOUPE_OK;
}
