/*
 * regions.h - which memory of this process can be read, as the kernel tells it.
 *
 * The list is taken once per question: what it names stays mapped until the question ends. The
 * helper's own pages (memory/pages.h) are left out: they are no memory of the program, change while
 * it is read, and hold copies of it. A mapping that the kernel calls readable can still fault (a
 * file mapped past its end, guard pages inside a mapping, device memory), so no page is touched
 * before loupe_regions_window() has made sure of it; what cannot be made sure of is read by
 * loupe_regions_read() alone.
 */
#ifndef LOUPE_HELPER_REGIONS_H
#define LOUPE_HELPER_REGIONS_H

#include "base/arena.h"
#include "base/target/memory.h"

/* What stands behind the pages of a region. */
enum loupe_backing {
    LOUPE_ANONYMOUS,  /* no file and no device */
    LOUPE_FILE,       /* all of them are a file's or a device's */
    LOUPE_FILE_PARTS, /* some may be the process's own by now, and outlive the end of the file */
    LOUPE_HANDLED /* the process fills a page in when somebody looks at it, who waits for that */
};

struct loupe_region {
    loupe_addr start, end;           /* page aligned, readable by its protection */
    loupe_addr sure_start, sure_end; /* what is known to be readable in fact; empty when equal */
    enum loupe_backing backing;
    bool broken; /* has a page that cannot be read: no window grows any more */
};

struct loupe_untouched;

struct loupe_regions {
    const struct loupe_chunk_ops *chunks;
    struct loupe_region *items; /* by address */
    size_t count, capacity;
    size_t last; /* where the last search ended */
    /* Other threads run, and may unmap what was listed: all is copied, nothing read in place. */
    bool may_change;
    struct loupe_untouched *untouched; /* what has no pages yet; NULL: nobody tells */
    const char *map; /* Linux: the text of /proc/self/maps, NUL-ended; else NULL */
    size_t map_capacity;
};

/* On failure there is nothing to deinit. */
enum loupe_status loupe_regions_init(struct loupe_regions *regions,
                                     const struct loupe_chunk_ops *chunks);
void loupe_regions_deinit(struct loupe_regions *regions);

/* The region that holds addr, or NULL. */
struct loupe_region *loupe_regions_find(struct loupe_regions *regions, loupe_addr addr);

/* Memory around addr that can be read in place until the question ends. */
bool loupe_regions_window(struct loupe_regions *regions, loupe_addr addr, struct loupe_window *ret);

/* ---- What each system implements ---- */

/* Fills the list. */
enum loupe_status loupe_regions_list(struct loupe_regions *regions);
void loupe_regions_unlist(struct loupe_regions *regions);
/* Whether every page of [start, end), inside one region, can be read. Touches nothing itself. */
bool loupe_regions_check(const struct loupe_region *region, loupe_addr start, loupe_addr end);
/* Whether the process has the page at an address of a region, as far as the system tells;
 * *end_ret: up to where that holds, at most end. */
bool loupe_regions_has_page(const struct loupe_regions *regions, loupe_addr addr, loupe_addr end,
                            loupe_addr *end_ret);
/* Up to where nothing but zeroes stands, as zeroes() of struct loupe_reader_ops. */
loupe_addr loupe_regions_zeroes(struct loupe_regions *regions, loupe_addr addr);
/* As unread() of struct loupe_process_ops. */
enum loupe_status loupe_regions_visit_unread(const struct loupe_regions *regions,
                                             loupe_unread_visit visit, void *visitor);
/* Copies, or fails: LOUPE_EFAULT. Never faults, whatever the address, and makes no pages where the
 * process has none yet. */
enum loupe_status loupe_regions_read(struct loupe_regions *regions, loupe_addr addr, void *dst,
                                     size_t len);
/* The same where it is mapped, which makes pages. */
enum loupe_status loupe_regions_copy(loupe_addr addr, void *dst, size_t len);

/*
 * Visits all that is mapped as the kernel tells it, without pages of the helper: neighbours apart,
 * unreadable ones too. Returns what visit() does, or LOUPE_OK.
 */
enum loupe_status loupe_regions_visit(const struct loupe_regions *regions, loupe_region_visit visit,
                                      void *visitor);

/* For loupe_regions_visit(): visits what of a region is not the helper's. */
enum loupe_status loupe_regions_visit_one(const struct loupe_process_region *region,
                                          loupe_region_visit visit, void *visitor);
/* For loupe_regions_list(): adds a region behind the others, without pages of the helper in it.
 * Mappings of files stay apart, because each can end in its own way. */
enum loupe_status loupe_regions_add(struct loupe_regions *regions, loupe_addr start, loupe_addr end,
                                    enum loupe_backing backing);

#endif
