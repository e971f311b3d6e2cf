/*
 * page_map.h - what stands at the addresses of another process, as far as a look at them would
 * change it (Linux).
 *
 * To read a page that is not there makes the kernel find one: a table of pages for the process, a
 * page of its files, or, in shared memory that nobody wrote to, a new one, gigabytes of them where
 * a program only has the addresses. So such pages are not read where they are mapped:
 *  - what nobody wrote to is zeroes;
 *  - what stands in a file is read from the file, without its holes;
 *  - what somebody else fills in when it is looked at, as a handler of page faults (userfaultfd) or
 *    the server of a file system (FUSE), is not read at all: whoever fills it in may be the
 * process, which stands still;
 *  - what may stand in memory that only the kernel can find is not read either.
 *
 * Made while the process stands still, by /proc: smaps, pagemap, mountinfo, map_files.
 */
#ifndef LOUPE_READERS_PAGE_MAP_H
#define LOUPE_READERS_PAGE_MAP_H

#include "base/target/memory.h"

struct loupe_page_map;

/* Told now and then, may be NULL: true ends the search. What was not reached is read as it stands.
 */
struct loupe_page_map_stop {
    bool (*wanted)(void *ctx);
    void *ctx;
};

/* Of a process, or one of its threads. Where /proc tells nothing the map is empty. NULL: no memory.
 */
struct loupe_page_map *loupe_page_map_open(int process, const struct loupe_chunk_ops *chunks,
                                           const struct loupe_page_map_stop *stop);
/*
 * The same, made when it is first needed: of pages that are there, a few reads look no further, and
 * most questions need nothing else. The process stands still until the map is closed.
 */
struct loupe_page_map *loupe_page_map_open_lazily(int process,
                                                  const struct loupe_chunk_ops *chunks);
/* NULL: nothing to do. */
void loupe_page_map_close(struct loupe_page_map *map);

/* Reads what is there, in one piece, as somebody else can. */
typedef enum loupe_status loupe_page_map_read_present(void *ctx, loupe_addr addr, void *dst,
                                                      size_t len);
enum loupe_status loupe_page_map_read(struct loupe_page_map *map, loupe_addr addr, void *dst,
                                      size_t len, loupe_page_map_read_present *read, void *ctx);

/* As zeroes() of struct loupe_reader_ops. */
loupe_addr loupe_page_map_zeroes(struct loupe_page_map *map, loupe_addr addr);

/* As unread() of struct loupe_process_ops. */
enum loupe_status loupe_page_map_visit_unread(struct loupe_page_map *map, loupe_unread_visit visit,
                                              void *visitor);

/* Whether all of an address's page is there; *end_ret: up to where that holds, at most end. */
bool loupe_page_map_is_present(struct loupe_page_map *map, loupe_addr addr, loupe_addr end,
                               loupe_addr *end_ret);

#endif
