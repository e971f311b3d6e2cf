#include "map.h"

#include "../loader/image.h"

#include <string.h>
#include <sys/mman.h>

enum { MOST_ENTRIES = 1 << 17 };

#if defined(__aarch64__)
#define SHARED_REGION 0x180000000u /* as there */
uint64_t box_page_size = 16384;
#else
#define SHARED_REGION 0x6ff800000000u /* there 0x7ff8..., where Linux has its libraries */
uint64_t box_page_size = 4096;
#endif

struct box_map box_task_map;
static struct box_map shared_map;
static uint64_t shared_size, shared_used;

uint64_t box_page_up(uint64_t number) {
    return (number + box_page_size - 1) & ~(box_page_size - 1);
}

uint64_t box_page_down(uint64_t number) {
    return number & ~(box_page_size - 1);
}

/* ---- One map ---- */

/* Never moves and takes no lock: threads may be stopped anywhere. */
static void make_room(struct box_map *map) {
    if (!map->items)
        map->items = mmap(NULL, MOST_ENTRIES * sizeof(*map->items), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map->items == MAP_FAILED || map->count == MOST_ENTRIES)
        box_fail("no room for another mapping");
}

size_t box_map_search(const struct box_map *map, uint64_t address) {
    size_t low = 0, high = map->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (map->items[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert(struct box_map *map, size_t at, const struct box_entry *entry) {
    make_room(map);
    memmove(map->items + at + 1, map->items + at, (map->count - at) * sizeof(*map->items));
    map->items[at] = *entry;
    map->count++;
}

/* Two entries for the one that reaches across address. */
static void cut(struct box_map *map, uint64_t address) {
    size_t at = box_map_search(map, address);
    if (at == map->count || map->items[at].start >= address)
        return;
    struct box_entry upper = map->items[at];
    upper.offset += address - upper.start;
    upper.start = address;
    map->items[at].end = address;
    insert(map, at + 1, &upper);
}

static void remove_range(struct box_map *map, uint64_t start, uint64_t end) {
    cut(map, start);
    cut(map, end);
    size_t first = box_map_search(map, start), last = first;
    while (last < map->count && map->items[last].start < end)
        last++;
    memmove(map->items + first, map->items + last, (map->count - last) * sizeof(*map->items));
    map->count -= last - first;
}

static void enter(struct box_map *map, const struct box_entry *entry) {
    remove_range(map, entry->start, entry->end);
    insert(map, box_map_search(map, entry->start), entry);
}

/* ---- The shared region ---- */

void box_shared_region_begin(uint64_t size) {
    void *wanted = (void *)SHARED_REGION;
    if (mmap(wanted, size, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != wanted)
        box_fail("no room for the shared region");
    shared_size = size;
    enter(&box_task_map, &(struct box_entry){.start = SHARED_REGION,
                                             .end = SHARED_REGION + size,
                                             .protection = BOX_PROT_READ,
                                             .most = BOX_PROT_ALL,
                                             .is_shared = true,
                                             .submap = &shared_map});
}

uint64_t box_shared_region_take(uint64_t size) {
    uint64_t address = SHARED_REGION + shared_used;
    shared_used += box_page_up(size);
    if (shared_used > shared_size)
        box_fail("the shared region is full");
    return address;
}

bool box_shared_region_holds(uint64_t address) {
    return address - SHARED_REGION < shared_size;
}

/* ---- By addresses of the process ---- */

void box_map_enter(const struct box_entry *entry) {
    struct box_entry inside = *entry;
    if (!box_shared_region_holds(entry->start) || (entry->protection & BOX_PROT_WRITE)) {
        enter(&box_task_map, entry);
        return;
    }
    inside.start -= SHARED_REGION;
    inside.end -= SHARED_REGION;
    enter(&shared_map, &inside);
}

void box_map_remove(uint64_t start, uint64_t end) {
    while (start < end) {
        size_t at = box_map_search(&box_task_map, start);
        if (at == box_task_map.count || box_task_map.items[at].start >= end)
            return;
        struct box_entry entry = box_task_map.items[at];
        uint64_t next = entry.end < end ? entry.end : end;
        if (!entry.submap)
            remove_range(&box_task_map, start > entry.start ? start : entry.start, next);
        start = next;
    }
}

/* What of the submap's entry shows through that of the task. */
static bool find_below(const struct box_entry *outer, uint64_t address, struct box_entry *ret) {
    uint64_t inside = address - outer->start + outer->offset, size = outer->end - outer->start;
    size_t at = box_map_search(outer->submap, inside);
    if (at == outer->submap->count || outer->submap->items[at].start > inside)
        return false;
    *ret = outer->submap->items[at];
    if (ret->start < outer->offset) {
        ret->offset += outer->offset - ret->start;
        ret->start = outer->offset;
    }
    if (ret->end > outer->offset + size)
        ret->end = outer->offset + size;
    ret->start += outer->start - outer->offset;
    ret->end += outer->start - outer->offset;
    return true;
}

bool box_map_find(uint64_t address, struct box_entry *ret) {
    size_t at = box_map_search(&box_task_map, address);
    if (at == box_task_map.count || box_task_map.items[at].start > address)
        return false;
    if (box_task_map.items[at].submap)
        return find_below(&box_task_map.items[at], address, ret);
    *ret = box_task_map.items[at];
    return true;
}

bool box_map_is_taken(uint64_t start, uint64_t end) {
    size_t at = box_map_search(&box_task_map, start);
    return at < box_task_map.count && box_task_map.items[at].start < end;
}

bool box_map_allows(uint64_t start, uint64_t end, int protection) {
    struct box_entry entry;
    for (; start < end; start = entry.end)
        if (!box_map_find(start, &entry) || (entry.protection & protection) != protection)
            return false;
    return true;
}

static void change(struct box_map *map, uint64_t start, uint64_t end, int protection, int most) {
    cut(map, start);
    cut(map, end);
    for (size_t at = box_map_search(map, start); at < map->count && map->items[at].start < end;
         at++) {
        map->items[at].most = most;
        map->items[at].protection = protection & most;
    }
}

void box_map_change(uint64_t start, uint64_t end, int protection, int most) {
    struct box_entry entry;
    for (uint64_t at = start; at < end && box_map_find(at, &entry); at = entry.end) {
        uint64_t from = at, to = entry.end < end ? entry.end : end;
        bool is_below = box_task_map.items[box_map_search(&box_task_map, at)].submap;
        uint64_t base = is_below ? SHARED_REGION : 0;
        change(is_below ? &shared_map : &box_task_map, from - base, to - base, protection, most);
    }
}
