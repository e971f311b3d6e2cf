/*
 * region.c - the walk over regions through submaps, level by level, as the kernel takes it.
 */
#include "kernel.h"
#include "map.h"
#include "ports.h"
#include "vm.h"

#include <string.h>

enum { COUNT_SHORT = 12, COUNT_V0 = 16, COUNT_V1 = 17, COUNT_V2 = 19 };
enum { SHARE_PRIVATE = 2, SHARE_TRUE_SHARED = 5, INHERIT_COPY = 1 };

/* What the kernel tells of a region; the fields have no holes between them. */
#pragma pack(push, 4)
struct region_info {
    int32_t protection, most;
    uint32_t inheritance;
    uint64_t offset;
    uint32_t tag, resident, shared_now_private, swapped_out, dirtied, references;
    uint16_t shadow_depth;
    uint8_t external_pager, share_mode;
    int32_t is_submap, behavior;
    uint32_t object;
    uint16_t wired, flags;
    uint32_t reusable;
    uint64_t full_object;
};

struct short_region_info {
    int32_t protection, most;
    uint32_t inheritance;
    uint64_t offset;
    uint32_t tag, references;
    uint16_t shadow_depth;
    uint8_t external_pager, share_mode;
    int32_t is_submap, behavior;
    uint32_t object;
    uint16_t wired, flags;
};
#pragma pack(pop)

_Static_assert(sizeof(struct region_info) == COUNT_V2 * 4, "vm_region_submap_info_64");
_Static_assert(sizeof(struct short_region_info) == COUNT_SHORT * 4,
               "vm_region_submap_short_info_64");

static uint64_t least(uint64_t one, uint64_t other) {
    return one < other ? one : other;
}

/* A place in a map of some level, and how far around it can be seen from outside. */
struct place {
    const struct box_map *map;
    size_t index;     /* of the entry in it */
    uint64_t address; /* in that map */
    uint64_t skipped; /* from the address that was asked for */
    uint64_t offset;  /* from addresses of the task to those of the map */
    uint64_t above, below;
    uint32_t depth;
    int is_known;
};

static const struct box_entry *entry_of(const struct place *place) {
    return &place->map->items[place->index];
}

/* To the entry at the address or the next one that can be seen. 0: there is none. */
static int settle(struct place *place) {
    place->index = box_map_search(place->map, place->address);
    if (place->index == place->map->count)
        return 0;
    uint64_t start = entry_of(place)->start;
    if (start <= place->address)
        return 1;
    uint64_t skip = start - place->address;
    if (skip >= place->above)
        return 0;
    place->address = start;
    place->skipped += skip;
    place->offset += skip;
    place->above -= skip;
    place->below = 0;
    return 1;
}

/* The entry behind, if it is the nearest one so far: for when nothing is found further down. */
static void note_next(const struct place *place, struct place *next) {
    if (place->index + 1 == place->map->count)
        return;
    const struct box_entry *behind = entry_of(place) + 1;
    uint64_t skip = behind->start - place->address;
    if (behind->start >= place->address + place->above ||
        (next->is_known && behind->start + place->offset > entry_of(next)->start + next->offset))
        return;
    uint64_t above = next->above, below = next->below;
    *next = *place;
    next->is_known = 1;
    next->index++;
    next->address = behind->start;
    next->skipped += skip;
    next->offset += skip;
    next->above = least(least(above, place->above), behind->end - behind->start);
    next->below = least(below, 0);
}

static void narrow(struct place *place) {
    const struct box_entry *entry = entry_of(place);
    place->above = least(place->above, entry->end - place->address);
    place->below = least(place->below, place->address - entry->start);
}

static void descend(struct place *place, uint64_t wanted) {
    const struct box_entry *entry = entry_of(place);
    place->offset += entry->offset - entry->start;
    place->address = wanted + place->offset;
    place->map = entry->submap;
    place->depth++;
}

