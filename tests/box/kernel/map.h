/*
 * map.h - what is mapped in the process, as Darwin's kernel keeps it: entries by address, of which
 * some are maps themselves.
 *
 * Only what was mapped as a process of Darwin does is in it. The box, its C library and their
 * memory are not there: nobody may find them. All of it stands under the lock of the kernel
 * (kernel.h), except where said.
 *
 * The shared region is a submap, which stands in the map of the task by an entry (xnu-10063,
 * osfmk/vm/vm_shared_region.c). Where an image's data was written to, the submap's entry is cut
 * and the task has pages of its own there, as after a copy on write (vm_map.c,
 * vm_map_lookup_locked).
 */
#ifndef LOUPE_BOX_MAP_H
#define LOUPE_BOX_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BOX_PROT_NONE = 0,
    BOX_PROT_READ = 1,
    BOX_PROT_WRITE = 2,
    BOX_PROT_EXECUTE = 4,
    BOX_PROT_ALL = 7
};

/* Of memory that somebody tagged: <mach/vm_statistics.h>. */
enum {
    BOX_TAG_MALLOC = 1,
    BOX_TAG_MALLOC_TINY = 7,
    BOX_TAG_STACK = 30,
    BOX_TAG_GUARD = 31,
    BOX_TAG_DYLD = 60
};

struct box_entry {
    uint64_t start, end; /* in a submap from its own beginning */
    int protection, most;
    uint32_t tag;
    uint64_t offset; /* in the file, or in the submap */
    bool is_file;    /* an external pager: a file is behind it, also where pages were copied */
    bool is_shared;
    struct box_map *submap; /* NULL: memory */
};

struct box_map {
    struct box_entry *items; /* by address */
    size_t count;
};

extern struct box_map box_task_map;

/* The size of a page as the program sees it: 4 kB on x86-64, 16 kB on arm64. */
extern uint64_t box_page_size;
uint64_t box_page_up(uint64_t number);
uint64_t box_page_down(uint64_t number);

/* Reserves the shared region, size bytes, in all of which nothing is mapped. Once. */
void box_shared_region_begin(uint64_t size);
/* Room in it; it ends the box when there is none left. */
uint64_t box_shared_region_take(uint64_t size);
bool box_shared_region_holds(uint64_t address);

/* Adds memory that was mapped, by its address in the process, to the submap or the task. What was
 * there before goes. */
void box_map_enter(const struct box_entry *entry);
/* Takes out a range; entries that reach out of it are cut. Submaps stay. */
void box_map_remove(uint64_t start, uint64_t end);
/* The memory at an address, in the place where the process sees it. False: none. */
bool box_map_find(uint64_t address, struct box_entry *ret);
/* Whether anything, a submap also, is mapped in the range. */
bool box_map_is_taken(uint64_t start, uint64_t end);
/* Whether all of the range is memory that has this protection. */
bool box_map_allows(uint64_t start, uint64_t end, int protection);
/* Changes what is mapped in the range, which has no holes. */
void box_map_change(uint64_t start, uint64_t end, int protection, int most);

/* The number of the first entry that ends behind address; map->count: none. */
size_t box_map_search(const struct box_map *map, uint64_t address);

#endif
