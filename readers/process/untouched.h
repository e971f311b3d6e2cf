/*
 * untouched.h - private memory that a process has addresses of, and no pages: it never wrote to it,
 * or gave it back. It is zero.
 *
 * To read it all the same would make the process larger, by a table for each two megabytes of what
 * may be many gigabytes. And where the process itself says what its pages hold (userfaultfd) the
 * reader would wait for it, which stands still.
 */
#ifndef LOUPE_READERS_UNTOUCHED_H
#define LOUPE_READERS_UNTOUCHED_H

#include "target/parts.h"

/*
 * Fills holes with the parts without pages of regions that may have such, as struct loupe_range,
 * ascending. Where the system does not tell (/proc/TID/pagemap) there are none. At most one more
 * than regions and pages that are there. LOUPE_ENOMEM.
 */
enum loupe_status loupe_untouched_find(const struct loupe_reader *reader,
                                       struct loupe_vector *holes);

/* Whether an address is in a hole. *end_ret: up to where that holds, at most end. */
bool loupe_untouched_at(const struct loupe_vector *holes, loupe_addr addr, loupe_addr end,
                        loupe_addr *end_ret);

#endif