/* 0: nothing is mapped there or behind. Otherwise *wanted is the address that was found by. */
static int walk(uint64_t *wanted, uint32_t deepest, struct place *ret) {
    for (;;) {
        struct place place = {.map = &box_task_map,
                              .address = *wanted,
                              .above = UINT64_MAX - *wanted,
                              .below = *wanted};
        struct place next = {.above = UINT64_MAX, .below = UINT64_MAX};
        int found;
        while ((found = settle(&place))) {
            note_next(&place, &next);
            narrow(&place);
            if (!entry_of(&place)->submap || place.depth >= deepest)
                break;
            descend(&place, *wanted);
        }
        if (!found && !next.is_known)
            return 0;
        *ret = found ? place : next;
        if (!entry_of(ret)->submap || ret->depth >= deepest)
            return 1;
        /* Behind a submap with nothing in sight another one begins. */
        *wanted = ret->address;
    }
}

static void tell(const struct box_entry *entry, struct region_info *info) {
    *info = (struct region_info){
        .protection = entry->protection,
        .most = entry->most,
        .inheritance = INHERIT_COPY,
        .offset = entry->offset,
        .tag = entry->tag,
        .references = 1,
        /* Pages of a private file that were written to stand in an object before it. */
        .shadow_depth =
            entry->is_file && !entry->is_shared && (entry->protection & BOX_PROT_WRITE) != 0,
        .external_pager = entry->is_file && !entry->submap,
        .share_mode = entry->submap ? SHARE_TRUE_SHARED : SHARE_PRIVATE,
        .is_submap = entry->submap != NULL,
        .object = (uint32_t)(uintptr_t)entry,
        .full_object = (uintptr_t)entry,
    };
}

static void shorten(const struct region_info *info, struct short_region_info *ret) {
    *ret = (struct short_region_info){
        .protection = info->protection,
        .most = info->most,
        .inheritance = info->inheritance,
        .offset = info->offset,
        .tag = info->tag,
        .references = info->references,
        .shadow_depth = info->shadow_depth,
        .external_pager = info->external_pager,
        .share_mode = info->share_mode,
        .is_submap = info->is_submap,
        .object = info->object,
    };
}

/* As much as there is room for, in the form of that size. */
static void hand_over(const struct region_info *info, int *ret, uint32_t *count) {
    if (*count < COUNT_V0) {
        struct short_region_info small;
        shorten(info, &small);
        memcpy(ret, &small, sizeof(small));
        *count = COUNT_SHORT;
        return;
    }
    *count = *count >= COUNT_V2 ? COUNT_V2 : *count >= COUNT_V1 ? COUNT_V1 : COUNT_V0;
    memcpy(ret, info, *count * sizeof(int));
}

/* For programs that test it: since the last call a mapping became one with the one before; or the
 * kernel leads back to where it was. */
static void bend(uint64_t asked, uint64_t *address, uint64_t *size) {
    if (*address == asked && asked && box_kernel_is_to_fail("mach_vm_region_recurse, grown")) {
        *address -= box_page_size;
        *size += box_page_size;
    }
    if (box_kernel_is_to_fail("mach_vm_region_recurse, back"))
        *address = 0;
}

int host_mach_vm_region_recurse(uint32_t task, uint64_t *address, uint64_t *size, uint32_t *depth,
                                int *info, uint32_t *count) {
    struct region_info found;
    struct place place;
    const uint64_t asked = *address;
    uint64_t wanted = asked;
    if (task != box_task_port || *count < COUNT_SHORT)
        return BOX_KERN_INVALID_ARGUMENT;
    struct box_kernel_entry entry = box_kernel_enter();
    int fails = box_kernel_is_to_fail("mach_vm_region_recurse");
    int is_there = !fails && walk(&wanted, *depth, &place);
    if (is_there)
        tell(entry_of(&place), &found);
    box_kernel_leave(entry);
    if (!is_there)
        return fails ? BOX_KERN_INVALID_ARGUMENT : BOX_KERN_INVALID_ADDRESS;
    *depth = place.depth;
    *size = place.above + place.below;
    *address = wanted + place.skipped - place.below;
    bend(asked, address, size);
    hand_over(&found, info, count);
    return BOX_KERN_SUCCESS;
}
