/*
 * Huge blocks of an xzone zone that were given back: their segments are in no table any more, and
 * are kept with all that they had, in a list of their group, until the system takes them away. It
 * does that by itself, from a ring that it shares with the process (libmalloc-792.41.1:
 * _xzm_segment_group_free_huge_chunk_to_cache(); xnu: vm_reclaim_private.h).
 */
#include "heap/allocators/zones.h"

#include "runtime/zones/xzone.h"

/* ---- What the system has of one ---- */

/* Where things are in a ring, which does not tell its release. */
static const struct ring_form {
    unsigned head, busy, tail, entries;
} forms[] = {{88, 96, 104, 128}, {80, 88, 96, 112}, {24, 40, 32, 48}};

enum { RING_LENGTH = 16, MOST_LENGTH = 1 << 23 };

/* A segment that was given back, with its number in the ring. */
struct kept {
    loupe_addr segment, body;
    uint64_t bytes, id;
};

enum state { STILL_THERE, TAKEN_AWAY, NOT_TOLD };

/* Numbers below `busy` are taken away, or just being so. */
static enum state state_in(const struct loupe_zone *zone, loupe_addr ring,
                           const struct ring_form *form, const struct kept *kept) {
    enum { ENTRY = 16, TAKE_AWAY = 2 };
    uint64_t head, busy, tail, address;
    uint32_t length, most, bytes, behaviour;
    if (!zone_half(zone, ring + RING_LENGTH, &length) ||
        !zone_half(zone, ring + RING_LENGTH + 4, &most) || !length || length > most ||
        most > MOST_LENGTH || !zone_word(zone, ring + form->head, &head) ||
        !zone_word(zone, ring + form->busy, &busy) || !zone_word(zone, ring + form->tail, &tail) ||
        head > busy || busy > tail || tail - head > length || kept->id >= tail)
        return NOT_TOLD;
    if (kept->id < busy)
        return TAKEN_AWAY;
    loupe_addr entry = ring + form->entries + kept->id % length * ENTRY;
    bool is_it = zone_word(zone, entry, &address) && zone_half(zone, entry + 8, &bytes) &&
                 zone_half(zone, entry + 12, &behaviour) && address == kept->body &&
                 bytes == kept->bytes && (behaviour & 0xff) == TAKE_AWAY;
    return is_it ? STILL_THERE : NOT_TOLD;
}

static enum state state_of(const struct loupe_zone *zone, const struct kept *kept) {
    uint64_t buffer, ring;
    enum state state = NOT_TOLD;
    if (!zone_word(zone, zone->address + LOUPE_XZONE_RECLAIM, &buffer) || !buffer ||
        !zone_word(zone, buffer, &ring) || !ring)
        return NOT_TOLD;
    for (unsigned i = 0; state == NOT_TOLD && i < sizeof(forms) / sizeof(forms[0]); i++)
        state = state_in(zone, ring, &forms[i], kept);
    return state;
}

/* ---- The list of a group ---- */

static bool read_kept(const struct loupe_zone *zone, loupe_addr group, loupe_addr segment,
                      struct kept *ret) {
    uint64_t own_group;
    uint32_t slices, kind;
    *ret = (struct kept){.segment = segment};
    if (!zone_word(zone, segment, &own_group) || own_group != group ||
        !zone_half(zone, segment + LOUPE_SEGMENT_ALL_SLICES, &slices) || !slices ||
        !zone_half(zone, segment + LOUPE_SEGMENT_KIND, &kind) ||
        (kind & 0xff) != LOUPE_SEGMENT_IS_HUGE ||
        !zone_word(zone, segment + LOUPE_SEGMENT_BODY, &ret->body) || !ret->body ||
        ret->body % LOUPE_SLICE_SIZE || !zone_word(zone, segment + LOUPE_SEGMENT_RECLAIM, &ret->id))
        return false;
    ret->bytes = (uint64_t)slices * LOUPE_SLICE_SIZE;
    return ret->bytes <= UINT32_MAX && ret->bytes <= UINT64_MAX - ret->body;
}

/* What the system has taken away may be somebody else's memory by now. */
static enum loupe_status take_one(const struct loupe_zone *zone, const struct kept *kept) {
    enum state state = state_of(zone, kept);
    if (state == TAKEN_AWAY)
        return LOUPE_OK;
    if (state == NOT_TOLD)
        zone_damage(zone, kept->segment,
                    "it keeps huge allocations that were freed, and the system may have taken "
                    "their memory: what is there now is not known");
    else
        zone_add_free(zone, 1, kept->bytes);
    return zone_explain(zone, kept->body, kept->bytes);
}

static enum loupe_status take_group(const struct loupe_zone *zone, loupe_addr group) {
    uint32_t counts;
    uint64_t segment, main;
    enum loupe_status status = LOUPE_OK;
    bool is_right = zone_half(zone, group + LOUPE_GROUP_KEPT_COUNTS, &counts);
    uint32_t count = is_right ? counts >> 16 : 0;
    if (is_right && !count)
        return LOUPE_OK;
    is_right = is_right && count <= (counts & 0xffff) &&
               zone_word(zone, group + LOUPE_GROUP_MAIN, &main) && main == zone->address &&
               zone_word(zone, group + LOUPE_GROUP_KEPT, &segment);
    for (uint32_t i = 0; !status && is_right && i < count; i++) {
        struct kept kept;
        is_right = read_kept(zone, group, segment, &kept) &&
                   zone_word(zone, segment + LOUPE_SEGMENT_NEXT_KEPT, &segment);
        if (is_right)
            status = take_one(zone, &kept);
        if (loupe_memory_ends_at(zone->memory, i))
            return LOUPE_ETIMEOUT;
    }
    if (!status && (!is_right || segment))
        zone_damage(zone, group + LOUPE_GROUP_KEPT,
                    "its list of freed huge allocations makes no sense");
    return status;
}

enum loupe_status loupe_xzone_take_kept(const struct loupe_zone *zone) {
    uint64_t groups;
    uint32_t counts;
    enum loupe_status status = LOUPE_OK;
    if (!zone_word(zone, zone->address + LOUPE_XZONE_GROUPS, &groups) ||
        !zone_half(zone, zone->address + LOUPE_XZONE_GROUP_COUNT, &counts)) {
        zone_damage(zone, zone->address + LOUPE_XZONE_GROUPS,
                    "its list of freed huge allocations makes no sense");
        return LOUPE_OK;
    }
    for (uint32_t i = 0, count = groups ? counts >> 8 & 0xff : 0; !status && i < count; i++)
        status = take_group(zone, groups + (loupe_addr)i * LOUPE_GROUP_SIZE);
    return status;
}
