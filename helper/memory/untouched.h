/*
 * untouched.h - memory that this process has addresses of and no pages (Linux).
 *
 * To read such a page where it is mapped makes the kernel find one: a new one in shared memory that
 * nobody wrote to, gigabytes of them where a program only has the addresses. So what nobody wrote
 * to is zeroes here, and what stands in a file is read from the file. What only the kernel can find
 * is not read, unless it is a page of a program's file, which a look only maps; nor are files that
 * the process serves itself (FUSE), which may stand still.
 */
#ifndef LOUPE_HELPER_UNTOUCHED_H
#define LOUPE_HELPER_UNTOUCHED_H

#include "base/arena.h"
#include "base/target/memory.h"
#include "base/target/process.h"

struct loupe_untouched;

/* map: the text of /proc/self/maps, which lasts as long; serves_files: as servers.h has it. NULL:
 * there is no memory, or the kernel does not tell. */
struct loupe_untouched *loupe_untouched_open(const struct loupe_chunk_ops *chunks, const char *map,
                                             bool serves_files);
/* NULL: nothing to do. */
void loupe_untouched_close(struct loupe_untouched *untouched);

/* Whether the process has the page at an address; *end_ret: up to where that holds, at most end. */
bool loupe_untouched_has_page(struct loupe_untouched *untouched, loupe_addr addr, loupe_addr end,
                              loupe_addr *end_ret);
/* The same as it is now, not as it was when it was last asked. */
bool loupe_untouched_has_page_now(struct loupe_untouched *untouched, loupe_addr addr,
                                  loupe_addr end, loupe_addr *end_ret);
/* What stands where the process has no pages. LOUPE_EFAULT: nobody tells. */
enum loupe_status loupe_untouched_read(struct loupe_untouched *untouched, loupe_addr addr,
                                       void *dst, size_t len);
/* As zeroes() of struct loupe_reader_ops, up to end. */
loupe_addr loupe_untouched_zeroes(struct loupe_untouched *untouched, loupe_addr addr,
                                  loupe_addr end);
/* As unread() of struct loupe_process_ops. */
enum loupe_status loupe_untouched_visit_unread(struct loupe_untouched *untouched,
                                               loupe_unread_visit visit, void *visitor);

#endif
