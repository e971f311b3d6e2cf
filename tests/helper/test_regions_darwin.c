/*
 * The regions of a process of Darwin, on a double of the kernel's map with submaps, as
 * vm_map_region_recurse_64() of xnu walks it (osfmk/vm/vm_map.c): the answer tells the part of an
 * entry that can be seen through the entries above it; where an address is in a submap and the
 * caller wants no greater depth, it is the whole submap, whose start is told.
 */
#include "check.h"
#include "memory/pages.h"
#include "memory/regions.h"

#include <mach/mach.h>
#include <stdlib.h>

enum { PAGE = 0x4000, MOST_CALLS = 1000000 };

mach_port_t mach_task_self_ = 1;
vm_size_t vm_page_size = PAGE;

/* ---- The kernel's map ---- */

struct entry {
    uint64_t start, end; /* in the map that it stands in */
    int protection;
    unsigned tag;
    bool is_file; /* its pages come from a pager */
    unsigned short shadows;
    const struct map *submap;
    uint64_t offset; /* in the submap, of what its start shows */
};

struct map {
    const struct entry *entries; /* ascending */
    unsigned count;
};

static const struct map *process_map;
static unsigned calls, pages_looked_at;
static bool goes_back; /* the kernel is out of its mind */
static kern_return_t failure;

/* What of a map can be seen, as addresses of the process: those of the map plus the difference. */
struct view {
    const struct map *map;
    uint64_t difference, low, high;
    unsigned depth;
};

