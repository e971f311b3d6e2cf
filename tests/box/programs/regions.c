/*
 * regions.c - the walk over regions: what is mapped is told once and in order, submaps as the
 * kernel tells of them, depth by depth. With the argument "cache" the system's libraries are in
 * one.
 */
#include "system.h"

enum { READ = 1, WRITE = 2, EXECUTE = 4, WORDS = 19, TAG = 240, DEEP = 1024 };

struct info {
    int32_t protection, most;
    uint32_t inheritance, offset[2];
    uint32_t tag, resident, shared_now_private, swapped_out, dirtied, references;
    uint16_t shadow_depth;
    uint8_t external_pager, share_mode;
    int32_t is_submap, behavior;
    uint32_t object;
    uint16_t wired, flags;
    uint32_t reusable, full_object[2];
};
_Static_assert(sizeof(struct info) == WORDS * 4, "vm_region_submap_info_64");

extern uint32_t mach_task_self_;
extern uintptr_t vm_page_size;
int mach_vm_region_recurse(uint32_t task, uint64_t *address, uint64_t *size, uint32_t *depth,
                           struct info *info, uint32_t *count);
int mach_vm_allocate(uint32_t task, uint64_t *address, uint64_t size, int flags);
int mach_vm_deallocate(uint32_t task, uint64_t address, uint64_t size);
int mach_vm_protect(uint32_t task, uint64_t address, uint64_t size, int maximum, int protection);

static int region(uint64_t *address, uint64_t *size, uint32_t *depth, struct info *info) {
    uint32_t count = WORDS;
    return mach_vm_region_recurse(mach_task_self_, address, size, depth, info, &count);
}

/* Where the memory at an address begins; its depth. */
static uint64_t region_at(uint64_t address, uint64_t *size, uint32_t *depth, struct info *info) {
    *depth = DEEP;
    CHECK_EQ(region(&address, size, depth, info), 0);
    return address;
}

static void check_order(void) {
    uint64_t address = 0, size = 0, end = 0;
    uint32_t depth = DEEP;
    unsigned regions = 0;
    struct info info;
    while (!region(&address, &size, &depth, &info)) {
        CHECK(address >= end && size && !info.is_submap);
        end = address += size;
        depth = DEEP;
        regions++;
    }
    CHECK(regions > 10);
}

static void check_own_pages(void) {
    uint64_t pages = 0, size, page = vm_page_size;
    uint32_t depth;
    struct info info;
    CHECK_EQ(mach_vm_allocate(mach_task_self_, &pages, 3 * page, TAG << 24 | 1), 0);
    CHECK_EQ(region_at(pages + page + 5, &size, &depth, &info), pages);
    CHECK(size == 3 * page && depth == 0 && info.tag == TAG && !info.external_pager);
    CHECK_EQ(info.protection, READ | WRITE);
    CHECK_EQ(mach_vm_protect(mach_task_self_, pages + page, page, 0, 0), 0);
    CHECK_EQ(region_at(pages + page, &size, &depth, &info), pages + page);
    CHECK(size == page && !info.protection);
    CHECK_EQ(mach_vm_deallocate(mach_task_self_, pages + page, page), 0);
    CHECK_EQ(region_at(pages + page, &size, &depth, &info), pages + 2 * page);
    CHECK_EQ(size, page);
    CHECK_EQ(mach_vm_deallocate(mach_task_self_, pages, 3 * page), 0);
}

static void check_code(void) {
    uint64_t size;
    uint32_t depth;
    struct info info;
    region_at((uintptr_t)check_code, &size, &depth, &info);
    CHECK(info.protection == (READ | EXECUTE) && info.external_pager);
}

/* Not entered, a submap is told by its own start, from whatever place in it was asked. */
static void check_submap(void) {
    uint64_t inside = (uintptr_t)free, outer = inside, size, whole;
    uint32_t depth = 0;
    struct info info;
    CHECK_EQ(region(&outer, &whole, &depth, &info), 0);
    CHECK(info.is_submap && depth == 0 && outer < inside && outer + whole > inside);
    depth = 1;
    CHECK_EQ(region(&inside, &size, &depth, &info), 0);
    CHECK(!info.is_submap && depth == 1 && inside <= (uintptr_t)free && size <= whole);
    /* What was written to is the task's own, and the submap is cut there. */
    region_at((uintptr_t)&vm_page_size, &size, &depth, &info);
    CHECK(depth == 0 && info.protection == (READ | WRITE));
}

/* Behind the last mapping of a submap comes what is behind the submap, not the submap again. */
static void check_end_of_submap(void) {
    uint64_t address = 0, size, last_inside = 0, after = 0;
    uint32_t depth = DEEP;
    struct info info;
    while (!region(&address, &size, &depth, &info)) {
        if (depth == 1) {
            last_inside = address + size;
            after = 0;
        } else if (!after)
            after = address;
        address += size;
        depth = DEEP;
    }
    CHECK(last_inside && after >= last_inside);
}

/* Who goes on from what he was told with depth 0 again is told the submap's start each time: such a
 * walk never ends. */
static void check_walk_from_depth_0(void) {
    uint64_t address = 0, size, last = 0;
    bool went_back = false;
    struct info info;
    for (unsigned steps = 0; steps < 10000 && !went_back; steps++) {
        uint32_t depth = 0;
        int result;
        while (!(result = region(&address, &size, &depth, &info)) && info.is_submap)
            depth++;
        if (result)
            break;
        went_back = address < last || (address == last && last);
        last = address;
        address += size;
    }
    CHECK(went_back);
}

static void check_refusals(void) {
    uint64_t address = UINT64_MAX - vm_page_size, size;
    uint32_t depth = DEEP, count = 11;
    struct info info;
    CHECK_EQ(region(&address, &size, &depth, &info), 1);
    address = 0;
    CHECK_EQ(mach_vm_region_recurse(mach_task_self_, &address, &size, &depth, &info, &count), 4);
    count = 100;
    CHECK_EQ(mach_vm_region_recurse(mach_task_self_ + 1, &address, &size, &depth, &info, &count),
             4);
    CHECK_EQ(mach_vm_region_recurse(mach_task_self_, &address, &size, &depth, &info, &count), 0);
    CHECK_EQ(count, WORDS);
}

int main(int count, char **arguments) {
    check_order();
    check_own_pages();
    check_code();
    check_refusals();
    if (count > 1 && strcmp(arguments[1], "cache") == 0) {
        check_submap();
        check_end_of_submap();
        check_walk_from_depth_0();
    }
    return checks_result();
}
