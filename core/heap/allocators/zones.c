/* Which zones there are, and which kind each is of. A host that knows better is asked instead. */
#include "heap/allocators/zones.h"

#include "base/text.h"

enum { MAX_NAME = 128 };

static const struct loupe_zone_kind *const kinds[] = {&loupe_zone_xzone, &loupe_zone_nano,
                                                      &loupe_zone_scalable};

/* ---- One zone ---- */

static const char *named(struct loupe_target *target, const char *name, const char *kind) {
    char text[MAX_NAME + 64];
    loupe_format(text, sizeof(text), "%s (%s)", name, kind);
    const char *copy = loupe_arena_copy_string(&target->arena, loupe_span_of(text));
    return copy ? copy : kind;
}

static void read_zone(struct loupe_zone *zone, loupe_addr address) {
    struct loupe_target *target = zone->scan->target;
    uint64_t name;
    zone->address = address;
    zone->name = "a zone without a name";
    zone->type = loupe_zone_type(zone->memory, address);
    if (zone_word(zone, address + LOUPE_ZONE_NAME, &name))
        (void)loupe_target_string(target, loupe_memory_strip(zone->memory, name), MAX_NAME,
                                  &zone->name);
}

static enum loupe_status take_unknown(struct loupe_zone *zone) {
    struct loupe_allocation_scan *scan = zone->scan;
    struct loupe_allocator allocator = {
        .name = named(scan->target, zone->name, "a zone of unknown layout"),
        .address = zone->address,
        .guessed = true,
        .doubt = LOUPE_GUESSED_DOUBT};
    scan->has_unread = true;
    return loupe_allocation_scan_allocator(scan, allocator, &scan->unread);
}

static enum loupe_status take_zone(struct loupe_zone *zone) {
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct loupe_allocator allocator = {.address = zone->address};
        if (!kinds[i]->is_of(zone))
            continue;
        allocator.name = named(zone->scan->target, zone->name, kinds[i]->name);
        enum loupe_status status =
            loupe_allocation_scan_allocator(zone->scan, allocator, &zone->allocator);
        return status ? status : kinds[i]->take(zone);
    }
    return take_unknown(zone);
}

/* ---- All zones, by the symbols that libmalloc has for tools ---- */

static bool is_taken(const struct loupe_allocation_scan *scan, loupe_addr zone) {
    for (uint32_t i = 0; i < scan->blocks->allocators.count; i++)
        if (loupe_allocation_scan_at(scan, i)->address == zone)
            return true;
    return false;
}

/* One that wraps another keeps its address behind its own functions. */
static enum loupe_status take_wrapped(struct loupe_zone *zone) {
    loupe_addr wrapped = loupe_zone_wrapped(zone->memory, zone->address, zone->type);
    if (!wrapped || is_taken(zone->scan, wrapped))
        return LOUPE_OK;
    read_zone(zone, wrapped);
    return take_zone(zone);
}

static enum loupe_status take_at(struct loupe_allocation_scan *scan, loupe_addr address) {
    struct loupe_zone zone = {.scan = scan, .memory = scan->target->memory};
    if (!address || is_taken(scan, address))
        return LOUPE_OK;
    read_zone(&zone, address);
    enum loupe_status status = take_zone(&zone);
    return status ? status : take_wrapped(&zone);
}

static enum loupe_status take_listed(struct loupe_allocation_scan *scan, loupe_addr list,
                                     uint32_t count) {
    enum loupe_status status = LOUPE_OK;
    if (count > LOUPE_MAX_ZONES) {
        struct loupe_zone none = {.scan = scan, .name = "a list of zones that does not end"};
        return take_unknown(&none);
    }
    for (uint32_t i = 0; !status && i < count; i++) {
        uint64_t zone;
        if (!loupe_memory_read_word(scan->target->memory, list + (loupe_addr)i * 8, &zone))
            status = take_at(scan, zone);
    }
    return status;
}

/* ---- By a host that asks the zones themselves ---- */

struct zone_visit {
    struct loupe_allocation_scan *scan;
    uint32_t allocator; /* the last zone */
    bool any;
};

static enum loupe_status see_zone(void *visitor, const struct loupe_process_zone *zone) {
    struct zone_visit *visit = visitor;
    struct loupe_allocation_scan *scan = visit->scan;
    struct loupe_allocator allocator = {.name = named(scan->target, zone->name, "zone"),
                                        .address = zone->address,
                                        .guessed = !zone->told};
    visit->any = true;
    if (zone->unasked)
        return take_at(scan, zone->address);
    if (zone->told)
        return loupe_allocation_scan_allocator(scan, allocator, &visit->allocator);
    allocator.doubt = "it does not list its allocations: only objects are found, and freed ones "
                      "may be among them";
    scan->has_unread = true;
    enum loupe_status status = loupe_allocation_scan_allocator(scan, allocator, &scan->unread);
    visit->allocator = scan->unread;
    return status;
}

static enum loupe_status see_block(void *visitor, loupe_addr start, uint64_t size) {
    struct zone_visit *visit = visitor;
    enum loupe_status status =
        loupe_allocation_scan_add(visit->scan, start, size, visit->allocator);
    return status ? status : loupe_ranges_add(&visit->scan->explained, start, start + size);
}

static bool are_all_known(const struct loupe_allocation_scan *scan) {
    for (uint32_t i = 0; i < scan->blocks->allocators.count; i++) {
        const struct loupe_allocator *allocator = loupe_allocation_scan_at(scan, i);
        if (allocator->guessed || allocator->damaged)
            return false;
    }
    return true;
}

/*
 * Where all zones have listed all that is in use, the rest of their memory is free: blocks that
 * were given back, with all that they had, whether a zone counts them or keeps them aside.
 */
static enum loupe_status explain_rest(struct loupe_allocation_scan *scan) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && are_all_known(scan) && i < scan->scene->regions.count; i++) {
        const struct loupe_process_region *region =
            loupe_vector_at(&scan->scene->regions, i, sizeof(*region));
        if (region->is_of_allocator)
            status = loupe_ranges_add(&scan->explained, region->start, region->end);
    }
    return status;
}

/* LOUPE_EFAULT: nobody was asked. */
static enum loupe_status ask_zones(struct loupe_allocation_scan *scan) {
    struct loupe_memory *memory = scan->target->memory;
    const struct loupe_process_ops *process = memory->ops->process;
    struct zone_visit visit = {.scan = scan};
    if (!process || !process->zones)
        return LOUPE_EFAULT;
    enum loupe_status status = process->zones(memory->ctx, see_zone, see_block, &visit);
    if (!status && visit.any)
        return explain_rest(scan);
    if (status != LOUPE_EFAULT || !visit.any)
        return status;
    loupe_allocation_scan_damage(
        scan, visit.allocator, loupe_allocation_scan_at(scan, visit.allocator)->address,
        "this zone or one before it broke off when it was asked: allocations are missing");
    return LOUPE_OK;
}

enum loupe_status loupe_take_zones(struct loupe_allocation_scan *scan) {
    loupe_addr zones;
    uint32_t count;
    enum loupe_status status = ask_zones(scan);
    if (status != LOUPE_EFAULT || !loupe_zone_list(scan->target->memory, &zones, &count))
        return status == LOUPE_EFAULT ? LOUPE_OK : status;
    return take_listed(scan, zones, count);
}