static uint64_t lower_of(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t higher_of(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* The first entry that ends after the address and is seen. */
static const struct entry *entry_from(const struct view *view, uint64_t address) {
    unsigned low = 0, high = view->map->count;
    address = higher_of(address, view->low);
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (view->map->entries[middle].end + view->difference <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct entry *entry = view->map->entries + low;
    bool is_seen = low < view->map->count && entry->start + view->difference < view->high;
    return is_seen ? entry : NULL;
}

static struct view view_of(const struct view *above, const struct entry *entry) {
    return (struct view){.map = entry->submap,
                         .difference = entry->start + above->difference - entry->offset,
                         .low = higher_of(above->low, entry->start + above->difference),
                         .high = lower_of(above->high, entry->end + above->difference),
                         .depth = above->depth + 1};
}

/* Down to the entry that holds the address or follows it; where a submap has none, from its end on.
 */
static const struct entry *find_entry(uint64_t address, unsigned most_depth, struct view *view) {
    const struct view whole = {.map = process_map, .high = UINT64_MAX};
    for (;;) {
        *view = whole;
        const struct entry *entry = entry_from(view, address);
        while (entry && entry->submap && view->depth < most_depth) {
            struct view inside = view_of(view, entry);
            const struct entry *next = entry_from(&inside, address);
            if (!next) {
                address = inside.high;
                break;
            }
            *view = inside;
            entry = next;
        }
        if (!entry || !entry->submap || view->depth >= most_depth)
            return entry;
    }
}

static void tell(const struct entry *entry, vm_region_recurse_info_t info,
                 mach_msg_type_number_t *count) {
    vm_region_submap_short_info_data_64_t about = {.protection = entry->protection,
                                                   .user_tag = entry->tag,
                                                   .external_pager = entry->is_file,
                                                   .shadow_depth = entry->shadows,
                                                   .is_submap = entry->submap != NULL};
    if (*count >= VM_REGION_SUBMAP_INFO_COUNT_64) { /* older ones of this form are not asked for */
        vm_region_submap_info_data_64_t whole = {.protection = entry->protection,
                                                 .user_tag = entry->tag,
                                                 .external_pager = entry->is_file,
                                                 .shadow_depth = entry->shadows,
                                                 .is_submap = entry->submap != NULL};
        if (!entry->submap)
            pages_looked_at += (unsigned)((entry->end - entry->start) / PAGE);
        memcpy(info, &whole, sizeof(whole));
        *count = VM_REGION_SUBMAP_INFO_COUNT_64;
    } else {
        memcpy(info, &about, sizeof(about));
        *count = VM_REGION_SUBMAP_SHORT_INFO_COUNT_64;
    }
}

kern_return_t vm_region_recurse_64(mach_port_t task, vm_address_t *address, vm_size_t *size,
                                   natural_t *depth, vm_region_recurse_info_t info,
                                   mach_msg_type_number_t *count) {
    struct view view;
    CHECK_EQ(task, mach_task_self_);
    if (++calls > MOST_CALLS) {
        CHECK(false && "the walk does not end");
        exit(check_report());
    }
    if (*count < VM_REGION_SUBMAP_SHORT_INFO_COUNT_64)
        return KERN_INVALID_ARGUMENT;
    if (failure)
        return failure;
    const struct entry *entry = find_entry(goes_back ? 0 : *address, *depth, &view);
    if (!entry)
        return KERN_INVALID_ADDRESS;
    *address = higher_of(view.low, entry->start + view.difference);
    *size = lower_of(view.high, entry->end + view.difference) - *address;
    *depth = view.depth;
    tell(entry, info, count);
    return KERN_SUCCESS;
}

/* ---- Its pages ---- */

static unsigned pages_read;
static uint64_t unreadable; /* a page */

kern_return_t vm_read_overwrite(mach_port_t task, vm_address_t address, vm_size_t size,
                                vm_address_t dst, vm_size_t *copied) {
    CHECK_EQ(task, mach_task_self_);
    pages_read++;
    if (unreadable && address < unreadable + PAGE && address + size > unreadable)
        return KERN_INVALID_ADDRESS;
    memset((void *)(uintptr_t)dst, 0, size);
    *copied = size;
    return KERN_SUCCESS;
}

/* ---- Looking ---- */

static char text[4096];

static enum loupe_status see(void *visitor, const struct loupe_process_region *region) {
    size_t length = strlen(text);
    (void)visitor;
    snprintf(text + length, sizeof(text) - length, "%llx-%llx %s%s%s%s\n",
             (unsigned long long)region->start, (unsigned long long)region->end,
             region->readable ? "r" : "-", region->writable ? "w" : "-",
             region->is_stack ? " stack" : "", region->is_of_allocator ? " malloc" : "");
    return LOUPE_OK;
}

static void begin(const struct map *map) {
    process_map = map;
    calls = pages_looked_at = pages_read = 0;
    goes_back = false;
    failure = KERN_SUCCESS;
    unreadable = 0;
    text[0] = '\0';
}

static const char *visited(void) {
    CHECK_EQ(loupe_regions_visit(NULL, see, NULL), LOUPE_OK);
    return text;
}

static const char *listed(void) {
    struct loupe_regions regions;
    text[0] = '\0';
    if (!CHECK_EQ(loupe_regions_init(&regions, &loupe_pages), LOUPE_OK))
        return text;
    for (size_t i = 0; i < regions.count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof(text) - length, "%llx-%llx\n",
                 (unsigned long long)regions.items[i].start,
                 (unsigned long long)regions.items[i].end);
    }
    loupe_regions_deinit(&regions);
    return text;
}

/* ---- Tests ---- */

enum { NONE = VM_PROT_NONE, R = VM_PROT_READ, RW = VM_PROT_READ | VM_PROT_WRITE };

#define MAP_OF(array)                                                                              \
    { .entries = (array), .count = sizeof(array) / sizeof((array)[0]) }

/* As of a small process: the submap has holes at its start, between its mappings and at its end,
 * and is shown in part only. */
static const struct entry shared_entries[] = {
    {.start = 0x0, .end = 0x8000, .protection = R, .is_file = true}, /* in front of what is shown */
    {.start = 0x14000, .end = 0x18000, .protection = R, .is_file = true},
    {.start = 0x18000, .end = 0x1c000, .protection = RW, .is_file = true, .shadows = 1},
    {.start = 0x24000, .end = 0x34000, .protection = R, .is_file = true}, /* shown in part */
};
static const struct map shared = MAP_OF(shared_entries);
static const struct entry entries[] = {
    {.start = 0x0, .end = 0x100000000, .protection = NONE},
    {.start = 0x100000000, .end = 0x100004000, .protection = R, .is_file = true},
    {.start = 0x100008000, .end = 0x10000c000, .protection = RW, .tag = VM_MEMORY_STACK},
    {.start = 0x180000000, .end = 0x180020000, .submap = &shared, .offset = 0x10000},
    {.start = 0x180020000, .end = 0x180024000, .protection = RW, .tag = VM_MEMORY_MALLOC_TINY},
    {.start = 0x180028000, .end = 0x18002c000, .protection = RW, .tag = VM_MEMORY_MALLOC_LARGE},
};
static const struct map small = MAP_OF(entries);

static void test_a_walk_leads_through_submaps(void) {
    begin(&small);
    CHECK_STR(visited(), "0-100000000 --\n"
                         "100000000-100004000 r-\n"
                         "100008000-10000c000 rw stack\n"
                         "180004000-180008000 r-\n"
                         "180008000-18000c000 rw\n"
                         "180014000-180020000 r-\n"
                         "180020000-180024000 rw malloc\n"
                         "180028000-18002c000 rw malloc\n");
    CHECK_EQ(pages_looked_at, 0);
    CHECK_EQ(calls, 9);
    CHECK_STR(listed(), "100000000-100004000\n"
                        "100008000-10000c000\n"
                        "180004000-180008000\n"
                        "180008000-18000c000\n"
                        "180014000-180020000\n"
                        "180020000-180024000\n"
                        "180028000-18002c000\n");
}

/* A submap in a submap, and one that shows nothing. */
static void test_submaps_stand_in_each_other(void) {
    static const struct entry inner_entries[] = {{.start = 0x4000, .end = 0x8000, .protection = R}};
    static const struct map inner = MAP_OF(inner_entries);
    static const struct entry outer_entries[] = {
        {.start = 0x0, .end = 0x4000, .protection = RW},
        {.start = 0x8000, .end = 0x10000, .submap = &inner, .offset = 0},
        {.start = 0x10000, .end = 0x14000, .protection = RW},
    };
    static const struct map outer = MAP_OF(outer_entries);
    static const struct entry all[] = {
        {.start = 0x10000, .end = 0x20000, .submap = &outer, .offset = 0x4000},
        {.start = 0x40000, .end = 0x48000, .submap = &inner, .offset = 0x8000},
        {.start = 0x50000, .end = 0x54000, .protection = RW},
    };
    static const struct map whole = MAP_OF(all);
    begin(&whole);
    CHECK_STR(visited(), "18000-1c000 r-\n1c000-20000 rw\n50000-54000 rw\n");
}

/* What the kernel cannot tell is not taken for the end of the list. */
static void test_a_walk_that_leads_nowhere_is_told(void) {
    struct loupe_regions regions;
    begin(&small);
    goes_back = true;
    CHECK_EQ(loupe_regions_visit(NULL, see, NULL), LOUPE_EFAULT);
    CHECK_EQ(loupe_regions_init(&regions, &loupe_pages), LOUPE_EFAULT);
    CHECK(calls <= 4);
    begin(&small);
    failure = KERN_INVALID_ARGUMENT;
    CHECK_EQ(loupe_regions_visit(NULL, see, NULL), LOUPE_EFAULT);
}

static enum loupe_status end_early(void *visitor, const struct loupe_process_region *region) {
    unsigned *count = visitor;
    (void)region;
    return ++*count == 3 ? LOUPE_ENOMEM : LOUPE_OK;
}

static void test_what_a_visit_returns_ends_it(void) {
    unsigned count = 0;
    begin(&small);
    CHECK_EQ(loupe_regions_visit(NULL, end_early, &count), LOUPE_ENOMEM);
    CHECK_EQ(count, 3);
}

/* As large as that of macOS 15: 4 GB with 3,000 mappings. */
static void test_a_large_shared_region_takes_a_call_for_each_mapping(void) {
    enum { MAPPINGS = 3000 };
    static struct entry mappings[MAPPINGS];
    static const struct map region = MAP_OF(mappings);
    static const struct entry all[] = {
        {.start = 0x100000000, .end = 0x100004000, .protection = R, .is_file = true},
        {.start = 0x180000000, .end = 0x280000000, .submap = &region, .offset = 0},
    };
    static const struct map whole = MAP_OF(all);
    uint64_t size = 0x100000000 / MAPPINGS / PAGE * PAGE;
    for (unsigned i = 0; i < MAPPINGS; i++)
        mappings[i] = (struct entry){.start = i * size,
                                     .end = (i + 1) * size,
                                     .protection = i % 4 ? R : RW,
                                     .is_file = true};
    struct loupe_regions regions;
    begin(&whole);
    CHECK_EQ(loupe_regions_init(&regions, &loupe_pages), LOUPE_OK);
    CHECK_EQ(regions.count, MAPPINGS + 1);
    CHECK_EQ(calls, MAPPINGS + 2);
    CHECK_EQ(pages_looked_at, 0);
    loupe_regions_deinit(&regions);
}

/* ---- Windows ---- */

static struct loupe_regions windows;

static bool opens(uint64_t address, uint64_t *start_ret, uint64_t *end_ret) {
    struct loupe_window window;
    pages_read = 0;
    if (!loupe_regions_window(&windows, address, &window))
        return false;
    *start_ret = window.start;
    *end_ret = window.end;
    return true;
}

/* A file's last page speaks for those before it; pages of the process's own among them do not. */
static void test_files_are_not_loaded_page_by_page(void) {
    enum { MEGABYTE = 1 << 20 };
    static const struct entry all[] = {
        {.start = 0x10000000, .end = 0x20000000, .protection = R, .is_file = true},
        {.start = 0x20000000, .end = 0x20100000, .protection = RW, .is_file = true, .shadows = 1},
        {.start = 0x20100000, .end = 0x20200000, .protection = RW},
    };
    static const struct map whole = MAP_OF(all);
    uint64_t start, end;
    begin(&whole);
    CHECK_EQ(loupe_regions_init(&windows, &loupe_pages), LOUPE_OK);
    CHECK(opens(0x10000000, &start, &end) && start == 0x10000000 && end == 0x10000000 + MEGABYTE);
    CHECK_EQ(pages_read, 1);
    CHECK(opens(0x13ffffff, &start, &end) && end == 0x14000000);
    CHECK_EQ(pages_read, 6); /* each step as long as what is known */
    CHECK(opens(0x20000000, &start, &end) && end == 0x20100000);
    CHECK_EQ(pages_read, MEGABYTE / PAGE);
    CHECK(opens(0x20100000, &start, &end) && end == 0x20200000);
    CHECK_EQ(pages_read, 0);
    loupe_regions_deinit(&windows);
}

static void test_pages_beyond_a_files_end_are_not_read_in_place(void) {
    static const struct entry all[] = {
        {.start = 0x10000000, .end = 0x10040000, .protection = R, .is_file = true},
        {.start = 0x20000000, .end = 0x20040000, .protection = RW, .is_file = true, .shadows = 1},
    };
    static const struct map whole = MAP_OF(all);
    uint64_t start, end;
    begin(&whole);
    CHECK_EQ(loupe_regions_init(&windows, &loupe_pages), LOUPE_OK);
    unreadable = 0x1003c000;
    CHECK(!opens(0x10000000, &start, &end));
    unreadable = 0x20010000; /* the file ended there; a page after that was written before */
    CHECK(!opens(0x20000000, &start, &end));
    loupe_regions_deinit(&windows);
}

int main(void) {
    RUN(test_a_walk_leads_through_submaps);
    RUN(test_submaps_stand_in_each_other);
    RUN(test_a_walk_that_leads_nowhere_is_told);
    RUN(test_what_a_visit_returns_ends_it);
    RUN(test_a_large_shared_region_takes_a_call_for_each_mapping);
    RUN(test_files_are_not_loaded_page_by_page);
    RUN(test_pages_beyond_a_files_end_are_not_read_in_place);
    return check_report();
}
