/*
 * pages.h - the map of pages (process/page_map.h) of a process that is on this machine, as the
 * debugger says: what it has no pages of is not asked for, since the debugger's look would make
 * the kernel find some. Of a core, and of a process elsewhere, all is asked for.
 */
#ifndef LOUPE_PIPED_PAGES_H
#define LOUPE_PIPED_PAGES_H

#include "piped/piped.h"

typedef enum loupe_status loupe_piped_read_present(void *ctx, loupe_addr addr, void *dst,
                                                   size_t len);

/* As read() of struct loupe_reader_ops; what is there is asked for by read, with the reader as its
 * ctx. */
enum loupe_status loupe_piped_pages_read(struct loupe_piped_reader *reader, loupe_addr addr,
                                         void *dst, size_t len, loupe_piped_read_present *read);
/* As zeroes() of struct loupe_reader_ops. */
loupe_addr loupe_piped_pages_zeroes(struct loupe_piped_reader *reader, loupe_addr addr);
/* As unread() of struct loupe_process_ops. */
enum loupe_status loupe_piped_pages_visit_unread(struct loupe_piped_reader *reader,
                                                 loupe_unread_visit visit, void *visitor);
void loupe_piped_pages_close(struct loupe_piped_reader *reader);

#endif
