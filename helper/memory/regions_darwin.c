/* Which memory of this process can be read, as the kernel of Darwin tells it. */
#include "memory/regions.h"

#include <mach/mach.h>

/* ---- Walking ---- */

struct mapping {
    loupe_addr start, end;
    vm_region_submap_short_info_data_64_t info;
};

/*
 * The mapping that holds the address, or the first one after it. LOUPE_ELIMIT: there is none.
 *
 * The shared region is a submap, which is entered at once: asked for the submap itself, the kernel
 * tells its start, and a walk that goes on from there never leaves it. The short form of the answer
 * spares the kernel a look at each page, of which the shared region has gigabytes.
 */
static enum loupe_status find_mapping(loupe_addr address, struct mapping *ret) {
    enum { ANY_DEPTH = 1024 };
    vm_address_t start = address;
    vm_size_t size = 0;
    natural_t depth = ANY_DEPTH;
    mach_msg_type_number_t count = VM_REGION_SUBMAP_SHORT_INFO_COUNT_64;
    kern_return_t failure = vm_region_recurse_64(mach_task_self(), &start, &size, &depth,
                                                 (vm_region_recurse_info_t)&ret->info, &count);
    if (failure)
        return failure == KERN_INVALID_ADDRESS ? LOUPE_ELIMIT : LOUPE_EFAULT;
    ret->start = start;
    ret->end = start + size;
    return LOUPE_OK;
}

typedef enum loupe_status mapping_visit(void *visitor, const struct mapping *mapping);

/* Each step ends behind the one before, whatever the kernel tells: LOUPE_EFAULT where it does not
 * lead on. */
static enum loupe_status visit_mappings(mapping_visit *visit, void *visitor) {
    struct mapping mapping;
    loupe_addr reached = 0;
    for (;;) {
        enum loupe_status status = find_mapping(reached, &mapping);
        if (status)
            return status == LOUPE_ELIMIT ? LOUPE_OK : status;
        if (mapping.end <= reached || mapping.end <= mapping.start || mapping.info.is_submap)
            return LOUPE_EFAULT;
        if (mapping.start < reached)
            mapping.start = reached; /* it grew since the last step */
        status = visit(visitor, &mapping);
        if (status)
            return status;
        reached = mapping.end;
    }
}

static enum loupe_backing backing_of(const struct mapping *mapping) {
    if (!mapping->info.external_pager)
        return LOUPE_ANONYMOUS;
    return mapping->info.shadow_depth ? LOUPE_FILE_PARTS : LOUPE_FILE;
}

static enum loupe_status add_mapping(void *visitor, const struct mapping *mapping) {
    if (!(mapping->info.protection & VM_PROT_READ))
        return LOUPE_OK;
    return loupe_regions_add(visitor, mapping->start, mapping->end, backing_of(mapping));
}

enum loupe_status loupe_regions_list(struct loupe_regions *regions) {
    return visit_mappings(add_mapping, regions);
}

struct region_visit {
    loupe_region_visit visit;
    void *visitor;
};

/* What libmalloc asks for, for any kind of block and for its own tables. */
static bool is_of_malloc(unsigned tag) {
    switch (tag) {
    case VM_MEMORY_MALLOC:
    case VM_MEMORY_MALLOC_SMALL:
    case VM_MEMORY_MALLOC_LARGE:
    case VM_MEMORY_MALLOC_HUGE:
    case VM_MEMORY_REALLOC:
    case VM_MEMORY_MALLOC_TINY:
    case VM_MEMORY_MALLOC_LARGE_REUSABLE:
    case VM_MEMORY_MALLOC_LARGE_REUSED:
    case VM_MEMORY_MALLOC_NANO:
    case VM_MEMORY_MALLOC_MEDIUM:
        return true;
    default:
        return false;
    }
}

static enum loupe_status visit_region(void *visitor, const struct mapping *mapping) {
    const struct region_visit *region_visit = visitor;
    struct loupe_process_region region = {
        .start = mapping->start,
        .end = mapping->end,
        .readable = mapping->info.protection & VM_PROT_READ,
        .writable = mapping->info.protection & VM_PROT_WRITE,
        .is_stack = mapping->info.user_tag == VM_MEMORY_STACK,
        .is_of_allocator = is_of_malloc(mapping->info.user_tag),
    };
    return loupe_regions_visit_one(&region, region_visit->visit, region_visit->visitor);
}

enum loupe_status loupe_regions_visit(const struct loupe_regions *regions, loupe_region_visit visit,
                                      void *visitor) {
    struct region_visit region_visit = {.visit = visit, .visitor = visitor};
    (void)regions;
    return visit_mappings(visit_region, &region_visit);
}

void loupe_regions_unlist(struct loupe_regions *regions) {
    (void)regions;
}

/* ---- Checks and copies ---- */

static bool can_read(loupe_addr address) {
    uint8_t byte;
    return !loupe_regions_copy(address, &byte, sizeof(byte));
}

/* Anonymous memory that may be read can be read. A file can be read up to its end, so the last page
 * speaks for all before it: a look at each would load gigabytes of the shared region. */
bool loupe_regions_check(const struct loupe_region *region, loupe_addr start, loupe_addr end) {
    switch (region->backing) {
    case LOUPE_ANONYMOUS:
        return true;
    case LOUPE_FILE:
        return can_read(end - 1);
    case LOUPE_FILE_PARTS:
    case LOUPE_HANDLED: /* of Linux alone */
        break;
    }
    while (start < end && can_read(start))
        start += vm_page_size;
    return start >= end;
}

enum loupe_status loupe_regions_copy(loupe_addr addr, void *dst, size_t len) {
    vm_size_t copied = 0;
    if (vm_read_overwrite(mach_task_self(), addr, len, (vm_address_t)dst, &copied) || copied != len)
        return LOUPE_EFAULT;
    return LOUPE_OK;
}

/* ---- What has no pages: of that nobody asks here ---- */

bool loupe_regions_has_page(const struct loupe_regions *regions, loupe_addr addr, loupe_addr end,
                            loupe_addr *end_ret) {
    (void)regions;
    (void)addr;
    *end_ret = end;
    return true;
}

enum loupe_status loupe_regions_read(struct loupe_regions *regions, loupe_addr addr, void *dst,
                                     size_t len) {
    (void)regions;
    return loupe_regions_copy(addr, dst, len);
}

loupe_addr loupe_regions_zeroes(struct loupe_regions *regions, loupe_addr addr) {
    (void)regions;
    return addr;
}

enum loupe_status loupe_regions_visit_unread(const struct loupe_regions *regions,
                                             loupe_unread_visit visit, void *visitor) {
    (void)regions;
    (void)visit;
    (void)visitor;
    return LOUPE_OK;
}
